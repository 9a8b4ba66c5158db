import type { Instance } from '../kernel/kernel.ts';
import { CHUNK_BYTES, CHUNK_UNITS, type Scratch } from '../kernel/scratch.ts';
import { encoder, unitByUnit } from '../kernel/strings.ts';
import { lengthOf } from '../typed-arrays.ts';
import { type Key, requireKey } from './key.ts';
import { hashLongBytes, hashLongString } from './long.ts';

/** Strings of up to this many units are written unit by unit. */
const SHORT: number = /* @__PURE__ */ unitByUnit(32);

/** Returns the key if it is a string that the kernel should read itself, else null. */
export function textOf(key: Key, { readableUnits }: Instance): string | null {
  return typeof key === 'string' && key.length <= readableUnits ? key : null;
}

/**
 * Writes a string as UTF-8, from `start` on, and returns where it ends. A lone surrogate becomes U+FFFD, as in
 * `encodeInto`, which takes longer for a short string. May write one byte behind the end.
 */
function writeUtf8(text: string, bytes: Uint8Array, view: DataView, start: number): number {
  let at = start;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // These come first because a text of Chinese, Japanese or Korean has few others.
    if (unit >= 0x800 && (unit & 0xf800) !== 0xd800) {
      view.setUint32(at, 0x8080e0 | (unit >> 12) | ((unit & 0xfc0) << 2) | ((unit & 0x3f) << 16), true);
      at += 3;
    } else if (unit < 0x80) {
      bytes[at++] = unit;
    } else if (unit < 0x800) {
      view.setUint16(at, 0x80c0 | (unit >> 6) | ((unit & 0x3f) << 8), true);
      at += 2;
    } else {
      const point = text.codePointAt(i) as number;
      if (point < 0x10000) {
        view.setUint32(at, 0xbdbfef, true);
        at += 3;
      } else {
        bytes[at++] = 0xf0 | (point >> 18);
        const second = (point >> 12) & 0x3f;
        view.setUint32(at, 0x808080 | second | ((point & 0xfc0) << 2) | ((point & 0x3f) << 16), true);
        at += 3;
        i++;
      }
    }
  }
  return at;
}

/** Writes a string as UTF-8 and returns its length in bytes. There must be room for 3 bytes per unit. */
function encode(key: string, scratch: Scratch): number {
  const { keyBytes } = scratch;
  const units = key.length;
  if (units > SHORT) return encoder.encodeInto(key, keyBytes).written;
  for (let at = 0; at < units; at++) {
    const unit = key.charCodeAt(at);
    if (unit > 0x7f) return writeUtf8(key, keyBytes, scratch.keyView, 0);
    keyBytes[at] = unit;
  }
  return units;
}

function writeInteger(key: number | bigint, { scratch }: Instance, index: number): void {
  if (typeof key === 'bigint') {
    // A BigUint64Array stores integers modulo 2^64, which is two's complement.
    scratch.keyBigInts[index] = key;
  } else {
    const low = key >>> 0;
    scratch.keyWords[2 * index] = low;
    scratch.keyWords[2 * index + 1] = (key - low) / 2 ** 32;
  }
}

/**
 * Writes the bytes of one key to the scratch and returns their number. A key too long for the scratch is hashed
 * instead: its hash becomes the first in the scratch, and −1 is returned.
 *
 * @throws TypeError | RangeError if it is not a key
 */
export function writeKey(key: Key, instance: Instance, seed: number): number {
  const { scratch } = instance;
  if (typeof key === 'string') {
    if (key.length <= CHUNK_UNITS) return encode(key, scratch);
    hashLongString(key, instance, seed);
    return -1;
  }
  requireKey(key);
  if (typeof key === 'object') {
    const length = lengthOf(key);
    if (length <= CHUNK_BYTES) {
      scratch.keyBytes.set(key);
      return length;
    }
    hashLongBytes(key, instance, seed);
    return -1;
  }
  writeInteger(key, instance, 0);
  return 8;
}

/**
 * Hashes a run of keys of one type: the key at `from`, and as many after it, before `to`, as fit the scratch. Returns
 * their number. The keys must have been checked, and no user code may be able to reach the array.
 */
export function hashKeys(keys: readonly Key[], from: number, to: number, instance: Instance, seed: number): number {
  const { kernel, scratch } = instance;
  const integers = packIntegers(keys, from, to, instance);
  if (integers > 0) {
    kernel.hash_u64(scratch.keys, integers, seed, scratch.hashes);
    return integers;
  }
  const strings = instance.hashStrings?.(keys, from, to, scratch, seed);
  if (strings) return strings;
  const count = packBytes(keys, from, to, instance) || packStrings(keys, from, to, instance);
  if (count > 0) {
    kernel.hash_packed(scratch.keys, scratch.ends, count, seed, scratch.hashes);
    return count;
  }
  writeKey(keys[from] as Key, instance, seed);
  return 1;
}

/**
 * Strings are joined: `+=` makes a rope, which is encoded at once. For ASCII that takes half the time of encoding each
 * string. If the first one is short and not ASCII, the others are taken to be so too: each is written by itself.
 */
function packStrings(keys: readonly Key[], from: number, to: number, { kernel, scratch }: Instance): number {
  const first = keys[from];
  if (typeof first === 'string' && first.length <= SHORT && first.charCodeAt(0) > 0x7f) {
    return packEach(keys, from, to, scratch);
  }
  const { endValues } = scratch;
  let text = '';
  let units = 0;
  let i = from;
  for (; i < to; i++) {
    const key = keys[i];
    if (typeof key !== 'string' || units + key.length > CHUNK_UNITS) break;
    text += key;
    units += key.length;
    endValues[i - from] = units;
  }
  const { written } = encoder.encodeInto(text, scratch.keyBytes);
  if (written !== units) {
    // Only for ASCII are the ends in units also the ends in bytes.
    if (surrogatesMeet(text, endValues.subarray(0, i - from))) return packEach(keys, from, i, scratch);
    kernel.utf8_ends(scratch.keys, written, scratch.ends, i - from);
  }
  return i - from;
}

/** Writes each string by itself. */
function packEach(keys: readonly Key[], from: number, to: number, scratch: Scratch): number {
  const { keyBytes, keyView, endValues } = scratch;
  let at = 0;
  let i = from;
  for (; i < to; i++) {
    const key = keys[i];
    if (typeof key !== 'string' || at + 3 * key.length > CHUNK_BYTES) break;
    at = writeUtf8(key, keyBytes, keyView, at);
    endValues[i - from] = at;
  }
  return i - from;
}

function packIntegers(keys: readonly Key[], from: number, to: number, instance: Instance): number {
  let i = from;
  for (; i < to; i++) {
    const key = keys[i];
    if (typeof key !== 'number' && typeof key !== 'bigint') break;
    writeInteger(key, instance, i - from);
  }
  return i - from;
}

function packBytes(keys: readonly Key[], from: number, to: number, { scratch }: Instance): number {
  let end = 0;
  let i = from;
  for (; i < to; i++) {
    const key = keys[i];
    if (typeof key !== 'object') break;
    const start = end;
    end += lengthOf(key);
    if (end > CHUNK_BYTES) break;
    scratch.keyBytes.set(key, start);
    scratch.endValues[i - from] = end;
  }
  return i - from;
}

/**
 * Whether a key ends with half of a surrogate pair and the next begins with the other half: joined, they would merge.
 */
function surrogatesMeet(text: string, ends: Uint32Array): boolean {
  for (const end of ends) {
    if ((text.charCodeAt(end) & 0xfc00) === 0xdc00 && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) return true;
  }
  return false;
}
