// SipHash-1-3 with 128 bits of output (Jean-Philippe Aumasson and Daniel J. Bernstein, 2012; reference code at
// https://github.com/veorq/SipHash): nobody who lacks the secret can choose keys by their hashes.
//
// The state is v0 … v3. Each block of 8 bytes is mixed in by one round, and two times three rounds finish the hash. A
// function can return one number only, so the two lines of a round stand wherever there is one.
//
// As in murmur3.ts, every key in memory must be followed by 20 readable bytes.

import { add, loadHalf, rotate } from "./arithmetic";
import { SECRET } from "./memory";

const C0: u64 = 0x736f6d6570736575;
/** The last byte differs from that of the hash with 64 bits of output. */
const C1: u64 = 0x646f72616e646f6d ^ 0xee;
const C2: u64 = 0x6c7967656e657261;
const C3: u64 = 0x7465646279746573;

/** What turns each half of the secret into that for files. */
const OTHER_SECRET: u64 = 0x5c5c5c5c5c5c5c5c;

/** The address of the secret, which must be written before the first key is hashed. */
export function secret_at(): usize {
  return SECRET;
}

/** rotate(a, bits) ^ b */
@inline
function turn(a: u64, bits: u64, b: u64): u64 {
  return rotate(a, bits) ^ b;
}

/** The block after the last whole one: the up to 7 bytes that are left, and the length of the key in bytes. */
@inline
function lastBlock(bytes: u64, length: u64): u64 {
  return (bytes & (((<u64>1) << ((length & 7) << 3)) - 1)) | (length << 56);
}

/** Mixes in the last block, finishes the hash, and writes h1, then h2, to `out`. */
@inline
function finish(v0: u64, v1: u64, v2: u64, v3: u64, last: u64, out: usize): void {
  v3 ^= last;
  v0 = add(v0, v1); v2 = add(v2, v3); v1 = turn(v1, 13, v0); v3 = turn(v3, 16, v2); v0 = rotate(v0, 32);
  v2 = add(v2, v1); v0 = add(v0, v3); v1 = turn(v1, 17, v2); v3 = turn(v3, 21, v0); v2 = rotate(v2, 32);
  v0 ^= last;
  v2 ^= 0xee;
  for (const end = out + 16; out < end; out += 8) {
    v0 = add(v0, v1); v2 = add(v2, v3); v1 = turn(v1, 13, v0); v3 = turn(v3, 16, v2); v0 = rotate(v0, 32);
    v2 = add(v2, v1); v0 = add(v0, v3); v1 = turn(v1, 17, v2); v3 = turn(v3, 21, v0); v2 = rotate(v2, 32);

    v0 = add(v0, v1); v2 = add(v2, v3); v1 = turn(v1, 13, v0); v3 = turn(v3, 16, v2); v0 = rotate(v0, 32);
    v2 = add(v2, v1); v0 = add(v0, v3); v1 = turn(v1, 17, v2); v3 = turn(v3, 21, v0); v2 = rotate(v2, 32);

    v0 = add(v0, v1); v2 = add(v2, v3); v1 = turn(v1, 13, v0); v3 = turn(v3, 16, v2); v0 = rotate(v0, 32);
    v2 = add(v2, v1); v0 = add(v0, v3); v1 = turn(v1, 17, v2); v3 = turn(v3, 21, v0); v2 = rotate(v2, 32);

    store<u64>(out, v0 ^ v1 ^ v2 ^ v3);
    v1 ^= 0xdd;
  }
}

@inline
function hashInline(key: usize, length: usize, out: usize): void {
  const k0 = load<u64>(SECRET);
  const k1 = load<u64>(SECRET, 8);
  let v0 = k0 ^ C0;
  let v1 = k1 ^ C1;
  let v2 = k0 ^ C2;
  let v3 = k1 ^ C3;
  for (const tail = key + (length & ~7); key < tail; key += 8) {
    const block = loadHalf(false, key);
    v3 ^= block;
    v0 = add(v0, v1); v2 = add(v2, v3); v1 = turn(v1, 13, v0); v3 = turn(v3, 16, v2); v0 = rotate(v0, 32);
    v2 = add(v2, v1); v0 = add(v0, v3); v1 = turn(v1, 17, v2); v3 = turn(v3, 21, v0); v2 = rotate(v2, 32);
    v0 ^= block;
  }
  finish(v0, v1, v2, v3, lastBlock(loadHalf(false, key), length), out);
}

