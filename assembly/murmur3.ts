// MurmurHash3 x64_128 (Austin Appleby, public domain, SMHasher), with a 32-bit seed.
//
// Keys are read 16 bytes at a time, including a partial last block, so every key in memory must be followed by 20
// readable bytes.

import { add, loadHalf, multiply, multiplyConstant, rotate } from "./arithmetic";

const C1: u64 = 0x87c37b91114253d5;
const C2: u64 = 0x4cf5ad432745937f;

@inline
export function mixFirst(k: u64): u64 {
  return multiplyConstant(rotate(multiplyConstant(k, C1), 31), C2);
}

@inline
export function mixSecond(k: u64): u64 {
  return multiplyConstant(rotate(multiplyConstant(k, C2), 33), C1);
}

@inline
export function avalanche(k: u64): u64 {
  // `multiplyConstant` would be wrong for this constant.
  k = multiply(k ^ (k >> 33), 0xff51afd7ed558ccd);
  k = multiplyConstant(k ^ (k >> 33), 0xc4ceb9fe1a85ec53);
  return k ^ (k >> 33);
}

/** The last step of MurmurHash3 x86_32. */
@inline
export function avalanche32(x: u32): u32 {
  x = (x ^ (x >> 16)) * 0x85ebca6b;
  x = (x ^ (x >> 13)) * 0xc2b2ae35;
  return x ^ (x >> 16);
}

/** h1 after a block of 16 bytes whose first half is `k`. */
@inline
export function nextFirst(h1: u64, h2: u64, k: u64): u64 {
  return add(multiplyConstant(add(rotate(h1 ^ mixFirst(k), 27), h2), 5), 0x52dce729);
}

/** h2 after a block of 16 bytes whose second half is `k`. `h1` must be the value after that block. */
@inline
export function nextSecond(h1: u64, h2: u64, k: u64): u64 {
  return add(multiplyConstant(add(rotate(h2 ^ mixSecond(k), 31), h1), 5), 0x38495ab5);
}

/** The 16 bytes at `MASKS − n` are n bytes of ones, then zeros. */
@lazy
const MASKS: usize = memory.data<u64>([u64.MAX_VALUE, u64.MAX_VALUE, 0, 0]) + 16;

// Key lengths vary, so a branch on the length is mispredicted so often that it costs more than computing something and
// discarding it. In plain JavaScript, where a 64-bit multiplication takes many operations, the branch is cheaper.

/**
 * Finishes a hash: (h1, h2) is the state after all whole blocks, and the last 0–15 bytes lie at `tail`. Writes h1,
 * then h2, to `out`.
 */
@inline
function finish(h1: u64, h2: u64, tail: usize, length: u64, out: usize): void {
  const rest = length & 15;
  if (ASC_FEATURE_SIMD) {
    const mask = MASKS - <usize>rest;
    h2 ^= mixSecond(loadHalf(true, tail) & load<u64>(mask, 8, 1));
    h1 ^= mixFirst(loadHalf(false, tail) & load<u64>(mask, 0, 1));
  } else if (rest > 8) {
    h2 ^= mixSecond(loadHalf(true, tail) & (u64.MAX_VALUE >> ((16 - rest) << 3)));
    h1 ^= mixFirst(loadHalf(false, tail));
  } else if (rest) {
    h1 ^= mixFirst(loadHalf(false, tail) & (u64.MAX_VALUE >> ((8 - rest) << 3)));
  }
  seal(h1, h2, length, out);
}

/** The last step of a hash, after all bytes are mixed in. Writes h1, then h2, to `out`. */
@inline
export function seal(h1: u64, h2: u64, length: u64, out: usize): void {
  h1 ^= length;
  h2 ^= length;
  h1 = add(h1, h2);
  h2 = add(h2, h1);
  h1 = avalanche(h1);
  h2 = avalanche(h2);
  h1 = add(h1, h2);
  store<u64>(out, h1);
  store<u64>(out, add(h2, h1), 8);
}

@inline
function hashInline(key: usize, length: usize, seed: u32, out: usize): void {
  let h1: u64 = seed;
  let h2: u64 = seed;
  const tail = key + (length & ~15);
  if (ASC_FEATURE_SIMD) {
    const first = nextFirst(h1, h2, loadHalf(false, key));
    const second = nextSecond(first, h2, loadHalf(true, key));
    h1 = select(first, h1, key < tail);
    h2 = select(second, h2, key < tail);
    key += 16;
  }
  for (; key < tail; key += 16) {
    h1 = nextFirst(h1, h2, loadHalf(false, key));
    h2 = nextSecond(h1, h2, loadHalf(true, key));
  }
  finish(h1, h2, tail, length, out);
}

function hashCall(key: usize, length: usize, seed: u32, out: usize): void {
  hashInline(key, length, seed, out);
}

/**
 * Hashes the `length` bytes at `key` and writes h1, then h2, to `out`. Inlined only in WebAssembly: as plain JavaScript
 * it is long, and a call costs little beside it.
 */
@inline
export function murmur3(key: usize, length: usize, seed: u32, out: usize): void {
  if (ASC_FEATURE_SIMD) hashInline(key, length, seed, out);
  else hashCall(key, length, seed, out);
}

/** Hashes the 8 bytes of `value`, little-endian, and writes h1, then h2, to `out`. */
@inline
export function murmur3OfU64(value: u64, seed: u32, out: usize): void {
  seal(seed ^ mixFirst(value), seed, 8, out);
}

/**
 * Whether 3 · h1 = 2 · h2, modulo 2^64. If a key has 1 to 8 bytes and the seed equals its length, MurmurHash3 gives h1
 * = 2 x and h2 = 3 x, so that each half follows from the other. For any other key, this happens with a probability of
 * 2^−64.
 */
@inline
export function areMultiples(hash: usize): bool {
  const low = load<u32>(hash);
  if (low + (low << 1) != load<u32>(hash, 8) << 1) return false;
  const h1 = load<u64>(hash);
  return h1 + (h1 << 1) == load<u64>(hash, 8) << 1;
}

/**
 * The half of h2 for fingerprints, where h1 chooses the bucket: the high half, unless h1 = 2 x and h2 = 3 x. In that case
 * the high half depends on the bucket, and the low half does not.
 */
@inline
export function fingerprintHalf(hash: usize): u32 {
  return load<u32>(areMultiples(hash) ? hash + 8 : hash + 12);
}

/** Starts the hash of a key that comes in parts. `state` is the 16 bytes that will hold the hash. */
export function murmur3_begin(state: usize, seed: u32): void {
  store<u64>(state, seed);
  store<u64>(state, seed, 8);
}

/** Hashes the next part of a key: `length` bytes, a multiple of 16. */
export function murmur3_continue(state: usize, part: usize, length: usize): void {
  let h1 = load<u64>(state);
  let h2 = load<u64>(state, 8);
  for (const end = part + length; part < end; part += 16) {
    h1 = nextFirst(h1, h2, loadHalf(false, part));
    h2 = nextSecond(h1, h2, loadHalf(true, part));
  }
  store<u64>(state, h1);
  store<u64>(state, h2, 8);
}

/**
 * Finishes the hash of a key in parts: the last 0–15 bytes lie at `tail`, and `length` is that of the whole key in
 * bytes.
 */
export function murmur3_end(state: usize, tail: usize, length: f64): void {
  finish(load<u64>(state), load<u64>(state, 8), tail, <u64>length, state);
}
