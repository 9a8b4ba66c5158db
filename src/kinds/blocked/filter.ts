import { CombinableFilter } from '../../filters/combinable-filter.ts';
import type { PromiseOptions, Without } from '../../filters/filter-options.ts';
import { CELLS, type CombinableKind, GrowingCells, KIND } from '../../filters/kind.ts';
import type { Saved } from '../../format/header.ts';
import { textOf, writeKey } from '../../keys/encode.ts';
import type { Key } from '../../keys/key.ts';
import { requireInteger } from '../../util/checks/validate.ts';
import { BLOCK_BITS, expectedBlockedErrorRate, MAX_BLOCKS, MIN_ERROR_RATE, optimalBlocks, WORDS } from './sizing.ts';

/** The options of a `BlockedBloomFilter`: a capacity and an error rate, or the number of bits. */
export type BlockedBloomFilterOptions =
  | (PromiseOptions & Without<'bits'>)
  | ({
      /** The number of bits, 1 … 2^40 − 256; rounded up to a multiple of 256. */
      bits: number;
      /** The seed of the hash, 0 … 2^32 − 1; default 0. */
      seed?: number | undefined;
    } & Without<'capacity' | 'errorRate'>);

const BLOCKED: CombinableKind = {
  id: 2,
  name: 'blocked',
  className: 'BlockedBloomFilter',
  traits: {
    removes: false,
    canBeFull: false,
    grows: false,
    forgets: false,
    forgetsAny: false,
    leastErrorRate: () => MIN_ERROR_RATE,
  },
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
  wordCells: 32,
};

/** Blocks of 256 bits. Each key sets eight bits of one block, which the kernel computes from its hash. */
class Blocks extends GrowingCells {
  readonly blocks: number;

  constructor(saved: Saved) {
    super(saved);
    this.blocks = saved.parameters.cellCount / BLOCK_BITS;
  }

  get kind(): CombinableKind {
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
 * A Bloom filter that keeps all bits of a key in one cache line. It is the fastest kind, but takes more bits per key
 * than a `BloomFilter` (10 % more at an error rate of 1 %, 37 % at 0.01 %) and keeps only error rates of 10^-5 and
 * above. For lower error rates, use `WideBlockedBloomFilter` of `bloomery/wide`, which is the smaller of the two at
 * error rates of 0.07 % and below. `capacity` is the number of distinct keys up to which it keeps `errorRate`.
 *
 * A key's hash chooses one block of 32 bytes, and the key sets one bit in each of the block's eight 32-bit words, as in
 * the split-block filter of Parquet files.
 */
export class BlockedBloomFilter extends CombinableFilter<BlockedBloomFilterOptions> {
  /** @internal */
  static override readonly [KIND]: CombinableKind = BLOCKED;
  /** @internal */
  declare readonly [CELLS]: Blocks;

  get kind(): 'blocked' {
    return 'blocked';
  }

  /** The number of bits, a multiple of 256. */
  get bits(): number {
    return this.cellCount;
  }

  add(key: Key): boolean {
    return this[CELLS].addKey(key);
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }

  /**
   * Estimates the share of absent keys that look present now, 0 … 1. Reads the whole filter: the rate is the mean over
   * all blocks, because fuller blocks give more false positives than the fill ratio of the filter suggests.
   */
  override estimateErrorRate(): number {
    const { region, blocks } = this[CELLS];
    return region.instance.kernel.blocked_error_rate(region.pointer, blocks);
  }
}
