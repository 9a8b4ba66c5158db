import { changeAll } from '../../filters/batch.ts';
import { CombinableFilter } from '../../filters/combinable-filter.ts';
import type { CountingFilter } from '../../filters/filter.ts';
import type { PromiseOptions, Without } from '../../filters/filter-options.ts';
import { CELLS, type CombinableKind, GrowingCells, KIND } from '../../filters/kind.ts';
import { wrap } from '../../filters/stored-filter.ts';
import type { Region } from '../../kernel/region.ts';
import { CHUNK_BYTES } from '../../kernel/scratch.ts';
import type { ManyKeys } from '../../keys/collections.ts';
import { textOf, writeKey } from '../../keys/encode.ts';
import type { Key } from '../../keys/key.ts';
import { requireInteger } from '../../util/checks/validate.ts';
import type { BloomFilter } from '../classic/filter.ts';
import { expectedErrorRate, LEAST_ERROR_RATE, MAX_HASHES, sizeFor } from '../classic/sizing.ts';

/** The options of a `CountingBloomFilter`: a capacity and an error rate, or the numbers of counters and hashes. */
export type CountingBloomFilterOptions =
  | (PromiseOptions & Without<'counters' | 'hashes'>)
  | ({
      /** The number of counters m, 1 … 2^53 − 1. */
      counters: number;
      /** The number of counters k that each key increments, 1 … 255. */
      hashes: number;
      /** The seed of the hash, 0 … 2^32 − 1; default 0. */
      seed?: number | undefined;
    } & Without<'capacity' | 'errorRate'>);

const COUNTING: CombinableKind = {
  id: 3,
  name: 'counting',
  className: 'CountingBloomFilter',
  traits: {
    removes: true,
    canBeFull: false,
    grows: false,
    forgets: false,
    forgetsAny: false,
    leastErrorRate: () => LEAST_ERROR_RATE,
  },
  cellName: 'counters',
  cellBits: [4, 4],
  sizes: ['counters', 'hashes'],
  sizeFor,
  sizeOf: ({ counters, hashes }) => ({
    cellCount: requireInteger('counters', counters, 1, Number.MAX_SAFE_INTEGER),
    hashes: requireInteger('hashes', hashes, 1, MAX_HASHES),
  }),
  errorRateAt: (count, { cellCount, hashes }) => expectedErrorRate(count, cellCount, hashes),
  cellsOf: (saved) => new Counters(saved),
  union: (kernel) => kernel.counting_sum,
  intersection: (kernel) => kernel.counting_least,
};

/** m counters of 4 bits. Each key increments k of them, which the kernel computes from its hash. */
class Counters extends GrowingCells {
  get kind(): CombinableKind {
    return COUNTING;
  }

  add(count: number): number {
    const { region, parameters } = this;
    const { kernel, scratch } = region.instance;
    const { cellCount, hashes } = parameters;
    return kernel.counting_add(region.pointer, cellCount, hashes, scratch.hashes, count, scratch.flags);
  }

  addFlags(count: number): number {
    return this.add(count);
  }

  has(count: number): number {
    const { region, parameters } = this;
    const { kernel, scratch } = region.instance;
    const { cellCount, hashes } = parameters;
    return kernel.counting_has(region.pointer, cellCount, hashes, scratch.hashes, count, scratch.flags);
  }

  /**
   * Of the first `count` hashes in the scratch, removes those that look present, flags them with 1, and returns their
   * number.
   */
  remove(count: number): number {
    const { region, parameters } = this;
    const { kernel, scratch } = region.instance;
    const { cellCount, hashes } = parameters;
    return kernel.counting_remove(region.pointer, cellCount, hashes, scratch.hashes, count, scratch.flags);
  }

  addKey(key: Key): boolean {
    const { region, seed, parameters } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.add(1) === 1;
    const { kernel, scratch } = instance;
    const { cellCount, hashes } = parameters;
    return kernel.counting_add_key(region.pointer, cellCount, hashes, text, scratch.keys, length, seed) === 1;
  }

  hasKey(key: Key): boolean {
    return this.countOf(key) > 0;
  }

  removeKey(key: Key): boolean {
    const { region, seed, parameters } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.remove(1) === 1;
    const { kernel, scratch } = instance;
    const { cellCount, hashes } = parameters;
    return kernel.counting_remove_key(region.pointer, cellCount, hashes, text, scratch.keys, length, seed) === 1;
  }

  countOf(key: Key): number {
    const { region, seed, parameters } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    const { kernel, scratch } = instance;
    const { cellCount, hashes } = parameters;
    if (length < 0) return kernel.counting_count(region.pointer, cellCount, hashes, scratch.hashes);
    return kernel.counting_count_key(region.pointer, cellCount, hashes, text, scratch.keys, length, seed);
  }

  override used(pointer = this.region.pointer, length = this.region.paddedLength): number {
    return this.region.instance.kernel.counting_used(pointer, length);
  }
}

/** Sets a bit for each counter that is not 0, in chunks that fit the scratch. */
function writeBits(counters: Region, bits: Region): void {
  const { kernel, scratch } = counters.instance;
  const target = bits.bytes;
  for (let at = 0; at < counters.paddedLength; at += 4 * CHUNK_BYTES) {
    const length = Math.min(4 * CHUNK_BYTES, counters.paddedLength - at);
    kernel.counting_bits(counters.pointer + at, length, scratch.keys);
    target.set(scratch.keyBytes.subarray(0, length / 4), at / 4);
  }
}

/**
 * A Bloom filter from which keys can be removed. It takes four times the memory of a `BloomFilter`. `capacity` is the
 * number of distinct keys at one time up to which it keeps `errorRate`.
 *
 * **Remove only what was added.** Removing a key that was never added, but looks present, takes counts away from other
 * keys, which may then look absent.
 *
 * The filter has a counter from 0 to 15 where a `BloomFilter` has a bit. Each key increments k counters, and may be
 * present if none of them is 0. A counter that reaches 15 stays at 15, so that no key is lost; keys that share it may
 * still look present after they are removed. If `countOf` returns 15, the key may have been added more often.
 */
export class CountingBloomFilter extends CombinableFilter<CountingBloomFilterOptions> implements CountingFilter {
  /** The `BloomFilter` class of the same engine, which `toBloomFilter` makes. */
  declare static readonly classic: typeof BloomFilter;
  /** @internal */
  static override readonly [KIND]: CombinableKind = COUNTING;
  /** @internal */
  declare readonly [CELLS]: Counters;

  get kind(): 'counting' {
    return 'counting';
  }

  /** The number of counters m. */
  get counters(): number {
    return this.cellCount;
  }

  add(key: Key): boolean {
    return this[CELLS].addKey(key);
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }

  remove(key: Key): boolean {
    return this[CELLS].removeKey(key);
  }

  removeMany<K>(keys: ManyKeys<K>, out?: Uint8Array): this {
    const cells = this[CELLS];
    changeAll(cells, keys, cells.remove, out, 'removeKey');
    return this;
  }

  countOf(key: Key): number {
    return this[CELLS].countOf(key);
  }

  /** Makes a `BloomFilter` that holds the same keys, in a quarter of the memory. Keys cannot be removed from it. */
  toBloomFilter(): BloomFilter {
    const { parameters, region, own } = this[CELLS];
    const { classic } = this.constructor as typeof CountingBloomFilter;
    const bits = classic.engine.reserve(Math.ceil(parameters.cellCount / 8));
    writeBits(region, bits);
    return wrap(classic, { parameters, cellBits: 1, own, segments: [bits] });
  }
}
