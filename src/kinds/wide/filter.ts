import { CombinableFilter } from '../../filters/combinable-filter.ts';
import type { PromiseOptions, Without } from '../../filters/filter-options.ts';
import { CELLS, type CombinableKind, GrowingCells, KIND } from '../../filters/kind.ts';
import type { Saved } from '../../format/header.ts';
import type { WideExports } from '../../kernel/generated/wide/exports.ts';
import type { RegionWith } from '../../kernel/region.ts';
import { textOf, writeKey } from '../../keys/encode.ts';
import type { Key } from '../../keys/key.ts';
import { requireInteger } from '../../util/checks/validate.ts';
import { MAX_BLOCKS } from '../blocked/sizing.ts';
import { BLOCK_BITS, expectedWideBlockedErrorRate, MIN_ERROR_RATE, optimalWideBlocks, WORDS } from './sizing.ts';

/** The options of a `WideBlockedBloomFilter`: a capacity and an error rate, or the number of bits. */
export type WideBlockedBloomFilterOptions =
  | (PromiseOptions & Without<'bits'>)
  | ({
      /** The number of bits, 1 … 2^41 − 512; rounded up to a multiple of 512. */
      bits: number;
      /** The seed of the hash, 0 … 2^32 − 1; default 0. */
      seed?: number | undefined;
    } & Without<'capacity' | 'errorRate'>);

const WIDE: CombinableKind = {
  id: 12,
  name: 'wide',
  className: 'WideBlockedBloomFilter',
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
  sizeFor: (capacity, errorRate) => ({ cellCount: optimalWideBlocks(capacity, errorRate) * BLOCK_BITS, hashes: WORDS }),
  sizeOf({ bits }) {
    const blocks = Math.ceil(requireInteger('bits', bits, 1, MAX_BLOCKS * BLOCK_BITS) / BLOCK_BITS);
    return { cellCount: blocks * BLOCK_BITS, hashes: WORDS };
  },
  errorRateAt: (count, { cellCount }) => expectedWideBlockedErrorRate(count, cellCount),
  cellsOf: (saved: Saved) => new WideBlocks(saved),
  union: (kernel) => kernel.bits_or,
  intersection: (kernel) => kernel.bits_and,
  wordCells: 32,
};

/** Blocks of 512 bits. Each key sets sixteen bits of one block, which the linked module computes from its hash. */
class WideBlocks extends GrowingCells {
  declare readonly region: RegionWith<WideExports>;
  readonly blocks: number;

  constructor(saved: Saved) {
    super(saved);
    this.blocks = saved.parameters.cellCount / BLOCK_BITS;
  }

  get kind(): CombinableKind {
    return WIDE;
  }

  add(count: number): number {
    const { region, seed, blocks } = this;
    const { kernel, scratch } = region.instance;
    return kernel.wide_add(region.pointer, blocks, scratch.hashes, count, scratch.flags, seed);
  }

  addFlags(count: number): number {
    return this.add(count);
  }

  has(count: number): number {
    const { region, seed, blocks } = this;
    const { kernel, scratch } = region.instance;
    return kernel.wide_has(region.pointer, blocks, scratch.hashes, count, scratch.flags, seed);
  }

  addKey(key: Key): boolean {
    const { region, seed } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.add(1) === 1;
    const { kernel, scratch } = instance;
    return kernel.wide_add_key(region.pointer, this.blocks, text, scratch.keys, length, seed) === 1;
  }

  hasKey(key: Key): boolean {
    const { region, seed } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.has(1) === 1;
    const { kernel, scratch } = instance;
    return kernel.wide_has_key(region.pointer, this.blocks, text, scratch.keys, length, seed) === 1;
  }
}

/**
 * A Bloom filter for low error rates, down to 10^-8, that keeps all bits of a key in one cache line. `capacity` is the
 * number of distinct keys up to which it keeps `errorRate`.
 *
 * It sets sixteen bits per key where a `BlockedBloomFilter` sets eight, so it is the smaller of the two at error rates
 * of 0.07 % and below. It takes 20 % more bits than a `BloomFilter` at 0.1 %, and 36 % more at 10^-6. In return, each
 * key costs one cache line, where a `BloomFilter` reads up to 20.
 *
 * ```ts
 * const seen = new WideBlockedBloomFilter({ capacity: 10_000_000, errorRate: 1e-6 });
 * seen.dedupe(['a', 'b', 'a']); // ['a', 'b']: one new key in a million is lost
 * ```
 */
export class WideBlockedBloomFilter extends CombinableFilter<WideBlockedBloomFilterOptions> {
  /** @internal */
  static override readonly [KIND]: CombinableKind = WIDE;
  /** @internal */
  declare readonly [CELLS]: WideBlocks;

  get kind(): 'wide' {
    return 'wide';
  }

  /** The number of bits, a multiple of 512. */
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
    return region.instance.kernel.wide_error_rate(region.pointer, blocks);
  }
}
