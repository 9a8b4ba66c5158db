// One key: its bytes, written to the scratch, and its hash.

import type { Instance } from '../kernel/instance.ts';
import { unitByUnit } from '../kernel/runtime.ts';
import { CHUNK_BYTES, CHUNK_UNITS, type Scratch } from '../kernel/scratch.ts';
import { encoder, isInPair, writeUtf8 } from '../kernel/utf8.ts';
import { lengthOf } from '../util/checks/typed-arrays.ts';
import { type Key, requireBytes, requireKey } from './key.ts';

/** Strings of up to this many units are written unit by unit. */
export const SHORT: number = /* @__PURE__ */ unitByUnit(32);

/** In place of a length: the key is a number, written as a 64-bit float. */
export const NUMBER: number = 2 ** 31 - 1;

/** Returns the key if it is a string that the kernel should read itself, else null. */
export function textOf(key: Key, { readableUnits }: Instance): string | null {
  return typeof key === 'string' && key.length <= readableUnits ? key : null;
}

/** Writes a string as UTF-8 and returns its length in bytes. There must be room for 3 bytes per unit. */
export function encode(key: string, scratch: Scratch): number {
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

export function writeInteger(key: number | bigint, { scratch }: Instance, index: number): void {
  if (typeof key === 'bigint') {
    // A BigUint64Array stores integers modulo 2^64, which is two's complement.
    scratch.keyBigInts[index] = key;
  } else {
    const low = key >>> 0;
    scratch.keyWords[2 * index] = low;
    scratch.keyWords[2 * index + 1] = (key - low) / 2 ** 32;
  }
}

// Keys that do not fit the scratch are hashed in parts. Each part but the last is a multiple of 16 bytes; the 0–15
// bytes left over are moved to the front, and the next part is written after them.

/** Hashes bytes of any length. The hash goes to `out`, and is the first in the scratch without it. */
export function hashLongBytes(
  key: Uint8Array,
  { kernel, scratch }: Instance,
  seed: number,
  out = scratch.hashes,
): void {
  const bytes = requireBytes('key', key);
  kernel.hash_begin(out, seed);
  const whole = bytes.length - (bytes.length % 16);
  for (let at = 0; at < whole; at += CHUNK_BYTES) {
    const part = bytes.subarray(at, Math.min(at + CHUNK_BYTES, whole));
    scratch.keyBytes.set(part);
    kernel.hash_continue(out, scratch.keys, part.length);
  }
  scratch.keyBytes.set(bytes.subarray(whole));
  kernel.hash_end(out, scratch.keys, bytes.length);
}

/** Hashes a string of any length. The hash goes to `out`, and is the first in the scratch without it. */
export function hashLongString(key: string, { kernel, scratch }: Instance, seed: number, out = scratch.hashes): void {
  const { keyBytes } = scratch;
  kernel.hash_begin(out, seed);
  let length = 0;
  let left = 0;
  // 16 units fewer than would fit, to leave room for the leftover bytes.
  for (let start = 0; start < key.length; ) {
    let end = Math.min(start + CHUNK_UNITS - 16, key.length);
    // A surrogate pair must not be cut in half.
    if (isInPair(key, end)) end--;
    const { written } = encoder.encodeInto(key.slice(start, end), keyBytes.subarray(left));
    length += written;
    const filled = left + written;
    left = filled % 16;
    kernel.hash_continue(out, scratch.keys, filled - left);
    keyBytes.copyWithin(0, filled - left, filled);
    start = end;
  }
  kernel.hash_end(out, scratch.keys, length);
}

/** As `writeKey`, of anything but a safe integer. */
function writeOther(key: Key, instance: Instance, seed: number, out?: number): number {
  const { scratch } = instance;
  if (typeof key === 'string') {
    if (key.length <= CHUNK_UNITS) return encode(key, scratch);
    hashLongString(key, instance, seed, out);
    return -1;
  }
  // To check bytes again would take as long as to copy them.
  if (out === undefined) requireKey(key);
  if (typeof key === 'object') {
    const length = lengthOf(key);
    if (length <= CHUNK_BYTES) {
      scratch.keyBytes.set(key);
      return length;
    }
    hashLongBytes(key, instance, seed, out);
    return -1;
  }
  writeInteger(key, instance, 0);
  return 8;
}

/**
 * Writes one key to the scratch for `hash_key`, and returns the number of its bytes, or NUMBER. A key too long for the
 * scratch is hashed instead: its hash goes to `out`, or becomes the first in the scratch, and −1 is returned.
 *
 * @param out only of what is known to be a key, which is not checked again
 * @throws TypeError | RangeError if it is not a key
 */
export function writeKey(key: Key, instance: Instance, seed: number, out?: number): number {
  // Short, so that V8 inlines it: V8 makes an object of a number that it passes to a function that is not inlined.
  if (!Number.isSafeInteger(key)) return writeOther(key, instance, seed, out);
  // One store, because the kernel would wait for two halves to reach the memory.
  instance.scratch.keyView.setFloat64(0, key as number, true);
  return NUMBER;
}

/** Hashes what is known to be a key. The hash goes to `out`. */
export function hashChecked(key: Key, instance: Instance, seed: number, out: number): void {
  const text = textOf(key, instance);
  const length = text === null ? writeKey(key, instance, seed, out) : text.length;
  if (length >= 0) instance.kernel.hash_key(text, instance.scratch.keys, length, seed, out);
}

/**
 * Hashes one key. The hash goes to `out`, and is the first in the scratch without it. Kinds whose module hashes and
 * probes in one call do not use it: their single calls are faster.
 *
 * @returns where the hash is
 * @throws TypeError | RangeError if it is not a key
 */
export function hashKey(key: Key, instance: Instance, seed: number, out: number = instance.scratch.hashes): number {
  requireKey(key);
  hashChecked(key, instance, seed, out);
  return out;
}
