import { GrowingCells, type Kind } from '../../filters/kind.ts';
import { type Head, requireSaved, requireZeros, type Saved } from '../../format/header.ts';
import type { StableExports } from '../../kernel/generated/stable/exports.ts';
import type { RegionWith } from '../../kernel/region.ts';
import { textOf, writeKey } from '../../keys/encode.ts';
import type { Key } from '../../keys/key.ts';
import { LEAST_ERROR_RATE } from '../classic/sizing.ts';
import {
  DEFAULT_CELL_BITS,
  expectedStableErrorRate,
  isCellBits,
  optimalStableSize,
  requireCellBits,
  requireCells,
  requireDecrements,
  requireHashes,
  type StableSize,
} from './sizing.ts';

/**
 * The kind's own parameters, and its state. Always a literal in this order, so that all share a hidden class: it is
 * read for each key.
 */
interface Own {
  readonly decrements: number;
  /** The low half of the state of the generator that says which cells are decremented. */
  low: number;
  /** Its high half. */
  high: number;
}

/** The parameters of a new filter. Its state begins with the seed. */
type New = Pick<Own, 'decrements'> & Partial<Own>;

/** The bytes of the kind's own parameters in a file. */
const OWN_BYTES = 16;

const sizeOf = ({ cells, cellBits, hashes, decrements }: StableSize) => ({
  cellCount: cells,
  hashes,
  cellBits,
  own: { decrements },
});

function isValid({ parameters, cellBits }: Head, { decrements }: Own): boolean {
  return isCellBits(cellBits) && decrements >= 1 && decrements <= parameters.cellCount;
}

export const STABLE: Kind<StableCells> = {
  id: 6,
  name: 'stable',
  className: 'StableBloomFilter',
  traits: {
    removes: false,
    canBeFull: false,
    grows: false,
    forgets: true,
    forgetsAny: true,
    leastErrorRate: () => LEAST_ERROR_RATE,
  },
  cellName: 'cells',
  cellBits: [1, 8],
  own: {
    maxSegments: 1,
    byteLength: () => OWN_BYTES,
    write(view, { decrements, low, high }: Own) {
      view.setBigUint64(0, BigInt(decrements), true);
      view.setUint32(8, low, true);
      view.setUint32(12, high, true);
    },
    read(view, head) {
      requireZeros(view, OWN_BYTES);
      const own: Own = {
        decrements: Number(view.getBigUint64(0, true)),
        low: view.getUint32(8, true),
        high: view.getUint32(12, true),
      };
      requireSaved(isValid(head, own), `it has cells of ${head.cellBits} bits and ${own.decrements} decrements`);
      return own;
    },
  },
  sizes: ['cells', 'hashes', 'decrements'],
  options: ['cellBits'],
  shown: ['cells', 'cellBits', 'hashes', 'decrements'],
  sizeFor: (capacity, errorRate, { cellBits }) =>
    sizeOf(optimalStableSize(capacity, errorRate, cellBits as number | undefined)),
  sizeOf({ cells: given, cellBits = DEFAULT_CELL_BITS, hashes, decrements }) {
    const cells = requireCells(given);
    return sizeOf({
      cells,
      cellBits: requireCellBits(cellBits),
      hashes: requireHashes(hashes),
      decrements: requireDecrements(decrements, cells),
    });
  },
  errorRateAt: (_count, { cellCount, hashes }, cellBits, own) =>
    expectedStableErrorRate(cellCount, cellBits, hashes, (own as Own).decrements),
  cellsOf: (saved: Saved<New>) => new StableCells(saved),
};

/**
 * Cells of 1, 2, 4 or 8 bits. A key takes 1 from a run of cells, and sets some others to the maximum. The linked module
 * computes them from the state and from the key's hash.
 */
export class StableCells extends GrowingCells {
  declare readonly region: RegionWith<StableExports>;
  declare readonly own: Own;
  /** The logarithm of the number of bits per cell. */
  readonly width: number;

  constructor(saved: Saved<New>) {
    const { decrements, low = saved.parameters.seed, high = 0 } = saved.own;
    super({ ...saved, own: { decrements, low, high } });
    this.width = Math.log2(saved.cellBits);
  }

  get kind(): Kind<StableCells> {
    return STABLE;
  }

  /** Keeps the state after a call that added keys. */
  #keepState(): void {
    const { kernel } = this.region.instance;
    this.own.low = kernel.stable_state(0);
    this.own.high = kernel.stable_state(1);
  }

  add(count: number): number {
    const { region, parameters, width, own } = this;
    const { kernel, scratch } = region.instance;
    const { cellCount, hashes } = parameters;
    const { decrements, low, high } = own;
    const { hashes: from, flags } = scratch;
    const fresh = kernel.stable_add(
      region.pointer,
      cellCount,
      width,
      hashes,
      decrements,
      low,
      high,
      from,
      count,
      flags,
    );
    this.#keepState();
    return fresh;
  }

  addFlags(count: number): number {
    return this.add(count);
  }

  has(count: number): number {
    const { region, parameters, width } = this;
    const { kernel, scratch } = region.instance;
    const { cellCount, hashes } = parameters;
    return kernel.stable_has(region.pointer, cellCount, width, hashes, scratch.hashes, count, scratch.flags);
  }

  addKey(key: Key): boolean {
    const { region, seed, parameters, width, own } = this;
    const { instance, pointer } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.add(1) === 1;
    const { kernel, scratch } = instance;
    const { cellCount, hashes } = parameters;
    const { decrements, low, high } = own;
    const { keys } = scratch;
    const fresh = kernel.stable_add_key(
      pointer,
      cellCount,
      width,
      hashes,
      decrements,
      low,
      high,
      text,
      keys,
      length,
      seed,
    );
    this.#keepState();
    return fresh === 1;
  }

  hasKey(key: Key): boolean {
    const { region, seed, parameters, width } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.has(1) === 1;
    const { kernel, scratch } = instance;
    const { cellCount, hashes } = parameters;
    return kernel.stable_has_key(region.pointer, cellCount, width, hashes, text, scratch.keys, length, seed) === 1;
  }

  override used(pointer = this.region.pointer, length = this.region.paddedLength): number {
    return this.region.instance.kernel.stable_used(pointer, length, this.width);
  }

  /** Removes all keys, as if the filter were new. */
  clear(): void {
    this.region.clear();
    this.own.low = this.seed;
    this.own.high = 0;
  }
}
