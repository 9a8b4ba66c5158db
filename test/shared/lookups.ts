import { HashedKeys } from '../../src/entries/hash.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';
import { randomFrom } from './random.ts';

/** Looks up `count` random hashes, the same ones each time, and returns how many look present. */
export function lookUpRandom(
  filter: { readonly seed: number; hasMany(keys: HashedKeys): Uint8Array },
  count: number,
  random: (limit: number) => number = randomFrom(count),
): number {
  const words = new Uint32Array(4 * Math.min(count, CHUNK_KEYS));
  let hits = 0;
  for (let left = count; left > 0; left -= CHUNK_KEYS) {
    const some = Math.min(left, CHUNK_KEYS);
    for (let at = 0; at < 4 * some; at++) words[at] = random(2 ** 32);
    const hashes = new HashedKeys(new Uint8Array(words.buffer, 0, 16 * some), filter.seed);
    for (const flag of filter.hasMany(hashes)) hits += flag;
  }
  return hits;
}

/** How many lookups of absent keys give the error rate with little deviation. */
export function lookupsFor(errorRate: number): number {
  const hits = { 0.1: 1e5, 0.01: 2e4, 0.001: 3000, 0.0001: 1000 }[errorRate];
  if (hits === undefined) throw new Error(`there is no number of lookups for ${errorRate}`);
  return hits / errorRate;
}
