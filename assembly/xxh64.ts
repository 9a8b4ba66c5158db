// XXH64 (Yann Collet, BSD 2-Clause; specification at https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md),
// with seed 0. The hash has 64 bits, which become h1; h2 is not written.
//
// The state is v1 … v4. Each stripe of 32 bytes mixes 8 bytes into each of them; what is left is mixed into the sum of
// the four, in 8, 4 and 1 bytes. Every key in memory must be followed by 24 readable bytes.

import { add, loadHalf, multiply, multiplyConstant, rotate } from "./arithmetic";
import { WORK } from "./memory";

// `multiplyConstant` would be wrong for the first and the fourth prime.
const P1: u64 = 0x9e3779b185ebca87;
const P2: u64 = 0xc2b2ae3d27d4eb4f;
const P3: u64 = 0x165667b19e3779f9;
const P4: u64 = 0x85ebca77c2b2ae63;
const P5: u64 = 0x27d4eb2f165667c5;

/** The start of v1 … v4. */
const V1: u64 = P1 + P2;
const V2: u64 = P2;
const V3: u64 = 0;
const V4: u64 = 0 - P1;

/** v after the next 8 bytes of its lane. */
@inline
function round(v: u64, bytes: u64): u64 {
  return multiply(rotate(add(v, multiplyConstant(bytes, P2)), 31), P1);
}

/** h after v is mixed in. */
@inline
function merge(h: u64, v: u64): u64 {
  return add(multiply(h ^ round(0, v), P1), P4);
}

/** The hash of all stripes. */
@inline
function converge(v1: u64, v2: u64, v3: u64, v4: u64): u64 {
  const h = add(add(rotate(v1, 1), rotate(v2, 7)), add(rotate(v3, 12), rotate(v4, 18)));
  return merge(merge(merge(merge(h, v1), v2), v3), v4);
}

@inline
function mixEight(h: u64, bytes: u64): u64 {
  return add(multiply(rotate(h ^ round(0, bytes), 27), P1), P4);
}

@inline
function mixFour(h: u64, bytes: u64): u64 {
  return add(multiplyConstant(rotate(h ^ multiply(bytes, P1), 23), P2), P3);
}

@inline
function mixOne(h: u64, byte: u64): u64 {
  return multiply(rotate(h ^ multiplyConstant(byte, P5), 11), P1);
}

@inline
function avalanche(h: u64): u64 {
  h = multiplyConstant(h ^ (h >> 33), P2);
  h = multiplyConstant(h ^ (h >> 29), P3);
  return h ^ (h >> 32);
}

/**
 * h after the last 0–31 bytes are mixed in, without a branch: see `finish` in murmur3.ts. Steps that the length does not
 * ask for are computed and discarded.
 */
@inline
function mixTail(h: u64, tail: usize, length: u64): u64 {
  const eights = <usize>(length & 24);
  h = select(mixEight(h, load<u64>(tail, 0, 1)), h, eights > 0);
  h = select(mixEight(h, load<u64>(tail, 8, 1)), h, eights > 8);
  h = select(mixEight(h, load<u64>(tail, 16, 1)), h, eights > 16);
  const rest = load<u64>(tail + eights, 0, 1);
  const fours = length & 4;
  h = select(mixFour(h, rest & 0xffffffff), h, fours != 0);
  const last = rest >> (fours << 3);
  const ones = length & 3;
  h = select(mixOne(h, last & 0xff), h, ones > 0);
  h = select(mixOne(h, (last >> 8) & 0xff), h, ones > 1);
  return select(mixOne(h, (last >> 16) & 0xff), h, ones > 2);
}

