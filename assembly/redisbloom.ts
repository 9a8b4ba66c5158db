// The module for the filters of the module RedisBloom: the functions of the kernel that hash keys, compiled with
// MurmurHash64A in place of MurmurHash3, and loops that take the place of the kernel's loops for bits.
//
// With (a, b) the key's hash, the key sets the k bits at (a + i b mod 2^64) mod m, and may be present if all k are set. m
// is passed as f64, exact up to 2^53.

import { add } from "./arithmetic";
import { visit } from "./classic";
import { hashKey } from "./hash-key";
import { ONE_FLAG } from "./memory";
import { residueOf } from "./residues";

export {
  murmur64a_begin as hash_begin, murmur64a_again as hash_again, murmur64a_continue as hash_continue,
  murmur64a_end as hash_end,
} from "./murmur64a";
export { hash_key } from "./hash-key";
export { hash_packed, hash_lines, hash_u64, hash_32 } from "./hash-chunk";

/**
 * Probes `count` hashes. Flags with 1 those whose k bits were all set (`wanted` = 1) or were not (0), and returns their
 * number. A lookup stops at the first bit that is not set.
 *
 * Each term is divided by m. The residues could follow from each other by additions (residues.ts), which takes twice as
 * long where the processor divides fast.
 */
@inline
function probe(set: bool, wanted: u32, body: usize, m: u64, k: u32, hashes: usize, count: u32, flags: usize): u32 {
  let flagged: u32 = 0;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16, flags++) {
    let term = load<u64>(hashes);
    const step = load<u64>(hashes, 8);
    let all: u32 = 1;
    let left = k;
    do {
      const index = residueOf(term, m);
      assert(index < m);
      all &= visit(set, body, index);
      if (!--left) break;
      term = add(term, step);
    } while (set || all);
    const flag = u32(all == wanted);
    store<u8>(flags, flag);
    flagged += flag;
  }
  return flagged;
}

// From here on as in go.ts, which says why.

/** Sets all k bits of each hash. Not inlined, because it has several callers. */
function mark(body: usize, m: u64, k: u32, hashes: usize, count: u32, flags: usize): u32 {
  return probe(true, 0, body, m, k, hashes, count, flags);
}

/** Looks up all k bits of each hash. Not inlined, because it has several callers. */
function look(body: usize, m: u64, k: u32, hashes: usize, count: u32, flags: usize): u32 {
  return probe(false, 1, body, m, k, hashes, count, flags);
}

/** Adds `count` hashes, flags with 1 those that were certainly absent, and returns their number. */
export function bloom_add_flags(body: usize, bits: f64, k: u32, hashes: usize, count: u32, flags: usize): u32 {
  return mark(body, <u64>bits, k, hashes, count, flags);
}

/** Looks up `count` hashes, flags with 1 those that may be present, and returns their number. */
export function bloom_has(body: usize, bits: f64, k: u32, hashes: usize, count: u32, flags: usize): u32 {
  return look(body, <u64>bits, k, hashes, count, flags);
}

/** Adds a key. Returns 1 if it was certainly absent, else 0. */
export function bloom_add_key(
  body: usize, bits: f64, k: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  return mark(body, <u64>bits, k, hashKey(text, key, length, seed), 1, ONE_FLAG);
}

/** 1 if a key may be present, else 0. */
export function bloom_has_key(
  body: usize, bits: f64, k: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  return look(body, <u64>bits, k, hashKey(text, key, length, seed), 1, ONE_FLAG);
}
