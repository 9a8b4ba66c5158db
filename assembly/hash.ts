// The hash of keys: MurmurHash3, or SipHash in the module for filters with a secret. That is compiled with KEYED = 1, and
// everything else with KEYED = 0: see tools/kernel.ts.

import { murmur3, murmur3OfU64 } from "./murmur3";
import { siphash, siphashOfU64 } from "./siphash";

/** Hashes the `length` bytes at `key` and writes h1, then h2, to `out`. With a secret, the seed is not used. */
@inline
export function hash(key: usize, length: usize, seed: u32, out: usize): void {
  if (KEYED) siphash(key, length, out);
  else murmur3(key, length, seed, out);
}

/** Hashes the 8 bytes of `value`, little-endian, and writes h1, then h2, to `out`. */
@inline
export function hashOfU64(value: u64, seed: u32, out: usize): void {
  if (KEYED) siphashOfU64(value, out);
  else murmur3OfU64(value, seed, out);
}
