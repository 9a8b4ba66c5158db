// The module for the Bloom filters of Apache Spark: the functions of the kernel that hash keys, compiled with Spark's
// hash in place of MurmurHash3, and the two versions of choosing bits. `narrow` is 1 for version 1.

import { hashKey } from "./hash-key";
import { ONE_FLAG } from "./memory";
import { flagAll, hasAll } from "./remainder";

export { spark_begin as hash_begin, spark_continue as hash_continue, spark_end as hash_end } from "./spark-hash";
export { hash_key } from "./hash-key";
export { hash_packed, hash_lines, hash_u64, hash_32 } from "./hash-chunk";
export { addAll as spark_add, flagAll as spark_add_flags, hasAll as spark_has } from "./remainder";

/** Adds a key. Returns 1 if it was certainly absent, else 0. */
export function spark_add_key(
  body: usize, bits: f64, k: u32, narrow: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  return flagAll(body, bits, k, narrow, hashKey(text, key, length, seed), 1, ONE_FLAG);
}

/** Returns 1 if a key may be present, else 0. */
export function spark_has_key(
  body: usize, bits: f64, k: u32, narrow: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  return hasAll(body, bits, k, narrow, hashKey(text, key, length, seed), 1, ONE_FLAG);
}
