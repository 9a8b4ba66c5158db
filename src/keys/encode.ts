import type { Instance } from '../kernel/kernel.ts';
import { CHUNK_BYTES, CHUNK_UNITS } from '../kernel/scratch.ts';
import { isBytes, type Key, lengthOf, requireKey } from './key.ts';
import { hashLongBytes, hashLongString } from './long.ts';

const encoder = new TextEncoder();

/** Strings up to this many units are written faster one by one than by `encodeInto`. */
const SHORT = 32;

/** Strings up to this many units are read faster by the kernel, where it can, than they are written by `encodeInto`. */
const READABLE = 48;

/** The key itself if it is a string that the kernel should read. */
export function textOf(key: Key, { readsText }: Instance): string | null {
  return readsText && typeof key === 'string' && key.length <= READABLE ? key : null;
}

/** Writes the bytes of one string and returns how many; 3 bytes a unit must fit. */
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
    // The array takes it modulo 2^64, which is two's complement.
    scratch.keyBigInts[index] = key;
  } else {
    const low = key >>> 0;
    scratch.keyWords[2 * index] = low;
    scratch.keyWords[2 * index + 1] = (key - low) / 2 ** 32;
  }
}

/**
 * Writes the bytes of one key, and returns how many. Those of a key too long for the scratch are hashed instead, and −1
 * is returned: the hash is then the first of the scratch.
 *
 * @throws TypeError | RangeError if it is no key
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
 * Hashes those of the keys from `from` to `to` that are of one type and fit a chunk: the first, and as many as follow.
 * Returns how many. There may be no strings among them but such as are too long for a chunk. The keys must have been
 * checked, and the array must be one that no code of the user can reach.
 */
export function hashMixed(keys: readonly Key[], from: number, to: number, instance: Instance, seed: number): number {
  const { kernel, scratch } = instance;
  const integers = packIntegers(keys, from, to, instance);
  if (integers > 0) {
    kernel.hash_u64(scratch.keys, integers, seed, scratch.hashes);
    return integers;
  }
  const arrays = packBytes(keys, from, to, instance);
  if (arrays > 0) {
    kernel.hash_packed(scratch.keys, scratch.ends, arrays, seed, scratch.hashes);
    return arrays;
  }
  writeKey(keys[from] as Key, instance, seed);
  return 1;
}

/** Hashes strings that were joined: each ends in the text where `ends` says. Returns how many. */
export function hashText(text: string, ends: Uint32Array, instance: Instance, seed: number): number {
  const { kernel, scratch } = instance;
  const count = ends.length;
  scratch.endValues.set(ends);
  const { written } = encoder.encodeInto(text, scratch.keyBytes);
  if (written !== text.length) {
    // Where all is ASCII the ends in units are the ends in bytes.
    if (surrogatesMeet(text, ends)) encodeEach(text, ends, instance);
    else kernel.utf8_ends(scratch.keys, written, scratch.ends, count);
  }
  kernel.hash_packed(scratch.keys, scratch.ends, count, seed, scratch.hashes);
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

/** Whether a key ends with half a character of which the next begins with the other: joined they would be one. */
function surrogatesMeet(text: string, ends: Uint32Array): boolean {
  for (const end of ends) {
    if ((text.charCodeAt(end) & 0xfc00) === 0xdc00 && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) return true;
  }
  return false;
}

/** The slow way, which never joins what two keys hold: each key encoded alone, its end counted in bytes. */
function encodeEach(text: string, ends: Uint32Array, { scratch }: Instance): void {
  const { endValues, keyBytes } = scratch;
  let start = 0;
  let at = 0;
  for (const [i, end] of ends.entries()) {
    at += encoder.encodeInto(text.slice(start, end), keyBytes.subarray(at)).written;
    endValues[i] = at;
    start = end;
  }
}
