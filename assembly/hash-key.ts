// Hashes a single key: bytes in memory, or a string that is read in place.
//
// Strings are read through the JS string builtins of WebAssembly 3.0, which runtimes compile to a few instructions per
// call. In runtimes without them, each call would be a call of JavaScript, so the caller writes the string to memory
// and passes null.

import { hash, MURMUR3 } from "./hash";
import { ONE_HASH, WORK } from "./memory";
import { mixFirst, mixSecond, nextFirst, nextSecond, seal } from "./murmur3";

@external("wasm:js-string", "charCodeAt")
declare function charCodeAt(text: externref, index: u32): u32;

/** In place of the length of a key: it is an integer, written as f64. */
const NUMBER: u32 = 0x7fffffff;

/** The bits of four 16-bit units that are 0 in ASCII characters. */
const NOT_ASCII: u64 = 0xff80ff80ff80ff80;

/** Four units of a string, the first one in the lowest 16 bits. */
@inline
function four(text: externref, at: u32): u64 {
  const low = charCodeAt(text, at) | (charCodeAt(text, at + 1) << 16);
  const high = charCodeAt(text, at + 2) | (charCodeAt(text, at + 3) << 16);
  return low | (<u64>high << 32);
}

/** Packs four ASCII units into four bytes. */
@inline
function narrow(units: u64): u64 {
  const pairs = (units | (units >> 8)) & 0x0000ffff0000ffff;
  return <u32>(pairs | (pairs >> 16));
}

/** Packs eight ASCII units into eight bytes. */
@inline
function eight(low: u64, high: u64): u64 {
  return narrow(low) | (narrow(high) << 32);
}

/**
 * Hashes an ASCII string, writes h1, then h2, to `out`, and returns true. For any other string, writes nothing and
 * returns false.
 */
@inline
function murmur3OfAscii(text: externref, units: u32, seed: u32, out: usize): bool {
  let h1: u64 = seed;
  let h2: u64 = seed;
  let all: u64 = 0;
  let at: u32 = 0;
  for (; at + 16 <= units; at += 16) {
    const a = four(text, at);
    const b = four(text, at + 4);
    const c = four(text, at + 8);
    const d = four(text, at + 12);
    all |= a | b | c | d;
    h1 = nextFirst(h1, h2, eight(a, b));
    h2 = nextSecond(h1, h2, eight(c, d));
  }
  let first: u64 = 0;
  const half = at + 8 <= units;
  if (half) {
    const a = four(text, at);
    const b = four(text, at + 4);
    all |= a | b;
    first = eight(a, b);
    at += 8;
  }
  // Most strings that are not ASCII are found out here, before the rest is read for nothing.
  if (all & NOT_ASCII) return false;
  let rest: u64 = 0;
  for (let i = units; i > at; ) {
    const unit = charCodeAt(text, --i);
    all |= unit;
    rest = (rest << 8) | unit;
  }
  if (all & NOT_ASCII) return false;
  // A half past the end of the string is zero, and mixing in zero changes nothing.
  seal(h1 ^ mixFirst(half ? first : rest), h2 ^ mixSecond(half ? rest : 0), units, out);
  return true;
}

/**
 * Writes an ASCII string to the work area as bytes, and up to 7 more. Returns false for any other string. Hashes other
 * than MurmurHash3 read it from there: to hash the characters as they are read would take another copy of their rounds,
 * and save little.
 */
@inline
function writeAscii(text: externref, units: u32): bool {
  let all: u64 = 0;
  let at: u32 = 0;
  for (; at + 8 <= units; at += 8) {
    const a = four(text, at);
    const b = four(text, at + 4);
    all |= a | b;
    store<u64>(WORK + at, eight(a, b));
  }
  let rest: u64 = 0;
  for (let i = units; i > at; ) {
    const unit = charCodeAt(text, --i);
    all |= unit;
    rest = (rest << 8) | unit;
  }
  store<u64>(WORK + at, rest);
  return !(all & NOT_ASCII);
}

/**
 * Hashes an ASCII string, writes h1, then h2, to `out`, and returns true. For any other string, writes no hash and
 * returns false.
 */
@inline
function hashOfAscii(text: externref, units: u32, seed: u32, out: usize): bool {
  if (HASH == MURMUR3) return murmur3OfAscii(text, units, seed, out);
  if (!writeAscii(text, units)) return false;
  hash(WORK, units, seed, out);
  return true;
}

/** Writes a UTF-8 continuation byte: its mark, and the low 6 bits of a code point. */
@inline
function putRest(at: usize, point: u32): void {
  store<u8>(at, 0x80 | (point & 0x3f));
}

/**
 * Writes a string as UTF-8 and returns its length in bytes: up to three per unit. A lone surrogate becomes U+FFFD, as
 * in the WHATWG Encoding Standard.
 */
function writeUtf8(text: externref, units: u32, bytes: usize): u32 {
  let at = bytes;
  for (let i: u32 = 0; i < units; i++) {
    let point = charCodeAt(text, i);
    if (point < 0x80) {
      store<u8>(at++, point);
      continue;
    }
    if (point < 0x800) {
      store<u8>(at++, 0xc0 | (point >> 6));
    } else {
      if ((point & 0xf800) == 0xd800) {
        const low = i + 1 < units ? charCodeAt(text, i + 1) : 0;
        const paired = point < 0xdc00 && (low & 0xfc00) == 0xdc00;
        point = paired ? 0x10000 + ((point & 0x3ff) << 10) + (low & 0x3ff) : 0xfffd;
        i += u32(paired);
      }
      if (point < 0x10000) {
        store<u8>(at++, 0xe0 | (point >> 12));
      } else {
        store<u8>(at++, 0xf0 | (point >> 18));
        putRest(at++, point >> 12);
      }
      putRest(at++, point >> 6);
    }
    putRest(at++, point);
  }
  return <u32>(at - bytes);
}

/**
 * Hashes one key: the string `text` of `length` units, or, if that is null, the `length` bytes at `key`, or the NUMBER
 * there. Writes h1, then h2, to `out`. For a string, three bytes per unit must fit into the work area before ONE_HASH.
 */
export function hash_key(text: externref, key: usize, length: u32, seed: u32, out: usize): void {
  if (text) {
    if (hashOfAscii(text, length, seed, out)) return;
    assert(<usize>(3 * length + 16) <= ONE_HASH - WORK);
    key = WORK;
    length = writeUtf8(text, length, WORK);
  }
  if (length == NUMBER) {
    store<u64>(key, <u64><i64>load<f64>(key));
    length = 8;
  }
  hash(key, length, seed, out);
}

/** Hashes one key as `hash_key` does, and returns where the hash lies. */
@inline
export function hashKey(text: externref, key: usize, length: u32, seed: u32): usize {
  hash_key(text, key, length, seed, ONE_HASH);
  return ONE_HASH;
}
