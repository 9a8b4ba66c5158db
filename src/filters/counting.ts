import type { Region } from '../kernel/region.ts';
import { CHUNK_BYTES } from '../kernel/scratch.ts';
import type { Key } from '../keys/key.ts';
import type { Keys, ManyKeys } from '../keys/many.ts';
import { changeAll } from './batch.ts';
import type { BloomFilter } from './bloom.ts';
import { CellFilter, type CellKind } from './cell-filter.ts';
import { COUNTING, type Counters } from './counters.ts';
import { CELLS, KIND } from './kind.ts';
import type { PromiseOptions, Without } from './options.ts';
import { wrap } from './stored-filter.ts';

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

/** Sets the bit of each counter that is not 0, in chunks that fit the scratch. */
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
 * present after they are removed.
 */
export class CountingBloomFilter extends CellFilter<CountingBloomFilterOptions> {
  /** The `BloomFilter` class of the same engine, which `toBloomFilter` makes. */
  declare static readonly classic: typeof BloomFilter;
  /** @internal */
  static override readonly [KIND]: CellKind = COUNTING;
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

  /**
   * Removes a key, once. Removing a key that looks absent changes nothing.
   *
   * Removing a key that was never added, but looks present, may make other keys look absent.
   *
   * @returns true if the key looked present before
   * @throws TypeError | RangeError if `key` is not a key
   */
  remove(key: Key): boolean {
    return this[CELLS].removeKey(key);
  }

  /**
   * Removes many keys, each once.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes
   * @param out receives a flag for each key, in order: 1 where `remove` would return true
   * @throws TypeError | RangeError if one of `keys` is not a key; the keys before it have been removed
   * @throws TypeError | RangeError, before removing anything, if `out` is too short, or if `out` is given and the
   *   number of keys is unknown
   */
  removeMany<K extends Keys>(keys: ManyKeys<K>, out?: Uint8Array): this {
    changeAll(this[CELLS], 'remove', 'remove', keys, out);
    return this;
  }

  /**
   * An upper bound on how often a key was added and not removed. The count may be too high because other keys share
   * the key's counters, or because two of the key's own counters are the same.
   *
   * @returns 0 … 15: 15 means 15 or more, 0 means that the key is certainly absent
   * @throws TypeError | RangeError if `key` is not a key
   */
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