/** Finishes a hash: the last 0–31 bytes of a key of `length` bytes lie at `tail`. */
@inline
function finish(h: u64, tail: usize, length: u64): u64 {
  h = add(h, length);
  if (ASC_FEATURE_SIMD) return avalanche(mixTail(h, tail, length));
  for (const eights = tail + <usize>(length & 24); tail < eights; tail += 8) h = mixEight(h, loadHalf(false, tail));
  let rest = loadHalf(false, tail);
  if (length & 4) {
    h = mixFour(h, rest & 0xffffffff);
    rest >>= 32;
  }
  for (let left = <u32>length & 3; left; left--) {
    h = mixOne(h, rest & 0xff);
    rest >>= 8;
  }
  return avalanche(h);
}

@inline
function hashInline(key: usize, length: usize, out: usize): void {
  let h = P5;
  if (length >= 32) {
    let v1 = V1;
    let v2 = V2;
    let v3 = V3;
    let v4 = V4;
    for (const stripes = key + (length & ~31); key < stripes; key += 32) {
      v1 = round(v1, loadHalf(false, key));
      v2 = round(v2, loadHalf(true, key));
      v3 = round(v3, loadHalf(false, key + 16));
      v4 = round(v4, loadHalf(true, key + 16));
    }
    h = converge(v1, v2, v3, v4);
  }
  store<u64>(out, finish(h, key, length));
}

function hashCall(key: usize, length: usize, out: usize): void {
  hashInline(key, length, out);
}

/** Hashes the `length` bytes at `key` and writes h1 to `out`. Inlined as `murmur3` is. */
@inline
export function xxh64(key: usize, length: usize, out: usize): void {
  if (ASC_FEATURE_SIMD) hashInline(key, length, out);
  else hashCall(key, length, out);
}

/** Hashes the 8 bytes of `value`, little-endian, and writes h1 to `out`. */
@inline
export function xxh64OfU64(value: u64, out: usize): void {
  store<u64>(out, avalanche(mixEight(P5 + 8, value)));
}

// The state of a key that comes in parts: v1 … v4, the first half of a stripe whose second half has not come yet, and
// whether there is one.
const HALF: usize = 32;
const HAS_HALF: usize = 48;

/** Starts the hash of a key that comes in parts. `state` is 56 bytes; the hash will be the first 8. */
export function xxh64_begin(state: usize, _seed: u32): void {
  store<u64>(state, V1);
  store<u64>(state, V2, 8);
  store<u64>(state, V3, 16);
  store<u64>(state, V4, 24);
  store<u64>(state, 0, HAS_HALF);
}

/** Hashes the next part of a key: `length` bytes, a multiple of 16. */
export function xxh64_continue(state: usize, part: usize, length: usize): void {
  for (const end = part + length; part < end; part += 16) {
    const first = loadHalf(false, part);
    const second = loadHalf(true, part);
    if (load<u64>(state, HAS_HALF)) {
      store<u64>(state, round(load<u64>(state), load<u64>(state, HALF)));
      store<u64>(state, round(load<u64>(state, 8), load<u64>(state, HALF + 8)), 8);
      store<u64>(state, round(load<u64>(state, 16), first), 16);
      store<u64>(state, round(load<u64>(state, 24), second), 24);
      store<u64>(state, 0, HAS_HALF);
    } else {
      store<u64>(state, first, HALF);
      store<u64>(state, second, HALF + 8);
      store<u64>(state, 1, HAS_HALF);
    }
  }
}

/**
 * Finishes the hash of a key in parts: the last 0–15 bytes lie at `tail`, and `length` is that of the whole key in
 * bytes.
 */
export function xxh64_end(state: usize, tail: usize, length: f64): void {
  const bytes = <u64>length;
  if (load<u64>(state, HAS_HALF)) {
    memory.copy(WORK, state + HALF, 16);
    memory.copy(WORK + 16, tail, 16);
    tail = WORK;
  }
  const h = bytes < 32
    ? P5
    : converge(load<u64>(state), load<u64>(state, 8), load<u64>(state, 16), load<u64>(state, 24));
  store<u64>(state, finish(h, tail, bytes));
}
