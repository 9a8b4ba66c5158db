// The module for the Bloom filters of Guava: MurmurHash3 with seed 0, which the kernel has, and Guava's two strategies
// of choosing bits. It is linked to the kernel. `narrow` is 1 for the strategy MURMUR128_MITZ_32.

import { hashKey } from "./linked";
import { ONE_FLAG } from "./memory";
import { flagAll, hasAll } from "./remainder";

export { addAll as guava_add, flagAll as guava_add_flags, hasAll as guava_has } from "./remainder";

/** Adds a key. Returns 1 if it was certainly absent, else 0. */
export function guava_add_key(
  body: usize, bits: f64, k: u32, narrow: u32, text: externref, key: usize, length: u32,
): u32 {
  return flagAll(body, bits, k, narrow, hashKey(text, key, length, 0), 1, ONE_FLAG);
}

/** Returns 1 if a key may be present, else 0. */
export function guava_has_key(
  body: usize, bits: f64, k: u32, narrow: u32, text: externref, key: usize, length: u32,
): u32 {
  return hasAll(body, bits, k, narrow, hashKey(text, key, length, 0), 1, ONE_FLAG);
}
