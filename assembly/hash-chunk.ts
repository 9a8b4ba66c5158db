// Hashes a chunk of keys: each function `hash_…` writes one 128-bit hash (h1, h2) per key to `hashes`.
//
// Keys of bytes are contiguous; `ends[i]`, a u32, is where key i ends, counted from the start of the chunk. 32
// readable bytes follow every chunk.

import { hash, hashOfU64 } from "./hash";

const NEWLINE: u8 = 0x0a;
const RETURN: u8 = 0x0d;

/** Hashes `count` contiguous keys of bytes. */
export function hash_packed(bytes: usize, ends: usize, count: u32, seed: u32, hashes: usize): void {
  let start: usize = 0;
  for (let i: u32 = 0; i < count; i++) {
    const end = <usize>load<u32>(ends + (i << 2));
    assert(start <= end);
    hash(bytes + start, end - start, seed, hashes + (i << 4));
    start = end;
  }
}

const LOW_BITS: u64 = 0x0101010101010101;
const HIGH_BITS: u64 = 0x8080808080808080;

/** Byte i of the result is the number of UTF-16 units that begin in bytes 0 … i of the given eight bytes of UTF-8. */
@inline
function unitsUpTo(bytes: u64): u64 {
  // Each byte except 10xxxxxx begins a unit, and 1111xxxx begins a second one.
  const one = ~bytes | (bytes << 1);
  const two = bytes & (bytes << 1) & (bytes << 2) & (bytes << 3);
  return (((one & HIGH_BITS) >> 7) + ((two & HIGH_BITS) >> 7)) * LOW_BITS;
}

/** How many of eight bytes are at most `limit`. All must be below 128. */
@inline
function countUpTo(limit: u64, bytes: u64): u32 {
  return <u32>popcnt((((limit * LOW_BITS) | HIGH_BITS) - bytes) & HIGH_BITS);
}

/**
 * Converts ends counted in UTF-16 units to ends counted in bytes of the UTF-8 at `bytes`. A surrogate pair, two units,
 * is four bytes; every other unit is a character of its own. Returns false if an end lies inside a pair: then the ends
 * are wrong. Overwrites the byte after the `length` bytes. Without SIMD it goes character by character, because that
 * build becomes JavaScript, where 64-bit arithmetic is slow.
 */
export function utf8_ends(bytes: usize, length: usize, ends: usize, count: u32): bool {
  // A zero, so that the last character cannot seem to continue after the text.
  store<u8>(bytes + length, 0);
  let at = bytes;
  let units: u32 = 0;
  for (const stop = ends + (count << 2); ends < stop; ends += 4) {
    const end = load<u32>(ends);
    if (ASC_FEATURE_SIMD) {
      // If all of its bytes are ASCII, the key has as many bytes as units, and the next one need not wait for a count.
      const asciiEnd = at + (end - units);
      let ascii = at;
      while (ascii < asciiEnd && !i8x16.bitmask(v128.load(ascii))) ascii += 16;
      if (ascii < asciiEnd) {
        units += <u32>(ascii - at);
        at = ascii;
        let begun = unitsUpTo(load<u64>(at, 0, 1));
        while (units + <u32>(begun >> 56) <= end) {
          units += <u32>(begun >> 56);
          at += 8;
          begun = unitsUpTo(load<u64>(at, 0, 1));
        }
        at += countUpTo(end - units, begun);
      } else {
        at = asciiEnd;
      }
      units = end;
    } else {
      while (units < end) {
        const lead = load<u8>(at);
        at += 1 + i32(lead >= 0xc0) + i32(lead >= 0xe0) + i32(lead >= 0xf0);
        units += 1 + u32(lead >= 0xf0);
      }
      if (units > end) return false;
    }
    assert(at <= bytes + length);
    store<u32>(ends, <u32>(at - bytes));
  }
  // With SIMD, an end inside a pair becomes one before it, so all later ones come a unit too early.
  return at == bytes + length;
}

/** A mask whose bit i is 1 if byte i of the 16 at `at` is a newline. */
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

