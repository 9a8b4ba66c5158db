import type { ManyKeys, Picked } from '../keys/collections.ts';
import type { Key } from '../keys/key.ts';
import { changeAll, select } from './batch.ts';
import type { BoundedCells } from './bounded-kind.ts';
import { type Like, requireAlike } from './compatible.ts';
import type { CountingFilter, UnitingFilter } from './filter.ts';
import { GrowingFilter } from './growing-filter.ts';
import { CELLS } from './kind.ts';

/** A filter that stores each copy of a key, until it is full, and can take it away again. */
export abstract class BoundedFilter<Options = never>
  extends GrowingFilter<Options>
  implements CountingFilter, UnitingFilter
{
  /** @internal */
  declare readonly [CELLS]: BoundedCells<unknown>;

  /** The number of distinct keys that the filter is made for. Most filters take more before they refuse keys. */
  override get capacity(): number {
    return this[CELLS].capacity;
  }

  /**
   * The exact number of keys in the filter, each counted as often as it was added and not removed. The first call reads
   * the whole filter.
   */
  get count(): number {
    return this[CELLS].stored();
  }

  /**
   * Adds a key. If it was added before, stores another copy.
   *
   * @returns true if the key was certainly absent before
   * @throws TypeError | RangeError if `key` is not a key
   * @throws FilterFullError if there is no room, because the filter is full or the key is stored as often as it can be;
   *   then nothing has changed
   */
  abstract override add(key: Key): boolean;

  /**
   * Adds many keys. For a key that was added before, stores another copy.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes
   * @param out receives a flag for each key, in order: 1 where `add` would return true
   * @throws TypeError | RangeError if one of `keys` is not a key; the keys before it have been added
   * @throws FilterFullError if there is no room for one of `keys`, whose position the error has; the keys before it
   *   have been added, and no others
   * @throws TypeError | RangeError, before adding anything, if `out` is too short, or if `out` is given and the number
   *   of keys is unknown
   */
  override addMany<K>(keys: ManyKeys<K>, out?: Uint8Array): this {
    return super.addMany(keys, out);
  }

  /**
   * Adds only keys that were certainly absent before, each once, and returns them in the shape of `keys`, as `pick`
   * does. These are the first occurrence of each key, except for the few new keys that look present, which are not
   * stored. So do not remove a key that `dedupe` did not return. If the filter may be too small, use `addMany` with
   * `out`, because after an error of `dedupe` you do not know which keys were stored.
   *
   * @throws TypeError | RangeError if one of `keys` is not a key; the keys before it have been added
   * @throws FilterFullError if there is no room for one of `keys`, whose position the error has; the keys before it
   *   have been added
   */
  override dedupe<K>(keys: ManyKeys<K>): Picked<K> {
    const cells = this[CELLS];
    return select(cells, keys, cells.addAbsent, 1, 'addAbsentKey');
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

  /**
   * Makes a new filter that holds the keys of both filters, with the copies of each added up. It has this filter's
   * capacity and error rate.
   *
   * @throws TypeError | RangeError unless `other` is of the same kind, size and seed
   * @throws FilterFullError if there is no room for the keys of both
   */
  union<F extends BoundedFilter>(this: F, other: Like<F>): F {
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
   * @throws FilterFullError if there is no room for the keys of both; then nothing has changed
   */
  merge<F extends BoundedFilter>(this: F, other: Like<F>): F {
    const both = this.union(other);
    this[CELLS].replaceWith(both[CELLS]);
    both.dispose();
    return this;
  }

  /** The exact number of keys in the filter: `count`. */
  override estimateCount(): number {
    return this.count;
  }

  override clear(): void {
    this[CELLS].clear();
  }
}
