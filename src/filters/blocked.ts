import type { Saved } from '../format/header.ts';
import { textOf, writeKey } from '../keys/encode.ts';
import type { Key } from '../keys/key.ts';
import { BLOCK_BITS, expectedBlockedErrorRate, optimalBlocks, WORDS } from '../sizing-blocked.ts';
import { MAX_BLOCKS } from '../sizing-blocks.ts';
import { requireInteger } from '../validate.ts';
import { CellFilter, type CellKind } from './cell-filter.ts';
import { GrowingCells } from './cells.ts';
import { CELLS, KIND } from './kind.ts';
import type { PromiseOptions, Without } from './options.ts';

/** What a filter is made for, and with what: from a promise, or from the bits themselves. */
export type BlockedBloomFilterOptions =
  | (PromiseOptions & Without<'bits'>)
  | ({
      /** The number of bits, 1 … 2^40 − 256; rounded up to whole blocks of 256. */
      bits: number;
      /** The seed of the hash, 0 … 2^32 − 1; 0 unless given. */
      seed?: number | undefined;
    } & Without<'capacity' | 'errorRate'>);

const BLOCKED: CellKind = {
  id: 2,
  name: 'blocked',
  className: 'BlockedBloomFilter',
  cellName: 'bits',
  cellBits: [1, 1],
  allows: ({ cellCount, hashes }) =>
    hashes === WORDS && cellCount % BLOCK_BITS === 0 && cellCount <= MAX_BLOCKS * BLOCK_BITS,
  sizes: ['bits'],
  sizeFor: (capacity, errorRate) => ({ cellCount: optimalBlocks(capacity, errorRate) * BLOCK_BITS, hashes: WORDS }),
  sizeOf({ bits }) {
    const blocks = Math.ceil(requireInteger('bits', bits, 1, MAX_BLOCKS * BLOCK_BITS) / BLOCK_BITS);
    return { cellCount: blocks * BLOCK_BITS, hashes: WORDS };
  },
  errorRateAt: (count, { cellCount }) => expectedBlockedErrorRate(count, cellCount),
  cellsOf: (saved) => new Blocks(saved),
  union: (kernel) => kernel.bits_or,
  intersection: (kernel) => kernel.bits_and,
};

/** Blocks of 256 bits. Every key sets eight bits of one block. The kernel knows which. */
class Blocks extends GrowingCells {
  readonly blocks: number;

  constructor(saved: Saved) {
    super(saved);
    this.blocks = saved.parameters.cellCount / BLOCK_BITS;
  }

  get kind(): CellKind {
    return BLOCKED;
  }

  add(count: number): number {
    const { region, blocks } = this;
    const { kernel, scratch } = region.instance;
    return kernel.blocked_add(region.pointer, blocks, scratch.hashes, count, scratch.flags);
  }

  addFlags(count: number): number {
    return this.add(count);
  }

  has(count: number): number {
    const { region, blocks } = this;
    const { kernel, scratch } = region.instance;
    return kernel.blocked_has(region.pointer, blocks, scratch.hashes, count, scratch.flags);
  }

  addKey(key: Key): boolean {
    const { region, seed } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.add(1) === 1;
    const { kernel, scratch } = instance;
    return kernel.blocked_add_key(region.pointer, this.blocks, text, scratch.keys, length, seed) === 1;
  }

  hasKey(key: Key): boolean {
    const { region, seed } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.has(1) === 1;
    const { kernel, scratch } = instance;
    return kernel.blocked_has_key(region.pointer, this.blocks, text, scratch.keys, length, seed) === 1;
  }
}

/**
 * A Bloom filter in which all bits of a key lie in one cache line: the fastest kind, for some more bits a key (10 % at
 * an error rate of 1 %, 37 % at 0.01 %), and for error rates of 10^-5 and above.
 *
 * A key's hash chooses one block of 32 bytes, and sets one bit in each of its eight words of 32 bits: the split-block
 * filter that Parquet files have.
 */
export class BlockedBloomFilter extends CellFilter<BlockedBloomFilterOptions> {
  /** @internal */
  static override readonly [KIND]: CellKind = BLOCKED;
  /** @internal */
  declare readonly [CELLS]: Blocks;

  get kind(): 'blocked' {
    return 'blocked';
  }

  /** The number of bits: whole blocks of 256. */
  get bits(): number {
    return this.cellCount;
  }

  add(key: Key): boolean {
    return this[CELLS].addKey(key);
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }

  /** Estimates the mean over the blocks: fuller blocks count for more than the mean fill tells. */
  override estimateErrorRate(): number {
    const { region, blocks } = this[CELLS];
    return region.instance.kernel.blocked_error_rate(region.pointer, blocks);
  }
}
