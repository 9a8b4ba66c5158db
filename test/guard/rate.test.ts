import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { guard } from '../../src/entries/guard.ts';
import { measuredRate } from '../../src/guard/rate.ts';
import { BloomFilter } from '../../src/index.ts';
import { randomFrom } from '../shared/random.ts';

describe('a measured rate', () => {
  it('has the interval of Wilson, at whose ends the rate is 1.96 standard deviations away', () => {
    const property = fc.property(
      fc.integer({ min: 1, max: 10 ** 7 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (n, p) => {
        const hits = Math.round(n * p);
        const { absent, rate, interval } = measuredRate(hits, n);
        expect([absent, rate]).toEqual([n, hits / n]);
        const [low, high] = interval;
        expect(low === 0).toBe(hits === 0);
        expect(high === 1).toBe(hits === n);
        for (const end of [...(hits > 0 ? [low] : []), ...(hits < n ? [high] : [])]) {
          const deviation = Math.sqrt((end * (1 - end)) / n);
          expect(Math.abs(rate - end) / deviation).toBeCloseTo(1.959964, 4);
        }
      },
    );
    fc.assert(property);
  });

  it('says nothing without trials', () => {
    expect(measuredRate(0, 0)).toEqual({ absent: 0, rate: 0, interval: [0, 1] });
  });
});

describe('the measured rate of a guard', () => {
  const stored = Array.from({ length: 5000 }, (_, i) => i);

  /** Asks a guard for absent keys, and returns what `onRate` was called with. */
  async function ask(capacity: number, absent: number) {
    const filter = BloomFilter.from(stored, { capacity, errorRate: 0.01 });
    const onRate = vi.fn();
    const rows = guard(filter, (key: number) => (key < 5000 ? key : undefined), { onRate });
    for (let key = 5000; key < 5000 + absent; key++) await rows.get(key);
    return { onRate, rows, truth: filter.estimateErrorRate() };
  }

  it('agrees with the filter, and with the count of loads in vain', async () => {
    const { rows, onRate, truth } = await ask(5000, 20_000);
    const { rate, interval } = rows.measuredRate;
    expect(rate).toBe(rows.stats.falsePositives / 20_000);
    expect(interval[0]).toBeLessThan(truth);
    expect(interval[1]).toBeGreaterThan(truth);
    expect(onRate).not.toHaveBeenCalled();
  });

  it('is reported once if the filter is overfull, and again after a swap', async () => {
    const { rows, onRate } = await ask(1000, 3000);
    expect(onRate).toHaveBeenCalledTimes(1);
    const [measured] = onRate.mock.calls[0] ?? [];
    expect(measured.interval[0]).toBeGreaterThan(0.02);
    rows.swap(rows.filter);
    for (let key = 5000; key < 8000; key++) await rows.get(key);
    expect(onRate).toHaveBeenCalledTimes(2);
  });

  it('is hardly ever reported for a filter that keeps its promise', async () => {
    const random = randomFrom(3);
    const onRate = vi.fn();
    const filter = { has: () => random(100) === 0, errorRate: 0.01 };
    for (let round = 0; round < 300; round++) {
      const rows = guard(filter, () => undefined, { onRate });
      for (let i = 0; i < 1500; i++) await rows.get(i);
    }
    expect(onRate.mock.calls.length).toBeLessThanOrEqual(3);
  });
});
