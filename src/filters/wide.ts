import type { Saved } from '../format/header.ts';
import type { WideExports } from '../kernel/generated/wide/exports.ts';
import type { Engine } from '../kernel/region.ts';
import { textOf, writeKey } from '../keys/encode.ts';
import type { Key } from '../keys/key.ts';
import { MAX_BLOCKS } from '../sizing-blocks.ts';
import { BLOCK_BITS, expectedWideBlockedErrorRate, optimalWideBlocks, WORDS } from '../sizing-wide.ts';
import { requireInteger } from '../validate.ts';
import { CellFilter, type CellKind } from './cell-filter.ts';
import { GrowingCells } from './cells.ts';
import { CELLS, KIND } from './kind.ts';
import type { PromiseOptions, Without } from './options.ts';

/** The options of a `WideBlockedBloomFilter`: a capacity and an error rate, or the number of bits. */
export type WideBlockedBloomFilterOptions =
  | (PromiseOptions & Without<'bits'>)
  | ({
      /** The number of bits, 1 … 2^41 − 512; rounded up to a multiple of 512. */
      bits: number;
      /** The seed of the hash, 0 … 2^32 − 1; default 0. */
      seed?: number | undefined;
    } & Without<'capacity' | 'errorRate'>);

const WIDE: CellKind = {
  id: 12,
  name: 'wide',
  className: 'WideBlockedBloomFilter',
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
  cellsOf: (saved: Saved<WideExports>) => new WideBlocks(saved),
  union: (kernel) => kernel.bits_or,
  intersection: (kernel) => kernel.bits_and,
};

/** Blocks of 512 bits. Each key sets sixteen bits of one block; the linked module derives which. */
class WideBlocks extends GrowingCells<WideExports> {
  readonly blocks: number;

  constructor(saved: Saved<WideExports>) {
    super(saved);
    this.blocks = saved.parameters.cellCount / BLOCK_BITS;
  }

  get kind(): CellKind {
    return WIDE;
  }

  add(count: number): number {
    const { region, blocks } = this;
    const { kernel, scratch } = region.instance;
    return kernel.wide_add(region.pointer, blocks, scratch.hashes, count, scratch.flags);
  }

  addFlags(count: number): number {
    return this.add(count);
  }

  has(count: number): number {
    const { region, blocks } = this;
    const { kernel, scratch } = region.instance;
    return kernel.wide_has(region.pointer, blocks, scratch.hashes, count, scratch.flags);
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
 * The wide filter on any engine; `bloomery/wide` says what users must know. A key's hash chooses one block of 64 bytes,
 * and the key sets one bit in each of the block's sixteen 32-bit words.
 */
export class WideBlockedBloomFilter extends CellFilter<WideBlockedBloomFilterOptions> {
  /** The engine of all filters of this class: the kernel, with this kind's module linked to it. */
  declare static readonly engine: Engine<WideExports>;
  /** @internal */
  static override readonly [KIND]: CellKind = WIDE;
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
