import { CombinableFilter } from '../../filters/combinable-filter.ts';
import type { PromiseOptions, Without } from '../../filters/filter-options.ts';
import { CELLS, type CombinableKind, GrowingCells, KIND } from '../../filters/kind.ts';
import { textOf, writeKey } from '../../keys/encode.ts';
import type { Key } from '../../keys/key.ts';
import { requireInteger } from '../../util/checks/validate.ts';
import { expectedErrorRate, LEAST_ERROR_RATE, MAX_HASHES, sizeFor } from './sizing.ts';

/** The options of a `BloomFilter`: a capacity and an error rate, or the numbers of bits and hashes. */
export type BloomFilterOptions =
  | (PromiseOptions & Without<'bits' | 'hashes'>)
  | ({
      /** The number of bits m, 1 … 2^53 − 1. */
      bits: number;
      /** The number of bits k that each key sets, 1 … 255. */
      hashes: number;
      /** The seed of the hash, 0 … 2^32 − 1; default 0. */
      seed?: number | undefined;
    } & Without<'capacity' | 'errorRate'>);

const CLASSIC: CombinableKind = {
  id: 1,
  name: 'classic',
  className: 'BloomFilter',
  traits: {
    removes: false,
    canBeFull: false,
    grows: false,
    forgets: false,
    forgetsAny: false,
    leastErrorRate: () => LEAST_ERROR_RATE,
  },
  cellName: 'bits',
  cellBits: [1, 1],
  sizes: ['bits', 'hashes'],
  sizeFor,
  sizeOf: ({ bits, hashes }) => ({
    cellCount: requireInteger('bits', bits, 1, Number.MAX_SAFE_INTEGER),
    hashes: requireInteger('hashes', hashes, 1, MAX_HASHES),
  }),
  errorRateAt: (count, { cellCount, hashes }) => expectedErrorRate(count, cellCount, hashes),
  cellsOf: (saved) => new Bits(saved),
  union: (kernel) => kernel.bits_or,
  intersection: (kernel) => kernel.bits_and,
};

/** m bits. Each key sets k of them, which the kernel computes from its hash. */
export class Bits extends GrowingCells {
  get kind(): CombinableKind {
    return CLASSIC;
  }

  add(count: number): void {
    const { region, parameters } = this;
    const { kernel, scratch } = region.instance;
    kernel.bloom_add(region.pointer, parameters.cellCount, parameters.hashes, scratch.hashes, count);
  }

  addFlags(count: number): number {
    const { region, parameters } = this;
    const { kernel, scratch } = region.instance;
    const { cellCount, hashes } = parameters;
    return kernel.bloom_add_flags(region.pointer, cellCount, hashes, scratch.hashes, count, scratch.flags);
  }

  has(count: number): number {
    const { region, parameters } = this;
    const { kernel, scratch } = region.instance;
    const { cellCount, hashes } = parameters;
    return kernel.bloom_has(region.pointer, cellCount, hashes, scratch.hashes, count, scratch.flags);
  }

  addKey(key: Key): boolean {
    const { region, seed, parameters } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.addFlags(1) === 1;
    const { kernel, scratch } = instance;
    const { cellCount, hashes } = parameters;
    return kernel.bloom_add_key(region.pointer, cellCount, hashes, text, scratch.keys, length, seed) === 1;
  }

  hasKey(key: Key): boolean {
    const { region, seed, parameters } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.has(1) === 1;
    const { kernel, scratch } = instance;
    const { cellCount, hashes } = parameters;
    return kernel.bloom_has_key(region.pointer, cellCount, hashes, text, scratch.keys, length, seed) === 1;
  }
}

/**
 * A set of keys in a fixed number of bits. An absent key sometimes looks present; a key that was added always does.
 *
 * Each key sets k of m bits, and may be present if all its k bits are set. The more bits are set, the more likely it
 * is that an absent key looks present: with a probability of `errorRate` once the filter holds `capacity` keys. Keys
 * cannot be listed or removed.
 *
 * ```ts
 * const taken = new BloomFilter({ capacity: 1_000_000, errorRate: 0.001 });
 * taken.add('ada');
 * taken.has('ada'); // true: always, for a key that was added
 * taken.has('bob'); // false: certainly absent. For 1 absent key in 1000: true
 * ```
 */
export class BloomFilter extends CombinableFilter<BloomFilterOptions> {
  /** @internal */
  static override readonly [KIND]: CombinableKind = CLASSIC;
  /** @internal */
  declare readonly [CELLS]: Bits;

  get kind(): 'classic' {
    return 'classic';
  }

  /** The number of bits m. */
  get bits(): number {
    return this.cellCount;
  }

  add(key: Key): boolean {
    return this[CELLS].addKey(key);
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }
}
