// The specification, implemented slowly and plainly with BigInt. The engines are checked against it.

import type { Key } from '../../src/index.ts';
import { KEYED_SEED, SECRET } from './secret.ts';
import { siphash13 } from './siphash.ts';

export const MASK: bigint = (1n << 64n) - 1n;
const C1 = 0x87c37b91114253d5n;
const C2 = 0x4cf5ad432745937fn;

const multiply = (a: bigint, b: bigint): bigint => (a * b) & MASK;
const rotate = (x: bigint, by: bigint): bigint => ((x << by) | (x >> (64n - by))) & MASK;

/** The first half of the hash of bytes, as vectors have it. */
export const digestOf = (bytes: Uint8Array): string => murmur3(bytes, 0)[0].toString(16).padStart(16, '0');

export function avalanche(k: bigint): bigint {
  const once = multiply(k ^ (k >> 33n), 0xff51afd7ed558ccdn);
  const twice = multiply(once ^ (once >> 33n), 0xc4ceb9fe1a85ec53n);
  return twice ^ (twice >> 33n);
}

/** Reads up to 8 bytes from `at`, little-endian. */
function word(bytes: Uint8Array, at: number): bigint {
  if (at + 8 <= bytes.length) return new DataView(bytes.buffer, bytes.byteOffset + at, 8).getBigUint64(0, true);
  let value = 0n;
  for (let i = bytes.length - 1; i >= at; i--) value = (value << 8n) | BigInt(bytes[i] ?? 0);
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

/** The hash of a key in filters with this seed. One seed stands for the secret of the suites. */
export function hashOf(bytes: Uint8Array, seed: number): [h1: bigint, h2: bigint] {
  return seed === KEYED_SEED ? siphash13(bytes, SECRET) : murmur3(bytes, seed);
}

/** The bytes of a key. */
export function bytesOf(key: Key): Uint8Array {
  if (key instanceof Uint8Array) return key;
  if (typeof key === 'string') return new TextEncoder().encode(key);
  return new Uint8Array(BigUint64Array.of(BigInt.asUintN(64, BigInt(key))).buffer);
}

/** The indices of a hash in a classic filter of m bits and k hashes. */
export function indicesOfHash([h1, h2]: readonly [bigint, bigint], m: number, k: number): number[] {
  const d = h2 ^ 0x9e3779b97f4a7c15n;
  let s = h1;
  return Array.from({ length: k }, () => {
    const index = Number((s * BigInt(m)) >> 64n);
    s = (s * 0xd1342543de82ef95n + d) & MASK;
    return index;
  });
}

export function indicesOf(key: Key, m: number, k: number, seed: number): number[] {
  return indicesOfHash(hashOf(bytesOf(key), seed), m, k);
}

/** One salt for each word. */
export const SALTS: readonly bigint[] = [
  ...[0x47b6137bn, 0x44974d91n, 0x8824ad5bn, 0xa2b7289dn],
  ...[0x705495c7n, 0x2df1424bn, 0x9efc4947n, 0x5c6bfb31n],
];

/** The bits that a 32-bit half of the hash sets in eight 32-bit words, one in each. */
function wordBitsOf(half: bigint): number[] {
  return SALTS.map((salt, word) => 32 * word + Number(((half * salt) & 0xffffffffn) >> 27n));
}

/** The block that the high half of h1 chooses. */
const blockOf = (h1: bigint, blocks: number): number => Number(((h1 >> 32n) * BigInt(blocks)) >> 32n);

/** The bits that a hash sets in a split-block filter: one in each of the eight words of one block. */
export function blockedBitsOf(hash: bigint, blocks: number): number[] {
  const start = 256 * blockOf(hash, blocks);
  return wordBitsOf(hash & 0xffffffffn).map((bit) => start + bit);
}

/** Whether MurmurHash3 gave h1 = 2 x and h2 = 3 x. */
export const areMultiples = (h1: bigint, h2: bigint): boolean => (3n * h1 - 2n * h2) % 2n ** 64n === 0n;

/** The bits that a hash sets in a wide-block filter: one in each of the sixteen words of one block. */
export function wideBitsOf(h1: bigint, h2: bigint, blocks: number, seed: number): number[] {
  const start = 512 * blockOf(h1, blocks);
  const half = seed >= 1 && seed <= 8 && areMultiples(h1, h2) ? (h1 & 0xffffffffn) * 0x9e3779b1n + (h2 >> 32n) : h2;
  const last = wordBitsOf(half & 0xffffffffn).map((bit) => 256 + bit);
  return [...wordBitsOf(h1 & 0xffffffffn), ...last].map((bit) => start + bit);
}

export function setBits(bytes: Uint8Array, bits: readonly number[]): void {
  for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (1 << (bit & 7));
}

/** Packs numbers one behind the other, each with its lowest bit first. */
export function packed(values: readonly (number | bigint)[], width: number): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((values.length * width) / 8));
  for (const [i, value] of values.map(Number).entries()) {
    const bits = [];
    for (let bit = 0; bit < width; bit++) if ((value / 2 ** bit) & 1) bits.push(i * width + bit);
    setBits(bytes, bits);
  }
  return bytes;
}