/** 1 if any of the 32 bytes at `at` is a carriage return. Always 1 without SIMD, where checking does not pay off. */
@inline
function anyReturn(at: usize): u32 {
  if (!ASC_FEATURE_SIMD) return 1;
  const wanted = i8x16.splat(RETURN);
  return u32(v128.any_true(v128.or(i8x16.eq(v128.load(at), wanted), i8x16.eq(v128.load(at, 16), wanted))));
}

/** Writes that a line ends after the first newline of the mask, and returns the mask without that newline. */
@inline
function putEnd(ends: usize, at: u32, mask: u32): u32 {
  store<u32>(ends, at + ctz(mask) + 1);
  return mask & (mask - 1);
}

/**
 * 1 if the text that `findLines` searched last has a carriage return. Most texts have none; their lines need no check
 * for one, which would make hashing them a sixth slower.
 */
let returns: u32 = 0;

/**
 * Finds at most `limit` lines, writes where each ends, after its newline, and returns their number. `missing` is 1 if
 * the last line has no newline; one is then assumed right after the text.
 */
@inline
function findLines(text: usize, length: u32, missing: u32, limit: u32, ends: usize): u32 {
  let count: u32 = 0;
  let seen: u32 = 0;
  for (let at: u32 = 0; at < length + missing && count < limit; at += 32) {
    seen |= anyReturn(text + at);
    let mask = newlines(text + at) | (newlines(text + at + 16) << 16);
    if (at + 32 > length) {
      const rest = length - at;
      mask = (mask & ((1 << rest) - 1)) | (missing << rest);
    }
    let next = ends + (count << 2);
    count += <u32>popcnt(mask);
    // Writes three ends at a time, even if fewer are left, so that few branches are mispredicted. The ends found in the
    // next 32 bytes overwrite the excess.
    do {
      mask = putEnd(next, at, mask);
      mask = putEnd(next + 4, at, mask);
      mask = putEnd(next + 8, at, mask);
      next += 12;
    } while (mask);
  }
  returns = seen;
  return min(count, limit);
}

/** Hashes the `count` lines that `findLines` found, and returns where the last one ends. */
@inline
function hashFound(crlf: bool, text: usize, length: u32, ends: usize, count: u32, seed: u32, hashes: usize): usize {
  let start = text;
  for (let i: u32 = 0; i < count; i++) {
    const end = text + load<u32>(ends + (i << 2));
    let newline = end - 1;
    // Drop a carriage return only before a real newline: the last line may have none.
    if (crlf) newline -= usize(u32(start < newline) & u32(newline < text + length) & u32(load<u8>(newline - 1) == RETURN));
    hash(start, newline - start, seed, hashes + (i << 4));
    start = end;
  }
  return start;
}

/**
 * Hashes at most `limit` lines of text, writes where each ends, terminator included, and returns their number. The text
 * after the last newline is a line only if `last` is 1: no more text comes. `ends` must have room for 34 entries beyond
 * `limit`.
 */
export function hash_lines(
  text: usize, length: u32, last: u32, crlf: u32, limit: u32, seed: u32, hashes: usize, ends: usize,
): u32 {
  const missing = u32(last != 0 && length > 0 && load<u8>(text + length - 1) != NEWLINE);
  const count = findLines(text, length, missing, limit, ends);
  const stop = crlf & returns
    ? hashFound(true, text, length, ends, count, seed, hashes)
    : hashFound(false, text, length, ends, count, seed, hashes);
  // A line without a newline ends where the text ends.
  if (count && stop > text + length) store<u32>(ends + ((count - 1) << 2), length);
  return count;
}

/** Hashes `count` 8-byte integers. */
export function hash_u64(integers: usize, count: u32, seed: u32, hashes: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    hashOfU64(load<u64>(integers + (i << 3)), seed, hashes + (i << 4));
  }
}

/** Hashes `count` 4-byte integers, signed or not, as the 8-byte integers of the same value. */
export function hash_32(integers: usize, count: u32, signed: u32, seed: u32, hashes: usize): void {
  const mask: u64 = signed ? u64.MAX_VALUE : u32.MAX_VALUE;
  for (let i: u32 = 0; i < count; i++) {
    hashOfU64(<u64>(<i64>load<i32>(integers + (i << 2))) & mask, seed, hashes + (i << 4));
  }
}

/** Moves the keys with flag `wanted`, and their ends, to the front of the chunk. Returns their number. */
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
