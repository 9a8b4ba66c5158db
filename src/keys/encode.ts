import type { Instance } from '../kernel/kernel.ts';
import { CHUNK_BYTES, CHUNK_KEYS, CHUNK_UNITS } from '../kernel/scratch.ts';
import { isBytes, type Key, lengthOf } from './key.ts';
import { hashLongBytes, hashLongString } from './long.ts';

const encoder = new TextEncoder();

/** Strings up to this many units are written faster one by one than by `encodeInto`. */
const SHORT = 24;

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

/** Hashes one key, which must have been checked. Its hash is the first of the scratch. */
export function hashKey(key: Key, instance: Instance, seed: number): void {
  if (typeof key === 'string') {
    if (key.length > CHUNK_UNITS) hashLongString(key, instance, seed);
    else hashWritten(encode(key, instance.scratch.keyBytes), instance, seed);
  } else if (typeof key === 'object') {
    const length = lengthOf(key);
    if (length > CHUNK_BYTES) {
      hashLongBytes(key, instance, seed);
    } else {
      instance.scratch.keyBytes.set(key);
      hashWritten(length, instance, seed);
    }
  } else {
    const { kernel, scratch } = instance;
    writeInteger(key, instance, 0);
    kernel.hash_u64(scratch.keys, 1, seed, scratch.hashes);
  }
}

function hashWritten(length: number, { kernel, scratch }: Instance, seed: number): void {
  scratch.endValues[0] = length;
  kernel.hash_packed(scratch.keys, scratch.ends, 1, seed, scratch.hashes);
}

/**
 * Hashes those of the keys from `from` to `to` that are of one type and fit a chunk: the first, and as many as follow.
 * Returns how many. The keys must have been checked, and the array must be one that no code of the user can reach.
 */
export function hashRun(keys: readonly Key[], from: number, to: number, instance: Instance, seed: number): number {
  const { kernel, scratch } = instance;
  const first = keys[from] as Key;
  const last = Math.min(to, from + CHUNK_KEYS);
  if (typeof first === 'number' || typeof first === 'bigint') {
    const count = packIntegers(keys, from, last, instance);
    kernel.hash_u64(scratch.keys, count, seed, scratch.hashes);
    return count;
  }
  const count =
    typeof first === 'string' ? packStrings(keys, from, last, instance) : packBytes(keys, from, last, instance);
  if (count > 0) {
    kernel.hash_packed(scratch.keys, scratch.ends, count, seed, scratch.hashes);
    return count;
  }
  hashKey(first, instance, seed);
  return 1;
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
 * One string joined of all, encoded at once: `+=` makes a rope that `encodeInto` flattens in one go, which takes
 * half the time of encoding each.
 */
function packStrings(keys: readonly Key[], from: number, to: number, instance: Instance): number {
  const { kernel, scratch } = instance;
  const { endValues: ends } = scratch;
  let text = '';
  let i = from;
  for (; i < to; i++) {
    const key = keys[i];
    if (typeof key !== 'string' || text.length + key.length > CHUNK_UNITS) break;
    text += key;
    ends[i - from] = text.length;
  }
  const count = i - from;
  const { written } = encoder.encodeInto(text, scratch.keyBytes);
  if (written !== text.length) {
    // Where all is ASCII the ends in units are the ends in bytes.
    if (surrogatesMeet(text, ends, count)) encodeEach(text, instance, count);
    else kernel.utf8_ends(scratch.keys, scratch.ends, count);
  }
  return count;
}

/** Whether a key ends with half a character of which the next begins with the other: joined they would be one. */
function surrogatesMeet(text: string, ends: Uint32Array, count: number): boolean {
  for (let i = 0; i < count; i++) {
    const end = ends[i] ?? 0;
    if ((text.charCodeAt(end) & 0xfc00) === 0xdc00 && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) return true;
  }
  return false;
}

/** The slow way, which never joins what two keys hold: each key encoded alone, its end now counted in bytes. */
function encodeEach(text: string, { scratch }: Instance, count: number): void {
  const { endValues: ends, keyBytes } = scratch;
  let start = 0;
  let at = 0;
  for (let i = 0; i < count; i++) {
    const end = ends[i] ?? 0;
    at += encoder.encodeInto(text.slice(start, end), keyBytes.subarray(at)).written;
    ends[i] = at;
    start = end;
  }
}
