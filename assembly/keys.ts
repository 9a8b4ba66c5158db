// The walkers: each reads a chunk of keys and writes one 128-bit hash (h1, h2) a key to `hashes`.
//
// Byte keys lie one behind the other; `ends[i]`, a u32, tells where key i ends, counted from the start of the
// chunk. 32 readable bytes follow every chunk.

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

const LOW_BITS: u64 = 0x0101010101010101;
const HIGH_BITS: u64 = 0x8080808080808080;

/** Of eight bytes of UTF-8, how many UTF-16 units begin in the first, in the first two, … and in all: a byte for each. */
@inline
function unitsUpTo(bytes: u64): u64 {
  // A unit with each byte but 10xxxxxx, and one more with 1111xxxx.
  const one = ~bytes | (bytes << 1);
  const two = bytes & (bytes << 1) & (bytes << 2) & (bytes << 3);
  return (((one & HIGH_BITS) >> 7) + ((two & HIGH_BITS) >> 7)) * LOW_BITS;
}

/** How many of eight bytes below 128 are at most `limit`, which is below 128, too. */
@inline
function countUpTo(limit: u64, bytes: u64): u32 {
  return <u32>popcnt((((limit * LOW_BITS) | HIGH_BITS) - bytes) & HIGH_BITS);
}

/**
 * Turns ends counted in UTF-16 units into ends counted in bytes of the UTF-8 at `bytes`. A surrogate pair, two units, is
 * four bytes; every other unit is a character of its own. No end may lie inside a pair. The byte behind the `length`
 * bytes is overwritten. (Where there is no SIMD this becomes JavaScript, in which 64-bit arithmetic is slow.)
 */
export function utf8_ends(bytes: usize, length: usize, ends: usize, count: u32): void {
  // So that the last character does not seem to go on behind the text.
  store<u8>(bytes + length, 0);
  let at = bytes;
  let units: u32 = 0;
  for (const stop = ends + (count << 2); ends < stop; ends += 4) {
    const end = load<u32>(ends);
    if (ASC_FEATURE_SIMD) {
      let begun = unitsUpTo(load<u64>(at, 0, 1));
      while (units + <u32>(begun >> 56) <= end) {
        units += <u32>(begun >> 56);
        at += 8;
        begun = unitsUpTo(load<u64>(at, 0, 1));
      }
      at += countUpTo(end - units, begun);
      units = end;
    } else {
      while (units < end) {
        const lead = load<u8>(at);
        at += 1 + i32(lead >= 0xc0) + i32(lead >= 0xe0) + i32(lead >= 0xf0);
        units += 1 + u32(lead >= 0xf0);
      }
    }
    assert(at <= bytes + length);
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

/** 1 if a carriage return is among the 32 bytes at `at`. Without vectors it is not worth finding out. */
@inline
function anyReturn(at: usize): u32 {
  if (!ASC_FEATURE_SIMD) return 1;
  const wanted = i8x16.splat(RETURN);
  return u32(v128.any_true(v128.or(i8x16.eq(v128.load(at), wanted), i8x16.eq(v128.load(at, 16), wanted))));
}

/** Writes that a line ends behind the first newline of the mask, and takes that out of it. */
@inline
function putEnd(ends: usize, at: u32, mask: u32): u32 {
  store<u32>(ends, at + ctz(mask) + 1);
  return mask & (mask - 1);
}

/**
 * 1 if the text in which lines were found last has a carriage return. Hardly any has, and then none need be looked for at
 * the end of each line, which would make their hashes a sixth slower.
 */
let returns: u32 = 0;

/**
 * Writes where each of at most `limit` lines ends behind its newline, and returns how many. `missing` is 1 if the last
 * line misses its newline, which is then taken to stand right behind the text.
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
    // Three at a time, also where there are fewer, so that there is seldom a branch to mispredict. The next 32 bytes
    // overwrite what is too much.
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

/** Hashes the lines that were found, and returns where the last ends. */
@inline
function hashFound(crlf: bool, text: usize, length: u32, ends: usize, count: u32, seed: u32, hashes: usize): usize {
  let start = text;
  for (let i: u32 = 0; i < count; i++) {
    const end = text + load<u32>(ends + (i << 2));
    let newline = end - 1;
    // A carriage return before a newline that is there: the last line may have none.
    if (crlf) newline -= usize(u32(start < newline) & u32(newline < text + length) & u32(load<u8>(newline - 1) == RETURN));
    murmur3(start, newline - start, seed, hashes + (i << 4));
    start = end;
  }
  return start;
}

/**
 * Hashes at most `limit` lines of text, writes where each ends with its terminator, and returns how many. What
 * follows the last newline is a line only if `last` says that no more text comes. Behind the `limit` ends there is room
 * for 34 more.
 */
export function hash_lines(
  text: usize, length: u32, last: u32, crlf: u32, limit: u32, seed: u32, hashes: usize, ends: usize,
): u32 {
  const missing = u32(last != 0 && length > 0 && load<u8>(text + length - 1) != NEWLINE);
  const count = findLines(text, length, missing, limit, ends);
  const stop = crlf & returns
    ? hashFound(true, text, length, ends, count, seed, hashes)
    : hashFound(false, text, length, ends, count, seed, hashes);
  // The end of a line without a newline is the end of the text.
  if (count && stop > text + length) store<u32>(ends + ((count - 1) << 2), length);
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
