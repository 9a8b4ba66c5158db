import { BoundedFilter } from '../../filters/bounded-filter.ts';
import { BoundedCells, type BoundedKind, REFUSED } from '../../filters/bounded-kind.ts';
import type { PromiseOptions, Without } from '../../filters/filter-options.ts';
import { CELLS, KIND } from '../../filters/kind.ts';
import { requireSaved, type Saved } from '../../format/header.ts';
import type { DleftExports } from '../../kernel/generated/dleft/exports.ts';
import type { RegionWith } from '../../kernel/region.ts';
import { textOf, writeKey } from '../../keys/encode.ts';
import type { Key } from '../../keys/key.ts';
import {
  capacityOf,
  expectedDLeftErrorRate,
  KEY_CELLS,
  leastDLeftErrorRate,
  MAX_BUCKETS,
  optimalDLeftBuckets,
  optimalDLeftRemainderBits,
  REMAINDER_BITS,
  requireBuckets,
  requireRemainderBits,
  TABLES,
} from './sizing.ts';

/**
 * The options of a `DLeftCountingBloomFilter`: a capacity and an error rate, or the numbers of buckets and bits of a
 * remainder.
 */
export type DLeftCountingBloomFilterOptions =
  | (PromiseOptions & Without<'buckets' | 'remainderBits'>)
  | ({
      /** The number of buckets in each of the four tables, of eight cells each: 1 … 2^27. */
      buckets: number;
      /** The number of bits of a remainder, 4 … 30. A cell has two more, for its count. */
      remainderBits: number;
      /** The seed of the hash, 0 … 2^32 − 1; default 0. */
      seed?: number | undefined;
    } & Without<'capacity' | 'errorRate'>);

/** The bits of a cell that hold its count. */
const COUNT_BITS = 2;
/** The greatest count of a cell. */
const MOST_IN_CELL = 3;

const bucketsOf = (cellCount: number): number => cellCount / KEY_CELLS;

const sizeOf = (buckets: number, remainderBits: number) => ({
  cellCount: KEY_CELLS * buckets,
  hashes: TABLES,
  cellBits: remainderBits + COUNT_BITS,
});

const DLEFT: BoundedKind<DleftExports> = {
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
  sizeFor: (capacity, errorRate) =>
    sizeOf(optimalDLeftBuckets(capacity), optimalDLeftRemainderBits(capacity, errorRate)),
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
class CountedCells extends BoundedCells<DleftExports> {
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

/**
 * Counts up to 96 copies of a key. Use it only where keys have many copies: a `CuckooFilter`, which stores up to eight,
 * is smaller and touches two cache lines for a key instead of four.
 *
 * **Remove only what was added.** Removing a key that was never added, but looks present, removes a copy of another
 * key, which may then look absent.
 *
 * **Counts are exact**, except for the few keys that have the same remainder in the same buckets: `countOf` adds their
 * copies up. A key takes a cell for every three copies, and no count stays at a limit, as it does in a
 * `CountingBloomFilter`. `dedupe` stores only keys that look absent, and returns them.
 *
 * **It can be full.** When there is no room for a key, adding it throws a FilterFullError and changes nothing, so no
 * key is ever lost. Removing keys makes room. A filter is made for `capacity` distinct keys of up to three copies each.
 * It takes a sixth more before it is full, and then errs a sixth more often. The copies of a key share 32 cells with
 * other keys: an almost empty filter has room for all 96 copies, and one that holds `capacity` keys for some 27.
 *
 * ```ts
 * const carts = new DLeftCountingBloomFilter({ capacity: 1_000_000, errorRate: 0.001 });
 * carts.addMany(['tea', 'tea', 'tea', 'jam']);
 * carts.remove('tea');
 * carts.countOf('tea'); // 2
 * ```
 */
export class DLeftCountingBloomFilter extends BoundedFilter<DLeftCountingBloomFilterOptions> {
  /** @internal */
  static override readonly [KIND]: BoundedKind<DleftExports> = DLEFT;
  /** @internal */
  declare readonly [CELLS]: CountedCells;

  get kind(): 'dleft' {
    return 'dleft';
  }

  /** The number of buckets in each of the four tables, of eight cells each. */
  get buckets(): number {
    return this[CELLS].buckets;
  }

  /** The number of bits of a remainder. */
  get remainderBits(): number {
    return this.cellBits - COUNT_BITS;
  }

  add(key: Key): boolean {
    return this[CELLS].addKey(key);
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }

  /**
   * Estimates the share of absent keys that look present now, 0 … 1. It is exact while each key takes one cell, and a
   * little too high once keys with more than three copies, or keys that look the same, take several. Reads the whole
   * filter.
   */
  override estimateErrorRate(): number {
    // Each cell is one of buckets · 2^remainderBits combinations of a bucket and a remainder, all equally likely.
    return Math.min(1, this[CELLS].used() / (this.buckets * 2 ** this.remainderBits));
  }
}
