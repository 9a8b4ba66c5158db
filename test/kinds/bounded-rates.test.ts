// The error rate and the capacity of the filters that can be full, over many fillings.

import { describe, expect, it } from 'vitest';
import { CuckooFilter, expectedCuckooErrorRate } from '../../src/entries/cuckoo.ts';
import { DLeftCountingBloomFilter, expectedDLeftErrorRate } from '../../src/entries/dleft.ts';
import { expectRate } from '../shared/binomial.ts';
import { counter, integersFrom } from '../shared/integers.ts';

const subjects = [
  {
    Filter: CuckooFilter,
    expectedRate: expectedCuckooErrorRate,
    bits: 'fingerprintBits',
    /** Sizes that differ in whether the fields of cells cross words. */
    widths: [12, 17],
    counts: [500, 3780],
    /** How far the rate of one filter deviates, given its fingerprints. */
    spread: (count: number) => 1 + 5 / Math.sqrt(8 * count),
    /** How many keys fit, as a share of those it is made for. */
    room: 1,
    fullest: 0.95,
  },
  {
    Filter: DLeftCountingBloomFilter,
    expectedRate: expectedDLeftErrorRate,
    bits: 'remainderBits',
    widths: [13, 14],
    counts: [1000, 24_000],
    spread: () => 1.0001,
    room: 7 / 6,
    fullest: 0.89,
  },
] as const;

describe.each(subjects)('a filter that can be full: $Filter.kind', (subject) => {
  const { Filter, expectedRate, bits, widths, counts, spread, room, fullest } = subject;

  it.each([
    [8, 0.01, 10_000],
    [1000, 0.01, 300],
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
    const { buckets, [bits as never]: width } = filter;
    expectRate(hits, rounds * perRound, expectedRate(capacity, buckets, width), 1.02, errorRate);
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

  it('loses none when more come, or when half of them go', () => {
    const keys = integersFrom(0, 14_000);
    const filter = new Filter({ capacity: 10_000 });
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
