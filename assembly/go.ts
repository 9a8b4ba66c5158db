// The module for filters of bits-and-blooms, a library of Go. A key sets k of m bits, and may be present if all k are
// set.
//
// A key has four hashes: h1 and h2 are those of MurmurHash3 x64_128, and h3 and h4 those of the key with a byte 1 after
// it. Bit i of the k is at (h1 + i h3), (h2 + i h4), (h1 + i h4) or (h2 + i h3) mod m, in turn. A slot for hashes has
// room for two, so it holds the place of the key (place.ts), and the loops hash the key themselves. They take the place
// of the kernel's loops for bits, and m is passed as f64, exact up to 2^53.

import { add, loadHalf, multiply } from "./arithmetic";
import { visit } from "./classic";
import { hashKey } from "./hash-key";
import { ONE_FLAG, ONE_HASH } from "./memory";
import { mixFirst, mixSecond, nextFirst, nextSecond, seal } from "./murmur3";
import { residueOf } from "./residues";

export { murmur3_begin as hash_begin, murmur3_continue as hash_continue } from "./murmur3";
export { hash_key } from "./hash-key";
export { hash_packed, hash_lines, hash_u64, hash_32 } from "./hash-chunk";

/**
 * h1 … h4 of the key that is probed now, before ONE_HASH in WORK. Those of a key in parts stay there until it is
 * probed: no other function runs meanwhile.
 */
const HASHES: usize = ONE_HASH - 32;
/** The length in the place of a key that came in parts: its hashes are already there, and its bytes are gone. */
const DONE: u32 = u32.MAX_VALUE;

/**
 * Writes h1 … h4 of a key: (h1, h2) is the state after all whole blocks, and the last 0–15 bytes lie at `tail`. The byte
 * 1 is set in a copy of these, because the next key begins right after them.
 */
@inline
function finish(h1: u64, h2: u64, tail: usize, length: u64): void {
  const rest = length & 15;
  let first: u64 = 0;
  let second: u64 = 0;
  if (rest > 8) {
    first = loadHalf(false, tail);
    second = loadHalf(true, tail) & (u64.MAX_VALUE >> ((16 - rest) << 3));
  } else if (rest) {
    first = loadHalf(false, tail) & (u64.MAX_VALUE >> ((8 - rest) << 3));
  }
  seal(h1 ^ mixFirst(first), h2 ^ mixSecond(second), length, HASHES);
  if (rest < 8) first |= <u64>1 << (rest << 3);
  else second |= <u64>1 << ((rest - 8) << 3);
  if (rest == 15) {
    // The byte completes a block.
    h1 = nextFirst(h1, h2, first);
    h2 = nextSecond(h1, h2, second);
    first = 0;
    second = 0;
  }
  seal(h1 ^ mixFirst(first), h2 ^ mixSecond(second), length + 1, HASHES + 16);
}

/** Writes h1 … h4 of the key at a place, unless they are there. Not inlined, because it is long and has many callers. */
function hashAt(place: usize): void {
  const length = load<u32>(place, 4);
  if (length == DONE) return;
  let key = <usize>load<u32>(place);
  let h1: u64 = 0;
  let h2: u64 = 0;
  for (const tail = key + (<usize>length & ~15); key < tail; key += 16) {
    h1 = nextFirst(h1, h2, loadHalf(false, key));
    h2 = nextSecond(h1, h2, loadHalf(true, key));
  }
  finish(h1, h2, key, length);
}

/** Finishes a key in parts: the last 0–15 bytes lie at `tail`, and `length` is that of the whole key in bytes. */
export function hash_end(state: usize, tail: usize, length: f64): void {
  finish(load<u64>(state), load<u64>(state, 8), tail, <u64>length);
  store<u32>(state, 0);
  store<u32>(state, DONE, 4);
}

/**
 * Probes the keys at `count` places. Flags with 1 those whose k bits were all set (`wanted` = 1) or were not (0), and
 * returns their number. A lookup stops at the first bit that is not set.
 */
@inline
function probe(set: bool, wanted: u32, body: usize, m: u64, k: u32, places: usize, count: u32, flags: usize): u32 {
  let flagged: u32 = 0;
  for (const end = places + (count << 4); places < end; places += 16, flags++) {
    hashAt(places);
    const h1 = load<u64>(HASHES);
    const h2 = load<u64>(HASHES, 8);
    const h3 = load<u64>(HASHES, 16);
    const h4 = load<u64>(HASHES, 24);
    let all: u32 = 1;
    let i: u32 = 0;
    do {
      const start = i & 1 ? h2 : h1;
      const step = (i + 1) & 2 ? h4 : h3;
      const index = residueOf(add(start, multiply(step, i)), m);
      assert(index < m);
      all &= visit(set, body, index);
      if (++i == k) break;
    } while (set || all);
    const flag = u32(all == wanted);
    store<u8>(flags, flag);
    flagged += flag;
  }
  return flagged;
}

// From here on as in redisbloom.ts. One file for both, with the probe chosen by HASH, compiled to 200 bytes more.

/** Sets all k bits of each key. Not inlined, because it has several callers. */
function mark(body: usize, m: u64, k: u32, places: usize, count: u32, flags: usize): u32 {
  return probe(true, 0, body, m, k, places, count, flags);
}

/** Looks up all k bits of each key. Not inlined, because it has several callers. */
function look(body: usize, m: u64, k: u32, places: usize, count: u32, flags: usize): u32 {
  return probe(false, 1, body, m, k, places, count, flags);
}

/** Adds the keys at `count` places, flags with 1 those that were certainly absent, and returns their number. */
export function bloom_add_flags(body: usize, bits: f64, k: u32, places: usize, count: u32, flags: usize): u32 {
  return mark(body, <u64>bits, k, places, count, flags);
}

/** Looks up the keys at `count` places, flags with 1 those that may be present, and returns their number. */
export function bloom_has(body: usize, bits: f64, k: u32, places: usize, count: u32, flags: usize): u32 {
  return look(body, <u64>bits, k, places, count, flags);
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
