// The hash of keys. Each module is compiled with one, by the constant HASH: see tools/modules.ts. The kernel has
// MurmurHash3, and modules that hash otherwise take the place of its functions that hash.

import { murmur3, murmur3OfU64 } from "./murmur3";
import { murmur64a, murmur64aOfU64 } from "./murmur64a";
import { place, placeOfU64 } from "./place";
import { siphash, siphashOfU64 } from "./siphash";
import { sparkHash, sparkHashOfU64 } from "./spark-hash";
import { xxh64, xxh64OfU64 } from "./xxh64";

export const MURMUR3: i32 = 0;
export const SIPHASH: i32 = 1;
export const XXH64: i32 = 2;
export const SPARK: i32 = 3;
/** No hash, but where the key lies: see place.ts. */
export const PLACE: i32 = 4;
export const MURMUR64A: i32 = 5;

/** Hashes the `length` bytes at `key` and writes h1, then h2, to `out`. SipHash and XXH64 take no seed. */
@inline
export function hash(key: usize, length: usize, seed: u32, out: usize): void {
  if (HASH == SIPHASH) siphash(key, length, out);
  else if (HASH == XXH64) xxh64(key, length, out);
  else if (HASH == PLACE) place(key, length, out);
  else if (HASH == MURMUR64A) murmur64a(key, length, out);
  else if (HASH == SPARK) sparkHash(key, length, seed, out);
  else murmur3(key, length, seed, out);
}

/** Hashes the 8 bytes of `value`, little-endian, as `hash` does. */
@inline
export function hashOfU64(value: u64, seed: u32, out: usize): void {
  if (HASH == SIPHASH) siphashOfU64(value, out);
  else if (HASH == XXH64) xxh64OfU64(value, out);
  else if (HASH == PLACE) placeOfU64(value, out);
  else if (HASH == MURMUR64A) murmur64aOfU64(value, out);
  else if (HASH == SPARK) sparkHashOfU64(value, seed, out);
  else murmur3OfU64(value, seed, out);
}
