import { type HashOptions, hashKeysOn } from '../filters/hash-keys.ts';
import { wasm } from '../kernel/wasm.ts';
import type { HashedKeys } from '../keys/hashed.ts';
import type { Keys, ManyKeys } from '../keys/many.ts';

export type { HashOptions } from '../filters/hash-keys.ts';
export { HashedKeys } from '../keys/hashed.ts';

/**
 * Hashes many keys once, for several filters: whatever takes many keys takes the hashes in place of them. They take 16
 * bytes per key. To look up keys in ten filters, hashing them for each would take most of the time. Runs on
 * WebAssembly; `bloomery/hash/js` has the same function in plain JavaScript.
 *
 * ```ts
 * const hashed = hashKeys(names);
 * const known = filters.map((filter) => filter.hasMany(hashed));
 * ```
 *
 * @param keys an array or iterable of keys, an integer array, lines or a column
 * @param options the seed, which must be that of the filters; default `{ seed: 0 }`
 * @throws TypeError | RangeError if one of `keys` is not a key, or if `seed` is wrong
 */
export function hashKeys<K extends Keys>(keys: ManyKeys<K>, options?: HashOptions): HashedKeys<ArrayBuffer> {
  return hashKeysOn(wasm, keys, options);
}