function bytesWith(length: number, keys: Iterable<Key>, bitsOf: (key: Key) => number[]): Uint8Array {
  const bytes = new Uint8Array(length);
  for (const key of keys) setBits(bytes, bitsOf(key));
  return bytes;
}

// The bytes of filters that hold these keys.

export function classicBytes(keys: Iterable<Key>, m: number, k: number, seed: number): Uint8Array {
  return bytesWith(Math.ceil(m / 8), keys, (key) => indicesOf(key, m, k, seed));
}

export function blockedBytes(keys: Iterable<Key>, blocks: number, seed: number): Uint8Array {
  return bytesWith(32 * blocks, keys, (key) => blockedBitsOf(hashOf(bytesOf(key), seed)[0], blocks));
}

export function wideBytes(keys: Iterable<Key>, blocks: number, seed: number): Uint8Array {
  return bytesWith(64 * blocks, keys, (key) => wideBitsOf(...hashOf(bytesOf(key), seed), blocks, seed));
}

export function countingBytes(keys: Iterable<Key>, m: number, k: number, seed: number): Uint8Array {
  const counters = new Counters(m, k, seed);
  for (const key of keys) counters.add(key);
  return counters.bytes();
}

const FULL = 15;

/** A counting filter with one byte per counter. */
export class Counters {
  readonly values: Uint8Array;
  readonly #indicesOf: (key: Key) => number[];

  constructor(m: number, k: number, seed: number) {
    this.values = new Uint8Array(m);
    this.#indicesOf = (key) => indicesOf(key, m, k, seed);
  }

  /** How often the key was added, according to its counters. */
  countOf(key: Key): number {
    return Math.min(...this.#indicesOf(key).map((index) => this.values[index] ?? 0));
  }

  /** Increments the counter of each index, up to 15. A counter whose index occurs twice is incremented twice. */
  add(key: Key): boolean {
    const isNew = this.countOf(key) === 0;
    for (const index of this.#indicesOf(key)) this.values[index] = Math.min(FULL, (this.values[index] ?? 0) + 1);
    return isNew;
  }

  /** Decrements the counter of each index, once per occurrence. Counters at 15 stay, and none falls below 0. */
  remove(key: Key): boolean {
    if (this.countOf(key) === 0) return false;
    for (const index of this.#indicesOf(key)) {
      const value = this.values[index] ?? 0;
      if (value > 0 && value < FULL) this.values[index] = value - 1;
    }
    return true;
  }

  bytes(): Uint8Array {
    return packed([...this.values], 4);
  }
}

/** The body of a saved set of fingerprints, each the first twelve bytes of a hash. */
export function fingerprintBytes(keys: Iterable<Key>, seed: number): Uint8Array {
  const numbers = new Set<bigint>();
  for (const key of keys) {
    const [h1, h2] = hashOf(bytesOf(key), seed);
    numbers.add((h1 << 32n) | (h2 & 0xffffffffn));
  }
  const bytes = new Uint8Array(12 * numbers.size);
  const view = new DataView(bytes.buffer);
  for (const [i, number] of [...numbers].sort((a, b) => (a < b ? -1 : 1)).entries()) {
    view.setBigUint64(12 * i, number >> 32n, true);
    view.setUint32(12 * i + 8, Number(number & 0xffffffffn), true);
  }
  return bytes;
}
