import type { Instance } from '../../src/kernel/instance.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';

/** Looks up `count` random hashes in the scratch of an instance, and returns how many look present. */
export function lookUpRandom(
  { memory, scratch }: Instance,
  count: number,
  random: (limit: number) => number,
  has: (hashes: number, count: number, flags: number) => number,
): number {
  let hits = 0;
  for (let left = count; left > 0; left -= CHUNK_KEYS) {
    const some = Math.min(left, CHUNK_KEYS);
    const hashes = new Uint32Array(memory.buffer, scratch.hashes, 4 * some);
    for (let at = 0; at < hashes.length; at++) hashes[at] = random(2 ** 32);
    hits += has(scratch.hashes, some, scratch.flags);
  }
  return hits;
}

/** How many lookups of absent keys give the error rate with little deviation. */
export function lookupsFor(errorRate: number): number {
  const hits = { 0.1: 1e5, 0.01: 2e4, 0.001: 3000, 0.0001: 1000 }[errorRate];
  if (hits === undefined) throw new Error(`there is no number of lookups for ${errorRate}`);
  return hits / errorRate;
}
