// The error rate and the capacity of d-left counting filters, over many fillings.

import { describe, expect, it } from 'vitest';
import { DLeftCountingBloomFilter, expectedDLeftErrorRate } from '../../src/entries/dleft.ts';
import { expectRate } from '../shared/binomial.ts';
import { counter } from '../shared/integers.ts';

describe('the error rate of a d-left counting filter', () => {
  it.each([
    [1, 0.01, 100_000],
    [18, 0.1, 20_000],
    [50, 0.01, 10_000],
    [100, 0.001, 10_000],
    [1000, 0.01, 1000],
    [100_000, 0.001, 10],
    [1_000_000, 0.01, 1],
  ])('is as promised: %i keys at %f', (capacity, errorRate, rounds) => {
    const keysOf = counter();
    const filter = new DLeftCountingBloomFilter({ capacity, errorRate });
    const perRound = Math.ceil(4_000_000 / rounds);
    const expected = expectedDLeftErrorRate(capacity, filter.buckets, filter.remainderBits);
    let hits = 0;
    for (let round = 0; round < rounds; round++) {
      filter.clear();
      filter.addMany(keysOf(capacity));
      hits += filter.pick(keysOf(perRound)).length;
    }
    expectRate(hits, rounds * perRound, expected, 1.02, errorRate);
  });

  it('is as promised where the seed is the length of the keys', () => {
    const keysOf = counter();
    const filter = new DLeftCountingBloomFilter({ capacity: 20_000, seed: 8 });
    let hits = 0;
    for (let round = 0; round < 10; round++) {
      filter.clear();
      filter.addMany(keysOf(20_000));
      hits += filter.pick(keysOf(100_000)).length;
    }
    expectRate(hits, 1_000_000, filter.estimateErrorRate());
  });

  it.each([6, 9, 13, 14, 15, 18])('of %i bits is as expected at every load', (remainderBits) => {
    const keysOf = counter();
    const filter = new DLeftCountingBloomFilter({ buckets: 1000, remainderBits });
    for (const count of [1000, 10_000, 24_000]) {
      filter.addMany(keysOf(count - filter.count));
      const trials = 1_000_000;
      const hits = filter.pick(keysOf(trials)).length;
      expectRate(hits, trials, filter.estimateErrorRate(), 1.0001);
    }
  });
});

describe('a d-left counting filter takes the keys that it is made for, and a sixth more', () => {
  it.each([
    [1, 10_000],
    [18, 10_000],
    [19, 10_000],
    [42, 10_000],
    [100, 5000],
    [1000, 600],
    [20_000, 20],
    [1_000_000, 1],
  ])('%i keys, in %i fillings', (capacity, rounds) => {
    const keysOf = counter();
    const filter = new DLeftCountingBloomFilter({ capacity, errorRate: 1e-4 });
    for (let round = 0; round < rounds; round++) {
      filter.clear();
      const keys = keysOf(Math.floor((7 / 6) * capacity));
      expect(filter.addMany(keys).pick(keys).length).toBe(keys.length);
    }
  });

  it('each with three copies, and loses none when half of them go', () => {
    const keys = counter()(100_000);
    const filter = new DLeftCountingBloomFilter({ capacity: 100_000 });
    for (let i = 0; i < 3; i++) filter.addMany(keys);
    expect(filter.count).toBe(300_000);
    expect(filter.fillRatio()).toBeLessThan(0.77);
    for (let i = 0; i < 3; i++) filter.removeMany(keys.subarray(0, 50_000));
    const rest = keys.subarray(50_000);
    expect(filter.pick(rest).length).toBe(50_000);
    expect(filter.count).toBe(150_000);
  });

  it.each([
    [1, 18, 39],
    [0.5, 51, 72],
  ])('and copies of single keys, as the documents say: %d of the capacity', (share, least, most) => {
    const filter = new DLeftCountingBloomFilter({ capacity: 100_000, errorRate: 1e-6 });
    filter.addMany(counter()(share * 100_000));
    const copies = Array.from({ length: 3000 }, (_, key) => {
      try {
        filter.addMany(new Uint32Array(96).fill(key));
      } catch {}
      const count = filter.countOf(key);
      filter.removeMany(new Uint32Array(count - 1).fill(key));
      return count;
    });
    expect([Math.min(...copies), Math.max(...copies)]).toEqual([least, most]);
  });

  it.each([
    [12, 1 / 4],
    [24, 1 / 12],
  ])('and keys of many copies, as the documents say: %i copies', (copies, share) => {
    const filter = new DLeftCountingBloomFilter({ capacity: 100_000, errorRate: 1e-6 });
    const keys = Uint32Array.from({ length: 100_000 * copies }, (_, i) => Math.floor(i / copies));
    expect(() => filter.addMany(keys)).toThrow(/^keys\[\d+\] does not fit: its buckets are full/);
    expect(filter.count / copies / 100_000 / share).toBeCloseTo(1, 1);
  });

  it('and loses none when more come', () => {
    const keys = counter()(140_000);
    const filter = new DLeftCountingBloomFilter({ capacity: 100_000 });
    expect(() => filter.addMany(keys)).toThrow(/^keys\[\d+\] does not fit: its buckets are full/);
    const { count } = filter;
    expect(count / filter.cellCount).toBeGreaterThan(0.89);
    expect(filter.pick(keys.subarray(0, count)).length).toBe(count);
  });
});
