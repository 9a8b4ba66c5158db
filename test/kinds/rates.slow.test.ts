// Statistics: how often absent keys look present, and how many keys there is room for. On one engine and without a
// secret: test/kernel/parity.test.ts and test/kinds/bits.slow.test.ts prove that the others do the same.

import { describe, expect, it } from 'vitest';
import { HashedKeys } from '../../src/entries/hash.ts';
import { CELLS } from '../../src/filters/kind.ts';
import type { Filter } from '../../src/index.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';
import * as api from '../shared/api.ts';
import { expectRate, upperQuantile } from '../shared/binomial.ts';
import { counter, integersFrom } from '../shared/integers.ts';
import { type AnyClass, kindOn } from '../shared/kinds.ts';
import { randomFrom } from '../shared/random.ts';

/** Looks up `count` random hashes, the same ones each time, and returns how many look present. */
function lookUpRandom(
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

/** How many hits give each error rate with little deviation. */
const HITS: Readonly<Record<number, number>> = { 0.1: 1e5, 0.01: 2e4, 0.001: 3000 };

/**
 * Looks up random hashes in each filter of `filled`, and disposes of it. Given the cells, lookups are independent trials
 * at the rate that the filter estimates, and no more hit than is promised.
 */
function expectRates(promised: number, rounds: number, filled: (round: number) => Filter): void {
  const perRound = Math.ceil((HITS[promised] as number) / promised / rounds);
  const random = randomFrom(rounds);
  let [hits, rate] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    using filter = filled(round);
    rate += filter.estimateErrorRate() / rounds;
    hits += lookUpRandom(filter, perRound, random);
  }
  expectRate(hits, rounds * perRound, rate, 1.02, promised);
}

// Rates differ from filter to filter: the number of hits has no heavier tails than the binomial distribution of the mean
// rate (W. Hoeffding, 1956). That of filters that take 2 · 10^5 keys in all deviates from the promised rate by less than
// 0.38 %, because the fill of one filter deviates by 0.28 / √m, little compared with the 2 % allowed. With 3 % too few
// bits, the rate is 7 to 32 % too high. A counting filter has a counter for each bit of a classic one.
describe.each(['classic', 'blocked', 'wide'].map((kind) => kindOn(kind, 'wasm')))('error rate: $kind', ({ Filter }) => {
  it.each([
    [10, 0.1],
    [100, 0.01],
    [100_000, 0.001],
  ])('of %i keys is as promised at %f', (capacity, errorRate) => {
    expectRates(errorRate, 2e5 / capacity, (round) =>
      new Filter({ capacity, errorRate }).addMany(integersFrom(round * capacity, capacity)),
    );
  });
});

describe('the error rate', () => {
  it.each([
    [1000, 0.001, 4],
    [10_000, 0.01, 16],
  ])('of a rotating filter is kept right before a rotation: %i keys, %f, %i generations', (...given) => {
    const [capacity, errorRate, generations] = given;
    const keysOf = counter();
    expectRates(errorRate, Math.round(3e5 / capacity), () => {
      const filter = new api.RotatingBloomFilter({ capacity, errorRate, generations });
      const { own } = filter[CELLS];
      filter.addMany(keysOf(generations * own.quota));
      // A few looked present.
      while (own.rotations < generations - 1 || own.count < own.quota) filter.addMany(keysOf(1));
      return filter;
    });
  });

  it.each([
    [10, 0.01, 0.7, 1000],
    [1000, 0.001, 0.9, 30_000],
  ])('of a scalable filter is kept: %i keys at first, %f, tightening %f, after %i', (...given) => {
    const [capacity, errorRate, tightening, count] = given;
    expectRates(errorRate, 3e5 / count, (round) =>
      new api.ScalableBloomFilter({ capacity, errorRate, tightening }).addMany(integersFrom(round * count, count)),
    );
  });

  // Given the cells, absent keys hit independently at exactly this rate: no allowance is needed.
  it.each<[Class: object, fingerprintBits: number, options: object]>([
    [api.BinaryFuseFilter, 1, {}],
    [api.BinaryFuseFilter, 8, {}],
    [api.ShardedFuseFilter, 1, { shards: 4 }],
    [api.ShardedFuseFilter, 4, { shards: 256 }],
  ])('of a static filter is 2 to the bits of a cell: %#', (Class, fingerprintBits, options) => {
    const filter = (Class as AnyClass).from(integersFrom(0, 20_000), { ...options, fingerprintBits });
    const trials = 4000 * 2 ** fingerprintBits;
    expectRate(lookUpRandom(filter, trials), trials, 2 ** -fingerprintBits, 1);
  });
});

