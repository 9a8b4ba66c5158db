import { BoundedCells, type BoundedKind, REFUSED } from '../filters/bounded-cells.ts';
import { requireSaved, type Saved } from '../format/header.ts';
import type { DleftExports } from '../kernel/generated/dleft/exports.ts';
import type { RegionWith } from '../kernel/region.ts';
import { textOf, writeKey } from '../keys/encode.ts';
import type { Key } from '../keys/key.ts';
import {
  capacityOf,
  expectedDLeftErrorRate,
  KEY_CELLS,
  leastDLeftErrorRate,
  MAX_BUCKETS,
  optimalDLeftBuckets,
  optimalRemainderBits,
  REMAINDER_BITS,
  requireBuckets,
  requireRemainderBits,
  TABLES,
} from './dleft-sizing.ts';

/** The bits of a cell that hold its count. */
export const COUNT_BITS = 2;
/** The greatest count of a cell. */
const MOST_IN_CELL = 3;

const bucketsOf = (cellCount: number): number => cellCount / KEY_CELLS;

const sizeOf = (buckets: number, remainderBits: number) => ({
  cellCount: KEY_CELLS * buckets,
  hashes: TABLES,
  cellBits: remainderBits + COUNT_BITS,
});

export const DLEFT: BoundedKind<DleftExports> = {
  id: 8,
  name: 'dleft',
  className: 'DLeftCountingBloomFilter',
  traits: {
    removes: true,
    canBeFull: true,
    grows: false,
    forgets: false,
    forgetsAny: false,
    leastErrorRate: leastDLeftErrorRate,
  },
  cellName: 'cells',
  cellBits: [REMAINDER_BITS[0] + COUNT_BITS, REMAINDER_BITS[1] + COUNT_BITS],
  allows: ({ cellCount, hashes }) =>
    hashes === TABLES && cellCount % KEY_CELLS === 0 && cellCount <= KEY_CELLS * MAX_BUCKETS,
  requireCells({ segments: [region], parameters: { cellCount }, cellBits }) {
    const { instance, pointer } = region as RegionWith<DleftExports>;
    const flaws = instance.kernel.dleft_flaws(pointer, bucketsOf(cellCount), cellBits);
    requireSaved(flaws === 0, 'its cells are wrong');
  },
  sizes: ['buckets', 'remainderBits'],
  sizeFor: (capacity, errorRate) => sizeOf(optimalDLeftBuckets(capacity), optimalRemainderBits(capacity, errorRate)),
  sizeOf: ({ buckets, remainderBits }) => sizeOf(requireBuckets(buckets), requireRemainderBits(remainderBits)),
  errorRateAt: (count, { cellCount }, cellBits) =>
    expectedDLeftErrorRate(count, bucketsOf(cellCount), cellBits - COUNT_BITS),
  cellsOf: (saved: Saved) => new CountedCells(saved),
  functions: {
    add: (kernel) => kernel.dleft_add,
    addAbsent: (kernel) => kernel.dleft_add_absent,
    has: (kernel) => kernel.dleft_has,
    remove: (kernel) => kernel.dleft_remove,
    removeKey: (kernel) => kernel.dleft_remove_key,
    count: (kernel) => kernel.dleft_count,
    countKey: (kernel) => kernel.dleft_count_key,
    merge: (kernel) => kernel.dleft_merge,
    stored: (kernel) => kernel.dleft_stored,
  },
  mostCopies: KEY_CELLS * MOST_IN_CELL,
  capacityOf,
};

/**
 * Four tables of buckets of eight cells. A cell is empty, or holds a remainder of a key's hash and a count from 1 to 3,
 * which the linked module computes.
 */
export class CountedCells extends BoundedCells<DleftExports> {
  constructor(saved: Saved) {
    super(saved, bucketsOf(saved.parameters.cellCount));
  }

  get kind(): BoundedKind<DleftExports> {
    return DLEFT;
  }

  addKey(key: Key): boolean {
    const { region, seed, buckets, cellBits } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.addHashed(key);
    const { kernel, scratch } = instance;
    const answer = kernel.dleft_add_key(region.pointer, buckets, cellBits, text, scratch.keys, length, seed);
    if (answer === REFUSED) throw this.fullFor(key);
    this.change++;
    return answer === 1;
  }

  hasKey(key: Key): boolean {
    const { region, seed, buckets, cellBits } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.has(1) === 1;
    const { kernel, scratch } = instance;
    return kernel.dleft_has_key(region.pointer, buckets, cellBits, text, scratch.keys, length, seed) === 1;
  }

  /** The number of cells in use. Reads them all. */
  override used(): number {
    const { region, buckets, cellBits } = this;
    return region.instance.kernel.dleft_used(region.pointer, buckets, cellBits);
  }
}
