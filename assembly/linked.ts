// The kernel functions that linked modules import. These are compiled separately, and run over the kernel's memory.

import { ONE_HASH } from "./memory";

/** Hashes one key, as in hash-key.ts. */
@external("kernel", "hash_key")
declare function hash_key(text: externref, key: usize, length: u32, seed: u32, out: usize): void;

/** Hashes one key as `hash_key` does, and returns where the hash lies. */
@inline
export function hashKey(text: externref, key: usize, length: u32, seed: u32): usize {
  hash_key(text, key, length, seed, ONE_HASH);
  return ONE_HASH;
}
