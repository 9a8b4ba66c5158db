// The error rate of stable filters in the long run, and how many keys they remember.

import { describe, expect, it } from 'vitest';
import { expectedStableErrorRate, StableBloomFilter } from '../../src/entries/stable.ts';
import { expectRate, upperQuantile } from '../shared/binomial.ts';
import { integersFrom } from '../shared/integers.ts';
import { lookUpRandom, lookupsFor } from '../shared/lookups.ts';
import { randomFrom } from '../shared/random.ts';

interface Options {
  readonly capacity: number;
  readonly errorRate: number;
  readonly cellBits: 1 | 2 | 4 | 8;
}

/**
 * Makes filters, each of another seed, and adds keys until the share of cells in use has settled: each cell was
 * decremented `turns` times its maximum. Then looks up random hashes.
 */
function measure(options: Options, rounds: number, turns: number) {
  const random = randomFrom(options.capacity);
  const perRound = Math.ceil(lookupsFor(options.errorRate) / rounds);
  let [hits, rate, zeros] = [0, 0, 0];
  let { cells, hashes, decrements } = new StableBloomFilter(options);
  for (let seed = 0; seed < rounds; seed++) {
    using filter = new StableBloomFilter({ ...options, seed });
    ({ cells, hashes, decrements } = filter);
    const count = Math.ceil((turns * (2 ** options.cellBits - 1) * cells) / decrements);
    filter.addMany(integersFrom(seed * count, count));
    rate += filter.estimateErrorRate() / rounds;
    zeros += (1 - filter.fillRatio()) / rounds;
    hits += lookUpRandom(filter, perRound, random);
  }
  const limit = expectedStableErrorRate(cells, options.cellBits, hashes, decrements);
  return { hits, rate, zeros, limit, hashes, trials: rounds * perRound };
}

describe('the error rate of a stable filter', () => {
  it.each<Options>([
    { capacity: 10, errorRate: 0.01, cellBits: 1 },
    { capacity: 100, errorRate: 0.1, cellBits: 2 },
    { capacity: 100, errorRate: 0.001, cellBits: 4 },
    { capacity: 100, errorRate: 0.01, cellBits: 8 },
    { capacity: 1000, errorRate: 0.01, cellBits: 2 },
    { capacity: 10_000, errorRate: 0.001, cellBits: 1 },
  ])('settles below what it promises: capacity $capacity, at $errorRate, in $cellBits bits', (options) => {
    const rounds = Math.max(1, Math.round(10_000 / options.capacity));
    const { hits, rate, zeros, limit, hashes, trials } = measure(options, rounds, 6);
    // Given the cells, lookups are independent trials.
    expectRate(hits, trials, rate, 1.02, options.errorRate);
    // The rate is the mean of a power, and its limit the power of a mean.
    expect((1 - zeros) ** hashes / limit).toBeGreaterThan(0.93);
    expect((1 - zeros) ** hashes / limit).toBeLessThan(1.05);
    expect(limit).toBeLessThanOrEqual(options.errorRate);
  });

  it('only rises until it settles', () => {
    const filter = new StableBloomFilter({ capacity: 10_000 });
    let last = 0;
    for (let from = 0; from < 30_000; from += 3000) {
      const now = filter.addMany(integersFrom(from, 3000)).estimateErrorRate();
      expect(now).toBeGreaterThan(last);
      last = now;
    }
    expect(last).toBeLessThan(0.01);
  });
});

describe('the capacity of a stable filter', () => {
  it.each<Pick<Options, 'capacity' | 'cellBits'>>([
    { capacity: 300, cellBits: 1 },
    { capacity: 300, cellBits: 2 },
    { capacity: 300, cellBits: 4 },
    { capacity: 300, cellBits: 8 },
    { capacity: 3000, cellBits: 2 },
  ])('is how many keys later at least 90 % are remembered: $capacity, in $cellBits bits', ({ capacity, cellBits }) => {
    const rounds = Math.round(60_000 / capacity);
    let missed = 0;
    let later = 0;
    for (let seed = 0; seed < rounds; seed++) {
      using filter = new StableBloomFilter({ capacity, cellBits, errorRate: 0.001, seed });
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
