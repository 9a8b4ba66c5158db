import { changeAll } from '../filters/batch.ts';
import { CombinableFilter } from '../filters/combinable-filter.ts';
import type { RemovingFilter } from '../filters/filter.ts';
import type { PromiseOptions, Without } from '../filters/filter-options.ts';
import type { CombinableKind } from '../filters/kind.ts';
import { CELLS, KIND } from '../filters/kind.ts';
import { wrap } from '../filters/stored-filter.ts';
import type { Region } from '../kernel/region.ts';
import { CHUNK_BYTES } from '../kernel/scratch.ts';
import type { Keys, ManyKeys } from '../keys/collections.ts';
import type { Key } from '../keys/key.ts';
import type { BloomFilter } from './classic.ts';
import { COUNTING, type Counters } from './counting-cells.ts';

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
 * A Bloom filter from which keys can be removed, for four times the memory.
 *
 * **Remove only what was added.** Removing a key that was never added, but looks present, takes counts away from other
 * keys, which may then look absent.
 *
 * It has a counter from 0 to 15 where a `BloomFilter` has a bit. Each key increments k counters, and may be present if
 * none of them is 0. A counter that reaches 15 stays at 15, so that no key is lost; keys that share it may still look
 * present after they are removed. If `countOf` returns 15, the key may have been added more often.
 */
export class CountingBloomFilter extends CombinableFilter<CountingBloomFilterOptions> implements RemovingFilter {
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
    return this[CELLS].countOf(key) > 0;
  }

  remove(key: Key): boolean {
    return this[CELLS].removeKey(key);
  }

  removeMany<K extends Keys>(keys: ManyKeys<K>, out?: Uint8Array): this {
    const cells = this[CELLS];
    changeAll(cells, keys, cells.remove, out);
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
