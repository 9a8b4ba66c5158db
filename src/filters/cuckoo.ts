import type { CuckooExports } from '../kernel/generated/cuckoo/exports.ts';
import type { Engine } from '../kernel/region.ts';
import type { Key } from '../keys/key.ts';
import type { Keys, ManyKeys, Picked } from '../keys/many.ts';
import { expectedCuckooErrorRate } from '../sizing-cuckoo.ts';
import { type Like, requireAlike } from './alike.ts';
import { changeAll, select } from './batch.ts';
import { GrowingFilter } from './growing-filter.ts';
import { CELLS, KIND, type Kind } from './kind.ts';
import type { PromiseOptions, Without } from './options.ts';
import { CUCKOO, type Slots } from './slots.ts';

/**
 * The options of a `CuckooFilter`: a capacity and an error rate, or the numbers of buckets and bits of a fingerprint.
 */
export type CuckooFilterOptions =
  | (PromiseOptions & Without<'buckets' | 'fingerprintBits'>)
  | ({
      /** The number of buckets, of four slots each: an even number from 2 to 2^30. */
      buckets: number;
      /** The number of bits of a fingerprint, 7 … 32. */
      fingerprintBits: number;
      /** The seed of the hash, 0 … 2^32 − 1; default 0. */
      seed?: number | undefined;
    } & Without<'capacity' | 'errorRate'>);

/**
 * The cuckoo filter on any engine; `bloomery/cuckoo` says what users must know. It stores a fingerprint of each key in
 * one of two buckets of four slots each. All copies of a key are in these eight slots.
 */
export class CuckooFilter extends GrowingFilter<CuckooFilterOptions> {
  /** The engine of all filters of this class: the kernel, with this kind's module linked to it. */
  declare static readonly engine: Engine<CuckooExports>;
  /** @internal */
  static override readonly [KIND]: Kind<Slots> = CUCKOO;
  /** @internal */
  declare readonly [CELLS]: Slots;

  get kind(): 'cuckoo' {
    return 'cuckoo';
  }

  /** The number of distinct keys that the filter is made for. Most filters take a few more, and then refuse keys. */
  override get capacity(): number {
    return this[CELLS].capacity;
  }

  /** The number of buckets, of four slots each. */
  get buckets(): number {
    return this[CELLS].buckets;
  }

  /** The number of bits of a fingerprint. */
  get fingerprintBits(): number {
    return this.cellBits;
  }

  /**
   * The number of keys that the filter holds, each as often as it was added and not removed. It is exact. The first
   * time, this reads the whole filter.
   */
  get count(): number {
    return this[CELLS].used();
  }

  /**
   * Adds a key: stores it once more if it was added before.
   *
   * @returns true if the key was certainly absent before
   * @throws TypeError | RangeError if `key` is not a key
   * @throws RangeError if there is no room, because the filter is full or the key is stored eight times already; then
   *   nothing has changed
   */
  add(key: Key): boolean {
    return this[CELLS].addKey(key);
  }

  /**
   * Adds many keys: stores those that were added before once more.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes
   * @param out receives a flag for each key, in order: 1 where `add` would return true
   * @throws TypeError | RangeError if one of `keys` is not a key; the keys before it have been added
   * @throws RangeError if there is no room for one of `keys`, whose position the error states; the keys before it have
   *   been added, and no others
   * @throws TypeError | RangeError, before adding anything, if `out` is too short, or if `out` is given and the number
   *   of keys is unknown
   */
  override addMany<K extends Keys>(keys: ManyKeys<K>, out?: Uint8Array): this {
    return super.addMany(keys, out);
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }

  /**
   * Adds only those keys that were certainly absent before, each once, and returns them in the shape of `keys`, as
   * `pick` does. These are the first occurrence of each key, except for the few new keys that look present, which are
   * not stored. So a key that `dedupe` did not return must not be removed.
   *
   * @throws TypeError | RangeError if one of `keys` is not a key; the keys before it have been added
   * @throws RangeError if there is no room for one of `keys`, whose position the error states; the keys before it have
   *   been added
   */
  override dedupe<K extends Keys>(keys: ManyKeys<K>): Picked<K> {
    return select(this[CELLS], 'addAbsent', keys, 1);
  }

  /**
   * Removes a key, once. Removing a key that looks absent changes nothing.
   *
   * Removing a key that was never added, but looks present, makes another key look absent.
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
   * An upper bound on how often a key was added and not removed. The count may be too high because other keys have the
   * same fingerprint in the same buckets.
   *
   * @returns 0 … 8: 0 means that the key is certainly absent
   * @throws TypeError | RangeError if `key` is not a key
   */
  countOf(key: Key): number {
    return this[CELLS].countOf(key);
  }

  /**
   * Makes a new filter that holds the keys of both: one that is in both, as often as in one and the other together. It
   * has this filter's capacity and error rate.
   *
   * @throws TypeError | RangeError unless `other` is of the same kind, size and seed
   * @throws RangeError if there is no room for the keys of both
   */
  union(other: Like<CuckooFilter>): this {
    const others = requireAlike(this[CELLS], other);
    const both = this.clone();
    try {
      both[CELLS].merge(others);
    } catch (error) {
      both.dispose();
      throw error;
    }
    return both;
  }

  /**
   * Adds all keys of another filter to this one: `union` in place. Takes the memory of another filter while it runs.
   *
   * @throws TypeError | RangeError unless `other` is of the same kind, size and seed
   * @throws RangeError if there is no room for the keys of both; then nothing has changed
   */
  merge(other: Like<CuckooFilter>): this {
    const both = this.union(other);
    this[CELLS].replaceWith(both[CELLS]);
    both.dispose();
    return this;
  }

  /** The number of keys that the filter holds: `count`, which is exact. */
  override estimateCount(): number {
    return this.count;
  }

  /** The share of absent keys that look present now, 0 … 1, for as many keys as the filter holds. */
  override estimateErrorRate(): number {
    return expectedCuckooErrorRate(this.count, this.buckets, this.fingerprintBits);
  }

  override clear(): void {
    this[CELLS].clear();
  }
}
