// The split-block Bloom filter, as Parquet defines it: a key sets one bit in each of the eight 32-bit words of one
// block of 32 bytes, and touches one cache line instead of k.
//
// The high half of h1 chooses the block; word w gets bit (low32(h1) · salt[w]) >> 27. The format freezes this.

import { ONE_FLAG } from "./memory";
import { murmur3OfOne } from "./one";

// V8 makes a vector constant anew wherever it is used, in up to four instructions; what was loaded stays in a register.
const VECTORS: usize = memory.data<u32>([
  0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
  0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
  0x01010101, 0x01010101, 0x01010101, 0x01010101,
  0x18100800, 0x18100800, 0x18100800, 0x18100800,
  0x08040201, 0x80402010, 0, 0,
], 16);

/**
 * 2^(x · salt >> 27) in each of four words. There is no shift by a vector: the exponent e is copied to all four bytes of
 * its word, less 8 for each byte before; then a table gives 2^e where e is from 0 to 7, and 0 elsewhere.
 */
@inline
function masks(x: v128, salts: v128, copy: v128, before: v128, powers: v128): v128 {
  const exponents = i32x4.shr_u(i32x4.mul(x, salts), 27);
  return v128.swizzle(powers, i8x16.sub(i32x4.mul(exponents, copy), before));
}

/** The bit of one word, if it is not set; then sets it, if asked to. */
@inline
function visit(set: bool, word: usize, x: u32, salt: u32): u32 {
  const bit: u32 = 1 << ((x * salt) >> 27);
  const old = load<u32>(word);
  if (set) store<u32>(word, old | bit);
  return bit & ~old;
}

/** The block of a hash: the high half of h1 tells. */
@inline
function blockOf(body: usize, hash: usize, blocks: u32): usize {
  return body + (<usize>((<u64>load<u32>(hash, 4) * blocks) >> 32) << 5);
}

/** The loop of the vectors; add = false only looks. */
@inline
function probeVectors(add: bool, body: usize, blocks: u32, hashes: usize, count: u32, flags: usize): u32 {
  const firstSalts = v128.load(VECTORS);
  const lastSalts = v128.load(VECTORS, 16);
  const copy = v128.load(VECTORS, 32);
  const before = v128.load(VECTORS, 48);
  const powers = v128.load(VECTORS, 64);
  let flagged: u32 = 0;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16, flags++) {
    const block = blockOf(body, hashes, blocks);
    const x = v128.load32_splat(hashes);
    const first = masks(x, firstSalts, copy, before, powers);
    const last = masks(x, lastSalts, copy, before, powers);
    const oldFirst = v128.load(block);
    const oldLast = v128.load(block, 16);
    if (add) {
      v128.store(block, v128.or(oldFirst, first));
      v128.store(block, v128.or(oldLast, last), 16);
    }
    const absent = v128.any_true(v128.or(v128.andnot(first, oldFirst), v128.andnot(last, oldLast)));
    const flag = u32(add ? absent : !absent);
    store<u8>(flags, flag);
    flagged += flag;
  }
  return flagged;
}

const TOUCH_BYTES: u32 = 4 << 20;
const WINDOW: u32 = 256;

/**
 * Loads a word of each block that a window of hashes will need. WebAssembly has no prefetch, but of loads that
 * do nothing else the processor has many in flight at once.
 */
@inline
function touch(body: usize, blocks: u32, hashes: usize, count: u32, flags: usize): void {
  let sum: u32 = 0;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16) sum += load<u32>(blockOf(body, hashes, blocks));
  // A place that is written to next: what is not used would not be loaded.
  store<u8>(flags, sum);
}

/** A window at a time, touched before it is probed where the blocks are too many for the cache. */
@inline
function probeWindows(add: bool, body: usize, blocks: u32, hashes: usize, count: u32, flags: usize): u32 {
  if (blocks < TOUCH_BYTES / 32) return probeVectors(add, body, blocks, hashes, count, flags);
  let flagged: u32 = 0;
  while (count) {
    const size = min(count, WINDOW);
    touch(body, blocks, hashes, size, flags);
    flagged += probeVectors(add, body, blocks, hashes, size, flags);
    count -= size;
    hashes += size << 4;
    flags += size;
  }
  return flagged;
}

/** The same without vectors, word by word. */
@inline
function probeWords(add: bool, body: usize, blocks: u32, hashes: usize, count: u32, flags: usize): u32 {
  let flagged: u32 = 0;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16, flags++) {
    const block = blockOf(body, hashes, blocks);
    const x = load<u32>(hashes);
    const absent =
      visit(add, block, x, 0x47b6137b) | visit(add, block + 4, x, 0x44974d91) |
      visit(add, block + 8, x, 0x8824ad5b) | visit(add, block + 12, x, 0xa2b7289d) |
      visit(add, block + 16, x, 0x705495c7) | visit(add, block + 20, x, 0x2df1424b) |
      visit(add, block + 24, x, 0x9efc4947) | visit(add, block + 28, x, 0x5c6bfb31);
    const flag = u32(add ? absent != 0 : absent == 0);
    store<u8>(flags, flag);
    flagged += flag;
  }
  return flagged;
}

/**
 * Adds `count` hashes, flags with 1 those that were certainly absent, and returns how many. The flags are there for the
 * asking: whether one is set is known from the words that are written anyway.
 */
export function blocked_add(body: usize, blocks: u32, hashes: usize, count: u32, flags: usize): u32 {
  if (ASC_FEATURE_SIMD) return probeWindows(true, body, blocks, hashes, count, flags);
  return probeWords(true, body, blocks, hashes, count, flags);
}

/** Flags with 1 those of `count` hashes that may be present, and returns how many. */
export function blocked_has(body: usize, blocks: u32, hashes: usize, count: u32, flags: usize): u32 {
  if (ASC_FEATURE_SIMD) return probeWindows(false, body, blocks, hashes, count, flags);
  return probeWords(false, body, blocks, hashes, count, flags);
}

/** Adds a key; 1 if it was certainly absent. */
export function blocked_add_key(body: usize, blocks: u32, text: externref, key: usize, length: u32, seed: u32): u32 {
  return blocked_add(body, blocks, murmur3OfOne(text, key, length, seed), 1, ONE_FLAG);
}

/** 1 if a key may be present. */
export function blocked_has_key(body: usize, blocks: u32, text: externref, key: usize, length: u32, seed: u32): u32 {
  return blocked_has(body, blocks, murmur3OfOne(text, key, length, seed), 1, ONE_FLAG);
}

/** The mean over blocks of the share of absent keys for which all eight words of the block have the bit. */
export function blocked_error_rate(body: usize, blocks: u32): f64 {
  let sum: f64 = 0;
  for (const end = body + (<usize>blocks << 5); body < end; ) {
    let share: f64 = 1;
    for (const next = body + 32; body < next; body += 4) share *= <f64>popcnt(load<u32>(body)) / 32;
    sum += share;
  }
  return sum / blocks;
}
