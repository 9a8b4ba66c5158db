import { hashKeysOn } from '../filters/hashing.ts';
import { engineUnder, type HashingClass, keyedClass } from '../filters/keyed.ts';
import { keyedEngines } from '../kernel/keyed-engine-js.ts';
import type { ManyKeys } from '../keys/collections.ts';
import type { HashedKeys } from '../keys/hashes.ts';

/**
 * Makes a class like `Class`, but with filters that hash keys with SipHash-1-3 under a secret: for keys that come from
 * strangers. Without the secret, nobody can choose keys that look present, or that fill chosen cells. Runs in plain
 * JavaScript.
 *
 * ```ts
 * const Sessions = keyed(BloomFilter, secret);
 * const sessions = new Sessions({ capacity: 1_000_000 });
 * ```
 *
 * Everything else is as before. The secret is not in a filter's file: load that with a class of the same secret.
 * Filters of different secrets do not combine, and neither do filters with and without one. Make each class once,
 * because its filters have memory of their own. A `TombstoneFilter` must have the secret of its base.
 *
 * docs/security.md says what a secret protects from, and what not.
 *
 * @param Class a class of any kind of filters in plain JavaScript
 * @param secret 16 random bytes, as `generateSecret` makes them; copied
 * @throws TypeError | RangeError if an argument is wrong, or if `Class` runs on WebAssembly
 */
export function keyed<C extends HashingClass>(Class: C, secret: Uint8Array): C {
  return keyedClass(Class, secret, keyedEngines);
}

/**
 * Makes a function that hashes many keys once, for several filters under one secret, as `hashKeys` of `bloomery/hash`
 * does for filters without one.
 *
 * @param secret the secret of the filters
 * @throws TypeError | RangeError if it is not a secret
 */
export function keyedHashKeys(secret: Uint8Array): <K>(keys: ManyKeys<K>) => HashedKeys<ArrayBuffer> {
  const engine = engineUnder(secret, keyedEngines);
  return (keys) => hashKeysOn(engine, keys);
}
