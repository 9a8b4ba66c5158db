// The module for the Bloom filters of Apache Spark: the functions of the kernel that hash keys, compiled with Spark's
// hash in place of MurmurHash3, and the two versions of choosing bits.

import { hashKey } from "./hash-key";
import { ONE_FLAG } from "./memory";
import { MITZ_32, probe, SPARK_2 } from "./remainder";

export { spark_begin as hash_begin, spark_continue as hash_continue, spark_end as hash_end } from "./spark-hash";
export { hashKey as hash_key } from "./hash-key";
export { hash_packed, hash_lines, hash_u64, hash_32 } from "./hash-chunk";

/** Not inlined, because it has several callers. */
function add(version: u32, body: usize, bits: f64, k: u32, hashes: usize, count: u32, flags: usize): u32 {
  if (version == 1) return probe(MITZ_32, true, body, bits, k, hashes, count, flags);
  return probe(SPARK_2, true, body, bits, k, hashes, count, flags);
}

/** Not inlined, because it has several callers. */
function has(version: u32, body: usize, bits: f64, k: u32, hashes: usize, count: u32, flags: usize): u32 {
  if (version == 1) return probe(MITZ_32, false, body, bits, k, hashes, count, flags);
  return probe(SPARK_2, false, body, bits, k, hashes, count, flags);
}

/**
 * Adds `count` hashes, flags with 1 those that were certainly absent, and returns their number. `version` is that of
 * the format: 1 or 2.
 */
export function spark_add(
  body: usize, bits: f64, k: u32, version: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  return add(version, body, bits, k, hashes, count, flags);
}

/** Flags with 1 those of `count` hashes that may be present, and returns their number. */
export function spark_has(
  body: usize, bits: f64, k: u32, version: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  return has(version, body, bits, k, hashes, count, flags);
}

/** Adds a key. Returns 1 if it was certainly absent, else 0. */
export function spark_add_key(
  body: usize, bits: f64, k: u32, version: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  return add(version, body, bits, k, hashKey(text, key, length, seed), 1, ONE_FLAG);
}

/** Returns 1 if a key may be present, else 0. */
export function spark_has_key(
  body: usize, bits: f64, k: u32, version: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  return has(version, body, bits, k, hashKey(text, key, length, seed), 1, ONE_FLAG);
}
