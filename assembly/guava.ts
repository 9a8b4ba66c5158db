// The module for the Bloom filters of Guava: MurmurHash3 with seed 0, which the kernel has, and Guava's two strategies
// of choosing bits. It is linked to the kernel.

import { hash_key } from "./linked";
import { ONE_FLAG } from "./memory";
import { MITZ_32, MITZ_64, probe } from "./remainder";

/** Not inlined, because it has several callers. */
function add(narrow: u32, body: usize, bits: f64, k: u32, hashes: usize, count: u32, flags: usize): u32 {
  if (narrow) return probe(MITZ_32, true, body, bits, k, hashes, count, flags);
  return probe(MITZ_64, true, body, bits, k, hashes, count, flags);
}

/** Not inlined, because it has several callers. */
function has(narrow: u32, body: usize, bits: f64, k: u32, hashes: usize, count: u32, flags: usize): u32 {
  if (narrow) return probe(MITZ_32, false, body, bits, k, hashes, count, flags);
  return probe(MITZ_64, false, body, bits, k, hashes, count, flags);
}

/**
 * Adds `count` hashes, flags with 1 those that were certainly absent, and returns their number. `narrow` is 1 for the
 * strategy MURMUR128_MITZ_32, and 0 for MURMUR128_MITZ_64.
 */
export function guava_add(
  body: usize, bits: f64, k: u32, narrow: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  return add(narrow, body, bits, k, hashes, count, flags);
}

/** Flags with 1 those of `count` hashes that may be present, and returns their number. */
export function guava_has(
  body: usize, bits: f64, k: u32, narrow: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  return has(narrow, body, bits, k, hashes, count, flags);
}

/** Adds a key. Returns 1 if it was certainly absent, else 0. */
export function guava_add_key(
  body: usize, bits: f64, k: u32, narrow: u32, text: externref, key: usize, length: u32,
): u32 {
  return add(narrow, body, bits, k, hash_key(text, key, length, 0), 1, ONE_FLAG);
}

/** Returns 1 if a key may be present, else 0. */
export function guava_has_key(
  body: usize, bits: f64, k: u32, narrow: u32, text: externref, key: usize, length: u32,
): u32 {
  return has(narrow, body, bits, k, hash_key(text, key, length, 0), 1, ONE_FLAG);
}
