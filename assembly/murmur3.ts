// MurmurHash3 x64_128 (Austin Appleby, public domain, SMHasher), with a 32-bit seed.
//
// A key is read 16 bytes at a time, also its last, partial 16: whoever writes a key into memory leaves
// 16 readable bytes behind it. Loads say that they are unaligned, for wasm2js is silently wrong otherwise.

const C1: u64 = 0x87c37b91114253d5;
const C2: u64 = 0x4cf5ad432745937f;

@inline
export function mixFirst(k: u64): u64 {
  return rotl(k * C1, 31) * C2;
}

@inline
export function mixSecond(k: u64): u64 {
  return rotl(k * C2, 33) * C1;
}

@inline
function avalanche(k: u64): u64 {
  k = (k ^ (k >> 33)) * 0xff51afd7ed558ccd;
  k = (k ^ (k >> 33)) * 0xc4ceb9fe1a85ec53;
  return k ^ (k >> 33);
}

/** h1 after a block of 16 bytes, of which `k` is the first half. */
@inline
export function nextFirst(h1: u64, h2: u64, k: u64): u64 {
  return (rotl(h1 ^ mixFirst(k), 27) + h2) * 5 + 0x52dce729;
}

/** h2 after the same block, of which `k` is the second half, from the h1 after it. */
@inline
export function nextSecond(h1: u64, h2: u64, k: u64): u64 {
  return (rotl(h2 ^ mixSecond(k), 31) + h1) * 5 + 0x38495ab5;
}

/** 16 bytes from `MASKS − n` on: n that are all ones, the others zero. */
const MASKS: usize = memory.data<u64>([u64.MAX_VALUE, u64.MAX_VALUE, 0, 0]) + 16;

// Lengths differ from key to key: a branch on them is mispredicted so often that it costs more than to calculate what
// is thrown away. Not so in plain JavaScript, where a multiplication of 64 bits takes many: there it is the branch.

/** Writes the hash of a key whose whole blocks have made (h1, h2) and whose last 0–15 bytes lie at `tail`. */
@inline
function finish(h1: u64, h2: u64, tail: usize, length: u64, out: usize): void {
  const rest = length & 15;
  if (ASC_FEATURE_SIMD) {
    const mask = MASKS - <usize>rest;
    h2 ^= mixSecond(load<u64>(tail, 8, 1) & load<u64>(mask, 8, 1));
    h1 ^= mixFirst(load<u64>(tail, 0, 1) & load<u64>(mask, 0, 1));
  } else if (rest > 8) {
    h2 ^= mixSecond(load<u64>(tail, 8, 1) & (u64.MAX_VALUE >> ((16 - rest) << 3)));
    h1 ^= mixFirst(load<u64>(tail, 0, 1));
  } else if (rest) {
    h1 ^= mixFirst(load<u64>(tail, 0, 1) & (u64.MAX_VALUE >> ((8 - rest) << 3)));
  }
  seal(h1, h2, length, out);
}

/** Ends a hash whose last bytes are mixed in, and writes h1, then h2, to `out`. */
@inline
export function seal(h1: u64, h2: u64, length: u64, out: usize): void {
  h1 ^= length;
  h2 ^= length;
  h1 += h2;
  h2 += h1;
  h1 = avalanche(h1);
  h2 = avalanche(h2);
  h1 += h2;
  store<u64>(out, h1);
  store<u64>(out, h2 + h1, 8);
}

/** Hashes the `length` bytes at `key` and writes h1, then h2, to `out`. */
@inline
export function murmur3(key: usize, length: usize, seed: u32, out: usize): void {
  let h1: u64 = seed;
  let h2: u64 = seed;
  const tail = key + (length & ~15);
  if (ASC_FEATURE_SIMD) {
    const first = nextFirst(h1, h2, load<u64>(key, 0, 1));
    const second = nextSecond(first, h2, load<u64>(key, 8, 1));
    h1 = select(first, h1, key < tail);
    h2 = select(second, h2, key < tail);
    key += 16;
  }
  for (; key < tail; key += 16) {
    h1 = nextFirst(h1, h2, load<u64>(key, 0, 1));
    h2 = nextSecond(h1, h2, load<u64>(key, 8, 1));
  }
  finish(h1, h2, tail, length, out);
}

/** The same for the 8 bytes of `value`, little-endian. */
@inline
export function murmur3OfU64(value: u64, seed: u32, out: usize): void {
  seal(seed ^ mixFirst(value), seed, 8, out);
}

/** Starts the hash of a key that comes in pieces: `state` is the 16 bytes that will hold its hash. */
export function murmur3_begin(state: usize, seed: u32): void {
  store<u64>(state, seed);
  store<u64>(state, seed, 8);
}

/** Takes the next piece: `length` bytes, a multiple of 16. */
export function murmur3_continue(state: usize, piece: usize, length: usize): void {
  let h1 = load<u64>(state);
  let h2 = load<u64>(state, 8);
  for (const end = piece + length; piece < end; piece += 16) {
    h1 = nextFirst(h1, h2, load<u64>(piece, 0, 1));
    h2 = nextSecond(h1, h2, load<u64>(piece, 8, 1));
  }
  store<u64>(state, h1);
  store<u64>(state, h2, 8);
}

/** Ends it: the last 0–15 bytes lie at `tail`, `length` counts the bytes of the whole key. */
export function murmur3_end(state: usize, tail: usize, length: f64): void {
  finish(load<u64>(state), load<u64>(state, 8), tail, <u64>length, state);
}
