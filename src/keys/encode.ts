import { lengthOf } from '../checks/typed-arrays.ts';
import type { Instance } from '../kernel/instance.ts';
import { encoder, unitByUnit } from '../kernel/runtime.ts';
import { CHUNK_BYTES, CHUNK_UNITS, type Scratch } from '../kernel/scratch.ts';
import { type Key, requireKey } from './key.ts';
import { hashLongBytes, hashLongString } from './long-keys.ts';

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
    // Three-byte characters come first: text in Chinese, Japanese or Korean has few others.
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
 * Hashes one key, and returns a pointer to its hash. Kinds whose module hashes and probes in one call do not use it: their
 * single calls are faster.
 *
 * @throws TypeError | RangeError if it is not a key
 */
export function hashKey(key: Key, instance: Instance, seed: number): number {
  const { kernel, scratch } = instance;
  const text = textOf(key, instance);
  const length = text === null ? writeKey(key, instance, seed) : text.length;
  return length < 0 ? scratch.hashes : kernel.hash_key(text, scratch.keys, length, seed);
}

/**
 * Hashes a run of keys of one type: from `from` up to `to`, to a key of another type, or to the last key that fits the
 * scratch. Returns their number. The keys must have been checked, and user code must not be able to reach the array.
 */
export function hashRun(keys: readonly Key[], from: number, to: number, instance: Instance, seed: number): number {
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
 * Writes a run of strings. They are joined with `+=`, which makes a rope, and encoded with one call: for ASCII, that
 * takes half the time of encoding each string. If the first string is short and not ASCII, the others are assumed to be
 * so too, and each is written by itself.
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
    // For text other than ASCII, the ends in UTF-16 units must be converted to ends in bytes.
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
 * Whether a key ends with the first half of a surrogate pair and the next begins with the second half: joined, the two
 * would become one character.
 */
function surrogatesMeet(text: string, ends: Uint32Array): boolean {
  for (const end of ends) {
    if ((text.charCodeAt(end) & 0xfc00) === 0xdc00 && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) return true;
  }
  return false;
}