function hashCall(key: usize, length: usize, out: usize): void {
  hashInline(key, length, out);
}

/** Hashes the `length` bytes at `key` and writes h1, then h2, to `out`. Inlined as `murmur3` is. */
@inline
export function siphash(key: usize, length: usize, out: usize): void {
  if (ASC_FEATURE_SIMD) hashInline(key, length, out);
  else hashCall(key, length, out);
}

/** Hashes the 8 bytes of `value`, little-endian, and writes h1, then h2, to `out`. */
@inline
export function siphashOfU64(value: u64, out: usize): void {
  const k0 = load<u64>(SECRET);
  const k1 = load<u64>(SECRET, 8);
  let v0 = k0 ^ C0;
  let v1 = k1 ^ C1;
  let v2 = k0 ^ C2;
  let v3 = k1 ^ C3 ^ value;
  v0 = add(v0, v1); v2 = add(v2, v3); v1 = turn(v1, 13, v0); v3 = turn(v3, 16, v2); v0 = rotate(v0, 32);
  v2 = add(v2, v1); v0 = add(v0, v3); v1 = turn(v1, 17, v2); v3 = turn(v3, 21, v0); v2 = rotate(v2, 32);
  finish(v0 ^ value, v1, v2, v3, lastBlock(0, 8), out);
}

/**
 * Starts the hash of a key that comes in parts, or with seed 0 that of a file. `state` is 32 bytes; the hash will be
 * the first 16. Files are hashed under another secret, so that no hash of a key helps to forge one.
 */
export function siphash_begin(state: usize, seed: u32): void {
  const flipped: u64 = seed ? 0 : OTHER_SECRET;
  const k0 = load<u64>(SECRET) ^ flipped;
  const k1 = load<u64>(SECRET, 8) ^ flipped;
  store<u64>(state, k0 ^ C0);
  store<u64>(state, k1 ^ C1, 8);
  store<u64>(state, k0 ^ C2, 16);
  store<u64>(state, k1 ^ C3, 24);
}

/** Hashes the next part of a key: `length` bytes, a multiple of 8. */
export function siphash_continue(state: usize, part: usize, length: usize): void {
  let v0 = load<u64>(state);
  let v1 = load<u64>(state, 8);
  let v2 = load<u64>(state, 16);
  let v3 = load<u64>(state, 24);
  for (const end = part + length; part < end; part += 8) {
    const block = loadHalf(false, part);
    v3 ^= block;
    v0 = add(v0, v1); v2 = add(v2, v3); v1 = turn(v1, 13, v0); v3 = turn(v3, 16, v2); v0 = rotate(v0, 32);
    v2 = add(v2, v1); v0 = add(v0, v3); v1 = turn(v1, 17, v2); v3 = turn(v3, 21, v0); v2 = rotate(v2, 32);
    v0 ^= block;
  }
  store<u64>(state, v0);
  store<u64>(state, v1, 8);
  store<u64>(state, v2, 16);
  store<u64>(state, v3, 24);
}

/**
 * Finishes the hash of a key in parts: the last 0–15 bytes lie at `tail`, and `length` is that of the whole key in
 * bytes.
 */
export function siphash_end(state: usize, tail: usize, length: f64): void {
  const whole = <usize>(<u64>length & 8);
  siphash_continue(state, tail, whole);
  const last = lastBlock(loadHalf(false, tail + whole), <u64>length);
  finish(load<u64>(state), load<u64>(state, 8), load<u64>(state, 16), load<u64>(state, 24), last, state);
}
