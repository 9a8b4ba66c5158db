// MurmurHash64A (Austin Appleby, public domain, SMHasher), twice as RedisBloom hashes a key: a under a fixed seed, then b
// under the seed a.
//
// The hash begins with the length of the key, so a key that comes in parts must come whole twice, after its length.
// Every key in memory must be followed by 20 readable bytes.

import { loadHalf, multiplyConstant } from "./arithmetic";

const M: u64 = 0xc6a4a7935bd1e995;
/** The seed of a: the same number as the multiplier. */
const SEED: u64 = 0xc6a4a7935bd1e995;

@inline
function begin(seed: u64, length: u64): u64 {
  return seed ^ multiplyConstant(length, M);
}

/** h after the next 8 bytes. */
@inline
function next(h: u64, bytes: u64): u64 {
  const k = multiplyConstant(bytes, M);
  return multiplyConstant(h ^ multiplyConstant(k ^ (k >> 47), M), M);
}

@inline
function avalanche(h: u64): u64 {
  h = multiplyConstant(h ^ (h >> 47), M);
  return h ^ (h >> 47);
}

/** Finishes a hash: the last 0–7 bytes lie at `tail`. */
@inline
function finish(h: u64, tail: usize, length: u64): u64 {
  const rest = length & 7;
  if (rest) h = multiplyConstant(h ^ (loadHalf(false, tail) & (u64.MAX_VALUE >> ((8 - rest) << 3))), M);
  return avalanche(h);
}

@inline
function hashUnder(seed: u64, key: usize, length: usize): u64 {
  let h = begin(seed, length);
  for (const end = key + (length & ~7); key < end; key += 8) h = next(h, loadHalf(false, key));
  return finish(h, key, length);
}

@inline
function hashInline(key: usize, length: usize, out: usize): void {
  const a = hashUnder(SEED, key, length);
  store<u64>(out, a);
  store<u64>(out, hashUnder(a, key, length), 8);
}

function hashCall(key: usize, length: usize, out: usize): void {
  hashInline(key, length, out);
}

/** Hashes the `length` bytes at `key` and writes a, then b, to `out`. Inlined as `murmur3` is. */
@inline
export function murmur64a(key: usize, length: usize, out: usize): void {
  if (ASC_FEATURE_SIMD) hashInline(key, length, out);
  else hashCall(key, length, out);
}

/** Hashes the 8 bytes of `value`, little-endian, and writes a, then b, to `out`. */
@inline
export function murmur64aOfU64(value: u64, out: usize): void {
  const a = avalanche(next(begin(SEED, 8), value));
  store<u64>(out, a);
  store<u64>(out, avalanche(next(begin(a, 8), value)), 8);
}

/**
 * Starts the hash a of a key of `length` bytes that comes in parts. `state` is the 16 bytes that will hold a and b: the
 * second half is the current hash.
 */
export function murmur64a_begin(state: usize, length: f64): void {
  store<u64>(state, begin(SEED, <u64>length), 8);
}

/** Starts the hash b of the same key, after `murmur64a_end` has finished a. */
export function murmur64a_again(state: usize, length: f64): void {
  const a = load<u64>(state, 8);
  store<u64>(state, a);
  store<u64>(state, begin(a, <u64>length), 8);
}

/** Hashes the next part of a key: `length` bytes, a multiple of 16. */
export function murmur64a_continue(state: usize, part: usize, length: usize): void {
  let h = load<u64>(state, 8);
  for (const end = part + length; part < end; part += 8) h = next(h, loadHalf(false, part));
  store<u64>(state, h, 8);
}

/** Finishes the current hash: the last 0–15 bytes lie at `tail`, and `length` is that of the whole key in bytes. */
export function murmur64a_end(state: usize, tail: usize, length: f64): void {
  const bytes = <u64>length;
  let h = load<u64>(state, 8);
  if (bytes & 8) {
    h = next(h, loadHalf(false, tail));
    tail += 8;
  }
  store<u64>(state, finish(h, tail, bytes), 8);
}
