// The specification again, slow and plain, in BigInt: what the engines are checked against.

import type { Key } from '../src/index.ts';

const MASK = (1n << 64n) - 1n;
const C1 = 0x87c37b91114253d5n;
const C2 = 0x4cf5ad432745937fn;

const multiply = (a: bigint, b: bigint): bigint => (a * b) & MASK;
const rotate = (x: bigint, by: bigint): bigint => ((x << by) | (x >> (64n - by))) & MASK;

function avalanche(k: bigint): bigint {
  const once = multiply(k ^ (k >> 33n), 0xff51afd7ed558ccdn);
  const twice = multiply(once ^ (once >> 33n), 0xc4ceb9fe1a85ec53n);
  return twice ^ (twice >> 33n);
}

/** Up to 8 bytes, little-endian, from `at` on. */
function word(bytes: Uint8Array, at: number): bigint {
  let value = 0n;
  for (let i = Math.min(at + 8, bytes.length) - 1; i >= at; i--) value = (value << 8n) | BigInt(bytes[i] ?? 0);
  return value;
}

/** MurmurHash3 x64_128. */
export function murmur3(bytes: Uint8Array, seed: number): [h1: bigint, h2: bigint] {
  let h1 = BigInt(seed);
  let h2 = BigInt(seed);
  const whole = bytes.length - (bytes.length % 16);
  for (let at = 0; at < whole; at += 16) {
    h1 ^= multiply(rotate(multiply(word(bytes, at), C1), 31n), C2);
    h1 = (multiply(rotate(h1, 27n) + h2, 5n) + 0x52dce729n) & MASK;
    h2 ^= multiply(rotate(multiply(word(bytes, at + 8), C2), 33n), C1);
    h2 = (multiply(rotate(h2, 31n) + h1, 5n) + 0x38495ab5n) & MASK;
  }
  h2 ^= multiply(rotate(multiply(word(bytes, whole + 8), C2), 33n), C1);
  h1 ^= multiply(rotate(multiply(word(bytes, whole), C1), 31n), C2);
  h1 ^= BigInt(bytes.length);
  h2 ^= BigInt(bytes.length);
  h1 = (h1 + h2) & MASK;
  h2 = (h2 + h1) & MASK;
  h1 = avalanche(h1);
  h2 = avalanche(h2);
  h1 = (h1 + h2) & MASK;
  return [h1, (h2 + h1) & MASK];
}

/** The bytes of a key. */
export function bytesOf(key: Key): Uint8Array {
  if (key instanceof Uint8Array) return key;
  if (typeof key === 'string') return utf8Of(key);
  return Uint8Array.from({ length: 8 }, (_, i) => Number((BigInt.asUintN(64, BigInt(key)) >> BigInt(8 * i)) & 0xffn));
}

/** UTF-8 by its definition, one code point at a time; a lone surrogate is U+FFFD. */
function utf8Of(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text) {
    let point = character.codePointAt(0) ?? 0;
    if (point >= 0xd800 && point < 0xe000) point = 0xfffd;
    if (point < 0x80) bytes.push(point);
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), 0x80 | (point & 63));
    else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
    else {
      bytes.push(0xf0 | (point >> 18), 0x80 | ((point >> 12) & 63), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
    }
  }
  return Uint8Array.from(bytes);
}

/** The indices of a key in a classic filter of m bits and k hashes. */
export function indicesOf(key: Key, m: number, k: number, seed: number): number[] {
  const [h1, h2] = murmur3(bytesOf(key), seed);
  const d = h2 ^ 0x9e3779b97f4a7c15n;
  let s = h1;
  return Array.from({ length: k }, () => {
    const index = Number((s * BigInt(m)) >> 64n);
    s = (s * 0xd1342543de82ef95n + d) & MASK;
    return index;
  });
}

/** The bytes of a classic filter that holds these keys. */
export function classicBytes(keys: Iterable<Key>, m: number, k: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(m / 8));
  for (const key of keys) {
    for (const index of indicesOf(key, m, k, seed)) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (1 << (index & 7));
  }
  return bytes;
}
