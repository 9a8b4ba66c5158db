// Keys of one type in a row: joined in the scratch, and hashed by one call of the kernel. Others are hashed one by one.

import type { Instance } from '../kernel/instance.ts';
import { encodesAllFast } from '../kernel/runtime.ts';
import { CHUNK_BYTES, CHUNK_UNITS, HASH_BYTES, type Scratch } from '../kernel/scratch.ts';
import { encoder, writeUtf8 } from '../kernel/utf8.ts';
import { isLost, lengthOf } from '../util/checks/typed-arrays.ts';
import { FOREIGN } from '../util/checks/validate.ts';
import { hashChecked, SHORT, writeInteger } from './encode.ts';
import { isBytes, isInteger, isKey, type Key } from './key.ts';

/** Strings of more units take less time one by one. */
export const LONG = 200;

/**
 * Hashes keys from `from` on. If the first two are of one type, it ends before `to`, before a key of another type, or
 * where the scratch is full; mixed keys, long strings and a last key end at `to`. It also ends before what is no key.
 * Returns the number of keys. User code must not be able to reach the array.
 */
export function hashRun(keys: readonly Key[], from: number, to: number, instance: Instance, seed: number): number {
  const first = keys[from] as Key;
  const isLong = typeof first === 'string' && first.length > LONG;
  const isMixed = typeof keys[from + 1] !== typeof first;
  // Filters of other systems may need the bytes of all keys of a chunk.
  if (seed >= FOREIGN || !(isLong || isMixed)) return hashAlike(keys, from, to, instance, seed);
  return hashEach(keys, from, to, instance, seed);
}

/**
 * Hashes keys one by one, in order: while a long key is hashed, its state also takes the place of the next hash. Returns
 * their number.
 */
function hashEach(keys: readonly Key[], from: number, to: number, instance: Instance, seed: number): number {
  let out = instance.scratch.hashes;
  let i = from;
  for (; i < to; i++, out += HASH_BYTES) {
    const key = keys[i];
    // Numbers by themselves: with `isKey` for all, V8 in Node 24 takes a sixth more time.
    if (!Number.isSafeInteger(key) && !isKey(key)) break;
    hashChecked(key as Key, instance, seed, out);
  }
  return i - from;
}

/** Hashes a run of keys of one type. Returns their number. */
function hashAlike(keys: readonly Key[], from: number, to: number, instance: Instance, seed: number): number {
  const { kernel, scratch } = instance;
  const integers = packIntegers(keys, from, to, instance);
  if (integers > 0) kernel.hash_u64(scratch.keys, integers, seed, scratch.hashes);
  const done = integers || instance.hashStrings?.(keys, from, to, scratch, seed);
  if (done) return done;
  const count = packBytes(keys, from, to, instance) || packStrings(keys, from, to, instance);
  if (count > 0) kernel.hash_packed(scratch.keys, scratch.ends, count, seed, scratch.hashes);
  return count || hashEach(keys, from, from + 1, instance, seed);
}

/**
 * Writes a run of strings. They are joined with `+=`, which makes a rope, and encoded with one call: for ASCII, that
 * takes half the time of encoding each string. If the first string is short and not ASCII, the others are assumed to be
 * so too, and each is written by itself where that is faster.
 */
function packStrings(keys: readonly Key[], from: number, to: number, { kernel, scratch }: Instance): number {
  const first = keys[from];
  if (!encodesAllFast && typeof first === 'string' && first.length <= SHORT && first.charCodeAt(0) > 0x7f) {
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
  // For text other than ASCII, the ends in UTF-16 units must be converted to ends in bytes. That fails if the end of a key
  // and the beginning of the next one became one character.
  if (written !== units && !kernel.utf8_ends(scratch.keys, written, scratch.ends, i - from)) {
    return packEach(keys, from, i, scratch);
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
    if (!isInteger(key)) break;
    writeInteger(key, instance, i - from);
  }
  return i - from;
}

function packBytes(keys: readonly Key[], from: number, to: number, { scratch }: Instance): number {
  const { keyBytes, endValues } = scratch;
  let start = 0;
  let i = from;
  for (; i < to; i++) {
    const key = keys[i];
    if (!isBytes(key)) break;
    const length = lengthOf(key);
    // Only what looks empty may have lost its memory. Each call of a getter takes a twentieth of the time of a short key.
    if (start + length > CHUNK_BYTES || (length === 0 && isLost(key))) break;
    keyBytes.set(key, start);
    start += length;
    endValues[i - from] = start;
  }
  return i - from;
}
