// The error rate and the capacity of the filters that can be full, over many fillings.

import { describe, expect, it } from 'vitest';
import { CuckooFilter, expectedCuckooErrorRate } from '../../src/entries/cuckoo.ts';
import { DLeftCountingBloomFilter, expectedDLeftErrorRate } from '../../src/entries/dleft.ts';
import { expectRate } from '../shared/binomial.ts';
import { counter, integersFrom } from '../shared/integers.ts';

const subjects = [
  {
    Filter: CuckooFilter,
    expected: ({ buckets, cellBits }: CuckooFilter | DLeftCountingBloomFilter, count: number) =>
      expectedCuckooErrorRate(count, buckets, cellBits),
    bits: 'fingerprintBits',
    /** Sizes that differ in whether the fields of cells cross words. */
    widths: [7, 12, 16, 17],
    counts: [500, 2000, 3780],
    /** How far the rate of one filter deviates, given its fingerprints. */
    spread: (count: number) => 1 + 5 / Math.sqrt(8 * count),
    /** How many keys fit, as a share of those it is made for. */
    room: 1,
    fullest: 0.95,
  },
  {
    Filter: DLeftCountingBloomFilter,
    expected: ({ buckets, cellBits }: CuckooFilter | DLeftCountingBloomFilter, count: number) =>
      expectedDLeftErrorRate(count, buckets, cellBits - 2),
    bits: 'remainderBits',
    widths: [6, 13, 14, 18],
    counts: [1000, 10_000, 24_000],
    spread: () => 1.0001,
    room: 7 / 6,
    fullest: 0.89,
  },
];

describe.each(subjects)('a filter that can be full: $Filter.kind', (subject) => {
  const { Filter, expected, bits, widths, counts, spread, room, fullest } = subject;

  it.each([
    [8, 0.01, 10_000],
    [50, 0.1, 2000],
    [1000, 0.01, 300],
    [100_000, 0.001, 5],
  ])('errs as rarely as promised: %i keys at %f', (capacity, errorRate, rounds) => {
    const keysOf = counter();
    const filter = new Filter({ capacity, errorRate });
    const perRound = Math.ceil(1_000_000 / rounds);
    let hits = 0;
    for (let round = 0; round < rounds; round++) {
      filter.clear();
      filter.addMany(keysOf(capacity));
      hits += filter.pick(keysOf(perRound)).length;
    }
    expectRate(hits, rounds * perRound, expected(filter, capacity), 1.02, errorRate);
  });

  const strings = (from: number, count: number): string[] =>
    Array.from({ length: count }, (_, i) => (10 ** 6 + from + i).toString(36).padStart(5, '-'));

  it.each([
    ['integers', 8, integersFrom],
    ['strings of 5 bytes', 5, strings],
  ])('errs as rarely where the seed is the length of the keys: %s, seed %i', (_, seed, keysOf) => {
    const filter = new Filter({ capacity: 20_000, seed }).addMany(keysOf(0, 20_000));
    const trials = 500_000;
    const hits = filter.pick(keysOf(20_000, trials) as string[]).length;
    expectRate(hits, trials, filter.estimateErrorRate(), spread(20_000) + 0.01);
  });

  it.each(widths)('of %i bits errs as is expected at every load', (width) => {
    const keysOf = counter();
    const filter = new Filter({ buckets: 1000, [bits]: width } as never);
    for (const count of counts) {
      filter.addMany(keysOf(count - filter.count));
      const trials = 500_000;
      expectRate(filter.pick(keysOf(trials)).length, trials, filter.estimateErrorRate(), spread(count));
    }
  });

  it.each([
    [1, 10_000],
    [9, 10_000],
    [42, 5000],
    [100, 3000],
    [1000, 500],
    [20_000, 20],
    [1_000_000, 1],
  ])('takes the keys that it is made for: %i keys, in %i fillings', (capacity, rounds) => {
    const keysOf = counter();
    const filter = new Filter({ capacity, errorRate: 1e-4 });
    for (let round = 0; round < rounds; round++) {
      filter.clear();
      const keys = keysOf(Math.floor(room * capacity));
      expect(filter.addMany(keys).pick(keys).length).toBe(keys.length);
    }
  });

  it('loses none when more come, or when half of them go', () => {
    const keys = integersFrom(0, 140_000);
    const filter = new Filter({ capacity: 100_000 });
    expect(() => filter.addMany(keys)).toThrow(/^keys\[\d+\] does not fit: its buckets are full/);
    const taken = filter.count;
    expect(taken / filter.cellCount).toBeGreaterThan(fullest);
    expect(filter.pick(keys.subarray(0, taken)).length).toBe(taken);
    const half = Math.floor(taken / 2);
    filter.removeMany(keys.subarray(0, half));
    expect(filter.pick(keys.subarray(half, taken)).length).toBe(taken - half);
    expect(filter.count).toBe(taken - half);
  });
});

describe('a d-left counting filter', () => {
  it('takes three copies of each key', () => {
    const keys = integersFrom(0, 100_000);
    const filter = new DLeftCountingBloomFilter({ capacity: 100_000 });
    for (let i = 0; i < 3; i++) filter.addMany(keys);
    expect(filter.count).toBe(300_000);
    expect(filter.fillRatio()).toBeLessThan(0.77);
    for (let i = 0; i < 3; i++) filter.removeMany(keys.subarray(0, 50_000));
    expect(filter.pick(keys.subarray(50_000)).length).toBe(50_000);
    expect(filter.count).toBe(150_000);
  });

  it.each([
    [1, 18, 39],
    [0.5, 51, 72],
  ])('takes as many copies of single keys as the documents say: %d of the capacity', (share, least, most) => {
    const filter = new DLeftCountingBloomFilter({ capacity: 100_000, errorRate: 1e-6 });
    filter.addMany(integersFrom(0, share * 100_000));
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
  ])('takes as many keys of many copies as the documents say: %i copies', (copies, share) => {
    const filter = new DLeftCountingBloomFilter({ capacity: 100_000, errorRate: 1e-6 });
    const keys = Uint32Array.from({ length: 100_000 * copies }, (_, i) => Math.floor(i / copies));
    expect(() => filter.addMany(keys)).toThrow(/^keys\[\d+\] does not fit: its buckets are full/);
    expect(filter.count / copies / 100_000 / share).toBeCloseTo(1, 1);
  });
});
