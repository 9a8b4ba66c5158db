// The error rate and the capacity of cuckoo filters, over many fillings.

import { describe, expect, it } from 'vitest';
import { CuckooFilter, expectedCuckooErrorRate } from '../../src/entries/cuckoo.ts';
import { expectRate } from '../shared/binomial.ts';
import { counter, integersFrom } from '../shared/integers.ts';

describe('the error rate of a cuckoo filter', () => {
  it.each([
    [8, 0.01, 40_000],
    [8, 0.1, 10_000],
    [50, 0.01, 10_000],
    [100, 0.001, 10_000],
    [1000, 0.01, 500],
    [100_000, 0.001, 10],
    [1_000_000, 0.01, 1],
  ])('is as promised: %i keys at %f', (capacity, errorRate, rounds) => {
    const keysOf = counter();
    const filter = new CuckooFilter({ capacity, errorRate });
    const perRound = Math.ceil(4_000_000 / rounds);
    let hits = 0;
    for (let round = 0; round < rounds; round++) {
      filter.clear();
      filter.addMany(keysOf(capacity));
      hits += filter.pick(keysOf(perRound)).length;
    }
    const trials = rounds * perRound;
    const rate = filter.estimateErrorRate();
    expect(rate).toBe(expectedCuckooErrorRate(capacity, filter.buckets, filter.fingerprintBits));
    expectRate(hits, trials, rate, 1.02, errorRate);
  });

  const strings = (from: number, count: number): string[] =>
    Array.from({ length: count }, (_, i) => (10 ** 6 + from + i).toString(36).padStart(5, '-'));

  it.each([
    ['integers', 8, integersFrom],
    ['strings of 5 bytes', 5, strings],
  ])('is as promised where the seed is the length of the keys: %s, seed %i', (_, seed, keysOf) => {
    const filter = new CuckooFilter({ capacity: 20_000, seed });
    const rounds = 10;
    const perRound = 100_000;
    let hits = 0;
    for (let round = 0, from = 0; round < rounds; round++, from += perRound + filter.capacity) {
      filter.clear();
      filter.addMany(keysOf(from, filter.capacity));
      hits += filter.pick(keysOf(from + filter.capacity, perRound) as string[]).length;
    }
    const rate = filter.estimateErrorRate();
    expectRate(hits, rounds * perRound, rate);
  });

  it.each([7, 9, 12, 15, 16, 17])('of %i bits is as expected at every load', (fingerprintBits) => {
    const keysOf = counter();
    const filter = new CuckooFilter({ buckets: 1000, fingerprintBits });
    for (const count of [500, 2000, 3780]) {
      filter.addMany(keysOf(count - filter.count));
      const trials = 2_000_000;
      const hits = filter.pick(keysOf(trials)).length;
      // Given the fingerprints, the rate of this one filter deviates by up to 1 / √(8 · count) or so.
      const spread = 1 + 5 / Math.sqrt(8 * count);
      const rate = filter.estimateErrorRate();
      expectRate(hits, trials, rate, spread);
    }
  });
});

describe('a cuckoo filter takes the keys that it is made for', () => {
  it.each([
    [1, 10_000],
    [8, 10_000],
    [9, 10_000],
    [16, 10_000],
    [30, 10_000],
    [50, 10_000],
    [100, 10_000],
    [200, 3000],
    [1000, 600],
    [20_000, 20],
    [1_000_000, 1],
  ])('%i keys, in %i fillings', (capacity, rounds) => {
    const keysOf = counter();
    const filter = new CuckooFilter({ capacity });
    for (let round = 0; round < rounds; round++) {
      filter.clear();
      const keys = keysOf(capacity);
      expect(filter.addMany(keys).pick(keys).length).toBe(capacity);
    }
  });

  it('10,000,000 keys, in 3 fillings', () => {
    const count = 10_000_000;
    const filter = new CuckooFilter({ capacity: count, errorRate: 0.001 });
    const keys = new Uint32Array(count);
    for (let round = 0; round < 3; round++) {
      filter.clear();
      // Products of different numbers and an odd one are different.
      for (let i = 0; i < count; i++) keys[i] = Math.imul(round * count + i, 0x9e3779b1);
      expect(filter.addMany(keys).pick(keys).length).toBe(count);
    }
    filter.dispose();
  }, 300_000);

  it('and loses none when more come, or when half of them go', () => {
    const keysOf = counter();
    const filter = new CuckooFilter({ capacity: 100_000 });
    const keys = keysOf(110_000);
    expect(() => filter.addMany(keys)).toThrow(/^keys\[\d+\] does not fit: its buckets are full/);
    const taken = filter.count;
    expect(taken / filter.cellCount).toBeGreaterThan(0.95);
    expect(filter.pick(keys.subarray(0, taken)).length).toBe(taken);
    const half = Math.floor(taken / 2);
    filter.removeMany(keys.subarray(0, half));
    const rest = keys.subarray(half, taken);
    expect(filter.pick(rest).length).toBe(rest.length);
    expect(filter.count).toBe(rest.length);
  });
});
