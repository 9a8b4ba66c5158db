// The bits of keys in filters of other systems, computed slowly and plainly.

import { MASK, murmur3 } from '../shared/oracle.ts';
import { slowSparkHash } from './slow-spark-hash.ts';

/** The bits of a key in a filter of a number of bits, each by one of the hashes. */
export type SlowBits = (key: Uint8Array, bits: number, hashes: number) => number[];

function bitsOf(hashes: number, bitOf: (i: number) => bigint, bits: number): number[] {
  return Array.from({ length: hashes }, (_, i) => Number(bitOf(i) % BigInt(bits)));
}

export const goBits: SlowBits = (key, bits, hashes) => {
  const h = [...murmur3(key, 0), ...murmur3(Buffer.concat([key, Uint8Array.of(1)]), 0)] as [
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  const locationOf = (i: number): bigint => {
    const [from, step] = [h[i % 2] as bigint, h[2 + ((i + (i % 2)) % 4) / 2] as bigint];
    return (from + BigInt(i) * step) & MASK;
  };
  return bitsOf(hashes, locationOf, bits);
};

export const guavaBits: SlowBits = (key, bits, hashes) => {
  const [h1, h2] = murmur3(key, 0);
  return bitsOf(hashes, (i) => (h1 + BigInt(i) * h2) & (MASK >> 1n), bits);
};

/** The bits of a key in version 2 of Spark's format. */
export const sparkBits =
  (seed: number): SlowBits =>
  (key, bits, hashes) => {
    const first = slowSparkHash(key, seed);
    const second = BigInt(slowSparkHash(key, first));
    const sumOf = (i: number): bigint => BigInt(first) * 2147483647n + BigInt(i + 1) * second;
    return bitsOf(hashes, (i) => (sumOf(i) < 0n ? ~sumOf(i) : sumOf(i)), bits);
  };

const M = 0xc6a4a7935bd1e995n;

/** MurmurHash64A, as its author describes it. */
function murmur64a(key: Uint8Array, seed: bigint): bigint {
  const view = new DataView(key.buffer, key.byteOffset, key.length);
  let h = seed ^ ((BigInt(key.length) * M) & MASK);
  let at = 0;
  for (; at + 8 <= key.length; at += 8) {
    const k = (view.getBigUint64(at, true) * M) & MASK;
    h = ((h ^ (((k ^ (k >> 47n)) * M) & MASK)) * M) & MASK;
  }
  if (at < key.length) {
    let rest = 0n;
    for (let i = key.length; i > at; ) rest = (rest << 8n) | BigInt(key[--i] ?? 0);
    h = ((h ^ rest) * M) & MASK;
  }
  h = ((h ^ (h >> 47n)) * M) & MASK;
  return h ^ (h >> 47n);
}

export const redisBloomBits: SlowBits = (key, bits, hashes) => {
  const a = murmur64a(key, M);
  const b = murmur64a(key, a);
  return bitsOf(hashes, (i) => (a + BigInt(i) * b) & MASK, bits);
};