describe('the rate of a stable filter', () => {
  it.each([
    [10, 0.01, 1],
    [100, 0.1, 2],
    [100, 0.001, 4],
    [100, 0.01, 8],
  ] as const)('settles below the error rate that it promises: capacity %i, at %f, in %i bits', (...given) => {
    const [capacity, errorRate, cellBits] = given;
    const rounds = Math.round(10_000 / capacity);
    const { cells, hashes, decrements } = new api.StableBloomFilter({ capacity, errorRate, cellBits });
    // By then, each cell was decremented six times its maximum.
    const count = Math.ceil((6 * (2 ** cellBits - 1) * cells) / decrements);
    expectRates(errorRate, rounds, (seed) =>
      new api.StableBloomFilter({ capacity, errorRate, cellBits, seed }).addMany(integersFrom(seed * count, count)),
    );
    expect(api.expectedStableErrorRate(cells, cellBits, hashes, decrements)).toBeLessThanOrEqual(errorRate);
  });

  it.each([1, 2, 4, 8] as const)('remembers 90 % of the keys as old as its capacity, in %i bits', (cellBits) => {
    const capacity = 300;
    const rounds = 200;
    let missed = 0;
    let later = 0;
    for (let seed = 0; seed < rounds; seed++) {
      using filter = new api.StableBloomFilter({ capacity, cellBits, errorRate: 0.001, seed });
      // A filter that has been in use for long.
      filter.addMany(integersFrom(seed * 1e5, 10 * capacity));
      const keys = integersFrom(2 ** 31 + seed * 1e5, 2 * capacity);
      filter.addMany(keys);
      const absent = filter.omit(keys.subarray(0, capacity));
      later += absent.length;
      missed += Number(absent.at(-1) === keys[capacity - 1]);
    }
    // One key of each filter: the last one that is followed by `capacity` others.
    expect(missed).toBeLessThanOrEqual(upperQuantile(rounds, 0.1));
    // Those before it are missed more often.
    expect(later / (rounds * capacity)).toBeGreaterThan(0.1);
  });
});

// How many keys fit, as a share of those that a filter is made for.
const bounded = [
  { Filter: api.CuckooFilter, room: 1 },
  { Filter: api.DLeftCountingBloomFilter, room: 7 / 6 },
] as const;

describe.each(bounded)('a filter that can be full: $Filter.kind', ({ Filter, room }) => {
  it.each([
    [8, 10_000],
    [1000, 300],
  ])('errs as rarely as promised: %i keys, in %i fillings', (capacity, rounds) => {
    const keysOf = counter();
    expectRates(0.01, rounds, () => new Filter({ capacity, errorRate: 0.01 }).addMany(keysOf(capacity)));
  });

  it.each([
    [1, 10_000],
    [9, 10_000],
    [100, 3000],
    [20_000, 20],
  ])('takes the keys that it is made for: %i keys, in %i fillings', (capacity, rounds) => {
    const keysOf = counter();
    const filter = new Filter({ capacity, errorRate: 1e-4 });
    for (let round = 0; round < rounds; round++) {
      filter.clear();
      const keys = keysOf(Math.floor(room * capacity));
      expect(filter.addMany(keys).pick(keys).length).toBe(keys.length);
    }
  });
});
