import type { Instance } from '../kernel/kernel.ts';
import { CHUNK_BYTES, CHUNK_UNITS } from '../kernel/scratch.ts';
import { lengthOf } from '../typed-arrays.ts';
import { isBytes, type Key, requireKey } from './key.ts';
import { hashLongBytes, hashLongString } from './long.ts';

const encoder = new TextEncoder();

/** Up to this many units, writing the char codes of a string one by one is faster than `encodeInto`. */
const SHORT = 32;

/** Up to this many units, a kernel that can read strings does so faster than `encodeInto` writes them. */
const READABLE = 48;

/** Returns the key if it is a string that the kernel should read itself, else null. */
export function textOf(key: Key, { readsText }: Instance): string | null {
  return readsText && typeof key === 'string' && key.length <= READABLE ? key : null;
}

/** Writes a string as UTF-8 and returns its length in bytes. There must be room for 3 bytes per unit. */
function encode(key: string, target: Uint8Array<ArrayBuffer>): number {
  const units = key.length;
  if (units <= SHORT) {
    let at = 0;
    for (; at < units; at++) {
      const unit = key.charCodeAt(at);
      if (unit > 0x7f) break;
      target[at] = unit;
    }
    if (at === units) return units;
  }
  return encoder.encodeInto(key, target).written;
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
    if (key.length <= CHUNK_UNITS) return encode(key, scratch.keyBytes);
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
 * Hashes a run of keys of one type: the key at `from`, and as many after it, before `to`, as fit a chunk. Returns
 * their number. The keys must have been checked, and no user code may be able to reach the array.
 */
export function hashKeys(keys: readonly Key[], from: number, to: number, instance: Instance, seed: number): number {
  const { kernel, scratch } = instance;
  const integers = packIntegers(keys, from, to, instance);
  if (integers > 0) {
    kernel.hash_u64(scratch.keys, integers, seed, scratch.hashes);
    return integers;
  }
  const count = packBytes(keys, from, to, instance) || packStrings(keys, from, to, instance);
  if (count > 0) {
    kernel.hash_packed(scratch.keys, scratch.ends, count, seed, scratch.hashes);
    return count;
  }
  writeKey(keys[from] as Key, instance, seed);
  return 1;
}

/** Strings are joined: `+=` makes a rope, which is encoded at once, in half the time of encoding each string. */
function packStrings(keys: readonly Key[], from: number, to: number, { kernel, scratch }: Instance): number {
  const { endValues } = scratch;
  let text = '';
  let units = 0;
  let count = 0;
  for (let i = from; i < to; i++) {
    const key = keys[i];
    if (typeof key !== 'string' || units + key.length > CHUNK_UNITS) break;
    text += key;
    units += key.length;
    endValues[count++] = units;
  }
  const { written } = encoder.encodeInto(text, scratch.keyBytes);
  // Only for ASCII are the ends in units also the ends in bytes.
  if (written === units) return count;
  const ends = endValues.subarray(0, count);
  if (surrogatesMeet(text, ends)) encodeEach(text, ends, scratch.keyBytes);
  else kernel.utf8_ends(scratch.keys, written, scratch.ends, count);
  return count;
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
    if (!isBytes(key)) break;
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

/** Encodes each key alone, so that no two merge, and counts its end in bytes: slower than encoding all at once. */
function encodeEach(text: string, ends: Uint32Array, keyBytes: Uint8Array<ArrayBuffer>): void {
  let start = 0;
  let at = 0;
  for (const [i, end] of ends.entries()) {
    at += encoder.encodeInto(text.slice(start, end), keyBytes.subarray(at)).written;
    ends[i] = at;
    start = end;
  }
}
