// The hash of Apache Spark: MurmurHash3 x86_32 (Austin Appleby, public domain, SMHasher), but each of the last 0–3
// bytes is a block of its own, as a signed integer of 32 bits. So it equals the original for lengths that are multiples
// of 4.
//
// A key is hashed twice: h1 under the seed of the filter, h2 under h1. Both are written as u32, h1 first, and the rest
// of the 16 bytes of a hash is left as it is. Every key in memory must be followed by 4 readable bytes.

import { loadWord } from "./arithmetic";
import { avalanche32 } from "./murmur3";

/** h after a block. */
@inline
function next(h: u32, block: u32): u32 {
  h ^= rotl<u32>(block * 0xcc9e2d51, 15) * 0x1b873593;
  return rotl<u32>(h, 13) * 5 + 0xe6546b64;
}

/** h after the last 0–3 bytes of a key of `length` bytes, which lie at `tail`. */
@inline
function finish(h: u32, tail: usize, length: u32): u32 {
  for (const end = tail + (length & 3); tail < end; tail++) h = next(h, load<i8>(tail));
  return avalanche32(h ^ length);
}

@inline
function hashInline(key: usize, length: usize, seed: u32): u32 {
  let h = seed;
  const tail = key + (length & ~3);
  for (; key < tail; key += 4) h = next(h, loadWord(key));
  return finish(h, tail, length);
}

/** Hashes the `length` bytes at `key`, and writes h1, then h2, to `out`. */
export function sparkHash(key: usize, length: usize, seed: u32, out: usize): void {
  const h1 = hashInline(key, length, seed);
  store<u32>(out, h1);
  store<u32>(out, hashInline(key, length, h1), 4);
}

@inline
function hashOfU64(value: u64, seed: u32): u32 {
  return avalanche32(next(next(seed, <u32>value), <u32>(value >> 32)) ^ 8);
}

/** Hashes the 8 bytes of `value`, little-endian, and writes h1, then h2, to `out`. */
@inline
export function sparkHashOfU64(value: u64, seed: u32, out: usize): void {
  const h1 = hashOfU64(value, seed);
  store<u32>(out, h1);
  store<u32>(out, hashOfU64(value, h1), 4);
}

// A key that comes in parts is hashed once, because its first parts are gone when h1 is known: h2 is left to whoever
// has the key.

/** Starts the hash of a key that comes in parts. `state` is 4 bytes, which will hold the hash under the seed. */
export function spark_begin(state: usize, seed: u32): void {
  store<u32>(state, seed);
}

/** Hashes the next part of a key: `length` bytes, a multiple of 16. */
export function spark_continue(state: usize, part: usize, length: usize): void {
  let h = load<u32>(state);
  for (const end = part + length; part < end; part += 4) h = next(h, loadWord(part));
  store<u32>(state, h);
}

/**
 * Finishes the hash of a key in parts: the last 0–15 bytes lie at `tail`, and `length` is that of the whole key in
 * bytes.
 */
export function spark_end(state: usize, tail: usize, length: f64): void {
  const bytes = <u32><u64>length;
  const rest: usize = bytes & 12;
  spark_continue(state, tail, rest);
  store<u32>(state, finish(load<u32>(state), tail + rest, bytes));
}
