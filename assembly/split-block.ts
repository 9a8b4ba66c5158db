// The code that the kinds with split blocks share: a block is a row of 32-bit words, and a key sets one bit in each
// word. Salts spread a 32-bit half of the hash over eight words: word w gets bit (half · salt[w]) >> 27. The format
// freezes this.

import { multiplyHigh } from "./arithmetic";
import { setMissingVector } from "./threads";

// Constants in memory, because V8 builds a vector literal again at each use, in up to four instructions, but keeps a
// loaded vector in a register. Lazy, so that the build without vectors carries no data.
@lazy
const VECTORS: usize = memory.data<u32>([
  0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
  0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
  0x01010101, 0x01010101, 0x01010101, 0x01010101,
  0x18100800, 0x18100800, 0x18100800, 0x18100800,
  0x08040201, 0x80402010, 0, 0,
], 16);

// The constants of `visitVectors`, which a loop loads once.

@inline
export function firstSalts(): v128 {
  return v128.load(VECTORS);
}

@inline
export function lastSalts(): v128 {
  return v128.load(VECTORS, 16);
}

/** A factor that copies the low byte of a word to all four of its bytes. */
@inline
export function copies(): v128 {
  return v128.load(VECTORS, 32);
}

/** For each byte of a word, the number of bits before it. */
@inline
export function bitsBefore(): v128 {
  return v128.load(VECTORS, 48);
}

/** The table of 2^e for e from 0 to 7, and 0 elsewhere. */
@inline
export function powers(): v128 {
  return v128.load(VECTORS, 64);
}

/**
 * 2^(half · salt >> 27) in each of four words. SIMD has no shift by a vector. So each exponent is copied to all four
 * bytes of its word, and the number of bits before each byte is subtracted. The table then gives 2^e for each byte e
 * from 0 to 7, and 0 for all others.
 */
@inline
export function masks(half: v128, salts: v128, copy: v128, before: v128, table: v128): v128 {
  const exponents = i32x4.shr_u(i32x4.mul(half, salts), 27);
  return v128.swizzle(table, i8x16.sub(i32x4.mul(exponents, copy), before));
}

/**
 * Returns the bits of a key in eight words that are not set yet. If `set`, sets them; where threads share the memory,
 * returns only those that this thread has set.
 */
@inline
export function visitVectors(
  set: bool, words: usize, half: v128, first: v128, last: v128, copy: v128, before: v128, table: v128,
): v128 {
  const firstMask = masks(half, first, copy, before, table);
  const lastMask = masks(half, last, copy, before, table);
  const oldFirst = v128.load(words);
  const oldLast = v128.load(words, 16);
  if (ASC_FEATURE_THREADS && set) {
    const first = setMissingVector(words, v128.andnot(firstMask, oldFirst));
    return v128.or(first, setMissingVector(words + 16, v128.andnot(lastMask, oldLast)));
  }
  if (set) {
    v128.store(words, v128.or(oldFirst, firstMask));
    v128.store(words, v128.or(oldLast, lastMask), 16);
  }
  return v128.or(v128.andnot(firstMask, oldFirst), v128.andnot(lastMask, oldLast));
}

/** Returns a key's bit in one word if it is not set, else 0. If `set`, sets it. */
@inline
function visit(set: bool, word: usize, half: u32, salt: u32): u32 {
  const bit: u32 = 1 << ((half * salt) >> 27);
  const old = load<u32>(word);
  if (set) store<u32>(word, old | bit);
  return bit & ~old;
}

/** Visits eight words one by one. Returns 0 if all eight bits were set. If `set`, sets them. */
@inline
export function visitWords(set: bool, words: usize, half: u32): u32 {
  return (
    visit(set, words, half, 0x47b6137b) | visit(set, words + 4, half, 0x44974d91) |
    visit(set, words + 8, half, 0x8824ad5b) | visit(set, words + 12, half, 0xa2b7289d) |
    visit(set, words + 16, half, 0x705495c7) | visit(set, words + 20, half, 0x2df1424b) |
    visit(set, words + 24, half, 0x9efc4947) | visit(set, words + 28, half, 0x5c6bfb31)
  );
}

/** A pointer to the block that the high half of h1 chooses. A block has `1 << shift` bytes. */
@inline
export function blockOf(body: usize, hash: usize, blocks: u32, shift: u32): usize {
  return body + (multiplyHigh(load<u32>(hash, 4), blocks) << shift);
}

/**
 * Bodies of at least this many bytes are touched before they are probed. This is below the cache size, because the keys
 * of a batch occupy the cache too.
 */
export const TOUCH_BYTES: u32 = 1 << 20;
/** The number of hashes touched at once, ahead of the probe. */
export const TILE: u32 = 256;

/**
 * Loads a word of each block that a tile of hashes will need. WebAssembly has no prefetch, but the processor
 * overlaps the waits for memory if nothing stands between the loads.
 */
@inline
export function touch(body: usize, blocks: u32, shift: u32, hashes: usize, count: u32, flags: usize): void {
  let sum: u32 = 0;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16) {
    sum += load<u32>(blockOf(body, hashes, blocks, shift));
  }
  // Without this store, which a flag will overwrite, the compiler drops the loads.
  store<u8>(flags, sum);
}

/**
 * The error rate: the mean, over all blocks, of the share of absent keys whose bits are all set in the block. A block
 * begins `stride` bytes after the one before.
 */
@inline
export function errorRate(body: usize, blocks: u32, bytes: u32, stride: u32): f64 {
  let sum: f64 = 0;
  for (const end = body + <usize>blocks * stride; body < end; body += stride) {
    let share: f64 = 1;
    for (let at = body; at < body + bytes; at += 4) share *= <f64>popcnt(load<u32>(at)) / 32;
    sum += share;
  }
  return sum / blocks;
}
