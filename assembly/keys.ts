// The walkers: each reads a chunk of keys and writes one 128-bit hash (h1, h2) a key to `hashes`.
//
// Byte keys lie one behind the other; `ends[i]`, a u32, tells where key i ends, counted from the start of the
// chunk. 16 readable bytes follow every chunk.

import { murmur3, murmur3OfU64 } from "./murmur3";

const NEWLINE: u8 = 0x0a;
const RETURN: u8 = 0x0d;

/** Hashes `count` keys of bytes. */
export function hash_packed(bytes: usize, ends: usize, count: u32, seed: u32, hashes: usize): void {
  let start: usize = 0;
  for (let i: u32 = 0; i < count; i++) {
    const end = <usize>load<u32>(ends + (i << 2));
    assert(start <= end);
    murmur3(bytes + start, end - start, seed, hashes + (i << 4));
    start = end;
  }
}

/**
 * Turns ends counted in UTF-16 units into ends counted in bytes of the UTF-8 at `bytes`. A surrogate pair,
 * two units, is four bytes; every other unit is a character of its own, as the lead byte tells.
 */
export function utf8_ends(bytes: usize, ends: usize, count: u32): void {
  let at = bytes;
  let units: u32 = 0;
  for (const stop = ends + (count << 2); ends < stop; ends += 4) {
    const end = load<u32>(ends);
    while (units < end) {
      const lead = load<u8>(at);
      at += 1 + i32(lead >= 0xc0) + i32(lead >= 0xe0) + i32(lead >= 0xf0);
      units += 1 + u32(lead >= 0xf0);
    }
    store<u32>(ends, <u32>(at - bytes));
  }
}

/** Bit i says that byte i of the 16 at `at` is a newline. */
@inline
function newlines(at: usize): u32 {
  if (ASC_FEATURE_SIMD) {
    return i8x16.bitmask(i8x16.eq(v128.load(at), i8x16.splat(NEWLINE)));
  } else {
    let mask: u32 = 0;
    for (let i: u32 = 0; i < 16; i++) mask |= u32(load<u8>(at + i) == NEWLINE) << i;
    return mask;
  }
}

/**
 * Hashes at most `limit` lines of text, writes where each ends with its terminator, and returns how many. What
 * follows the last newline is a line only if `last` says that no more text comes.
 */
export function hash_lines(
  text: usize, length: usize, last: u32, crlf: u32, limit: u32, seed: u32, hashes: usize, ends: usize,
): u32 {
  const stop = text + length;
  // 1 if the last line misses its newline: then it is taken to stand right behind the text.
  const missing = u32(last != 0 && length > 0 && load<u8>(stop - 1) != NEWLINE);
  let start = text;
  let count: u32 = 0;
  for (let at = text; at < stop + missing; at += 16) {
    let mask = newlines(at);
    if (at + 16 > stop) {
      const rest = <u32>(stop - at);
      mask = (mask & ((1 << rest) - 1)) | (missing << rest);
    }
    for (; mask; mask &= mask - 1) {
      if (count == limit) return count;
      const newline = at + ctz(mask);
      const cut = usize(crlf != 0 && start < newline && newline < stop && load<u8>(newline - 1) == RETURN);
      murmur3(start, newline - cut - start, seed, hashes + (count << 4));
      start = newline + 1;
      store<u32>(ends + (count << 2), <u32>(min(start, stop) - text));
      count++;
    }
  }
  return count;
}

/** Hashes `count` integers of 8 bytes. */
export function hash_u64(integers: usize, count: u32, seed: u32, hashes: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    murmur3OfU64(load<u64>(integers + (i << 3)), seed, hashes + (i << 4));
  }
}

/** Hashes `count` integers of 4 bytes, signed or not, as the 8-byte integers of the same value. */
export function hash_32(integers: usize, count: u32, signed: u32, seed: u32, hashes: usize): void {
  const mask: u64 = signed ? u64.MAX_VALUE : u32.MAX_VALUE;
  for (let i: u32 = 0; i < count; i++) {
    murmur3OfU64(<u64>(<i64>load<i32>(integers + (i << 2))) & mask, seed, hashes + (i << 4));
  }
}

/** Moves the keys of bytes whose flag is `wanted`, and their ends, to the front of the chunk. Returns how many. */
export function keep_packed(bytes: usize, ends: usize, count: u32, flags: usize, wanted: u8): u32 {
  let start: usize = 0;
  let length: usize = 0;
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const end = <usize>load<u32>(ends + (i << 2));
    if (load<u8>(flags + i) == wanted) {
      memory.copy(bytes + length, bytes + start, end - start);
      length += end - start;
      store<u32>(ends + (kept++ << 2), <u32>length);
    }
    start = end;
  }
  return kept;
}
