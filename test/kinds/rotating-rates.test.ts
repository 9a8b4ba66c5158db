// The error rate of rotating filters.

import { describe, it } from 'vitest';
import { RotatingBloomFilter } from '../../src/entries/rotating.ts';
import { CELLS } from '../../src/filters/kind.ts';
import { expectRate } from '../shared/binomial.ts';
import { integersFrom } from '../shared/integers.ts';
import { lookUpRandom, lookupsFor } from '../shared/lookups.ts';
import { randomFrom } from '../shared/random.ts';

/** Fills filters, and looks up random hashes right before a rotation, when most absent keys look present. */
function measure(options: { capacity: number; errorRate: number; lanes: number }, rounds: number, perRound: number) {
  const filter = new RotatingBloomFilter(options);
  const { own } = filter[CELLS];
  const { lanes, quota } = own;
  const random = randomFrom(options.capacity);
  let [key, hits, rate] = [0, 0, 0];
  for (let round = 0; round < rounds; round++) {
    filter.clear();
    filter.addMany(integersFrom(key, lanes * quota));
    key += lanes * quota;
    // A few looked present.
    while (own.rotations < lanes - 1 || own.count < quota) filter.add(key++);
    rate += filter.estimateErrorRate() / rounds;
    hits += lookUpRandom(filter, perRound, random);
  }
  return { hits, rate, trials: rounds * perRound };
}

describe('the error rate of a rotating filter', () => {
  it.each([
    [100, 0.1, 4],
    [1000, 0.01, 2],
    [1000, 0.001, 4],
    [10_000, 0.01, 16],
    [100_000, 0.0001, 3],
  ])('is as promised for %i keys at %f in %i lanes, also right before a rotation', (capacity, errorRate, lanes) => {
    const rounds = Math.max(1, Math.round(3e5 / capacity));
    const perRound = Math.ceil(lookupsFor(errorRate) / rounds);
    const { hits, rate, trials } = measure({ capacity, errorRate, lanes }, rounds, perRound);
    expectRate(hits, trials, rate, 1.02, errorRate);
  });
});
