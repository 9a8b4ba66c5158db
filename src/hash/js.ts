import { type HashOptions, hashKeysOn } from '../filters/hashing.ts';
import { js } from '../kernel/engine-js.ts';
import type { ManyKeys } from '../keys/collections.ts';
import type { HashedKeys } from '../keys/hashes.ts';

/**
 * Hashes many keys once, for several filters: every method that takes many keys also takes their hashes, of 16 bytes
 * per key. If you look up keys in ten filters, hashing them again for each takes most of the time. Runs in plain
 * JavaScript.
 *
 * ```ts
 * const hashed = hashKeys(names);
 * const known = filters.map((filter) => filter.hasMany(hashed));
 * ```
 *
 * @param keys an array or iterable of keys, an integer array, lines or a column
 * @param options the seed of the filters; default `{ seed: 0 }`
 * @throws TypeError | RangeError if one of `keys` is not a key, or if `seed` is wrong
 */
export function hashKeys<K>(keys: ManyKeys<K>, options?: HashOptions): HashedKeys<ArrayBuffer> {
  return hashKeysOn(js, keys, options);
}
