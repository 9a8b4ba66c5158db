// The hash of a key that comes alone: bytes in memory, or a string that is read where it lies.
//
// Strings are read by WebAssembly's own functions for those of JavaScript ("JS string builtins", WebAssembly 3.0). A
// runtime that has them compiles each call to a few instructions. Elsewhere each would go out to JavaScript: there null
// is passed for the string.

import { ONE_HASH, WORK } from "./memory";
import { mixFirst, mixSecond, murmur3, nextFirst, nextSecond, seal } from "./murmur3";

@external("wasm:js-string", "charCodeAt")
declare function charCodeAt(text: externref, index: u32): u32;

/** What in four units of 16 bits says that one of them is not ASCII. */
const NOT_ASCII: u64 = 0xff80ff80ff80ff80;

/** Four units of a string, the first in the lowest 16 bits. */
@inline
function four(text: externref, at: u32): u64 {
  const low = charCodeAt(text, at) | (charCodeAt(text, at + 1) << 16);
  const high = charCodeAt(text, at + 2) | (charCodeAt(text, at + 3) << 16);
  return low | (<u64>high << 32);
}

/** Four units that are ASCII as four bytes. */
@inline
function narrow(units: u64): u64 {
  const pairs = (units | (units >> 8)) & 0x0000ffff0000ffff;
  return <u32>(pairs | (pairs >> 16));
}

/** Eight units that are ASCII as eight bytes. */
@inline
function eight(low: u64, high: u64): u64 {
  return narrow(low) | (narrow(high) << 32);
}

/** Hashes a string that is ASCII, writes h1, then h2, to `out`, and returns true; of any other writes nothing. */
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
  let rest: u64 = 0;
  for (let i = units; i > at; ) {
    const unit = charCodeAt(text, --i);
    all |= unit;
    rest = (rest << 8) | unit;
  }
  if (all & NOT_ASCII) return false;
  // A half that the string does not reach is zero, and mixing in a zero changes nothing.
  seal(h1 ^ mixFirst(half ? first : rest), h2 ^ mixSecond(half ? rest : 0), units, out);
  return true;
}

/** Writes the last 6 bits of a code point, and the mark of a byte that does not begin a character. */
@inline
function putRest(at: usize, point: u32): void {
  store<u8>(at, 0x80 | (point & 0x3f));
}

/**
 * Writes a string as UTF-8, and returns how many bytes it takes: up to three a unit. A surrogate without its other half
 * becomes U+FFFD, as the WHATWG's encoding has it.
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
 * Hashes one key: a string of `length` units, or, where it is null, the `length` bytes at `key`. Returns where the hash
 * lies. Three bytes a unit must fit before that.
 */
export function murmur3OfOne(text: externref, key: usize, length: u32, seed: u32): usize {
  if (text) {
    if (murmur3OfAscii(text, length, seed, ONE_HASH)) return ONE_HASH;
    assert(<usize>(3 * length + 16) <= ONE_HASH - WORK);
    key = WORK;
    length = writeUtf8(text, length, WORK);
  }
  murmur3(key, length, seed, ONE_HASH);
  return ONE_HASH;
}
