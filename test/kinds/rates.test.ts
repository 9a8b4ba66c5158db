// Statistics of the kinds that set bits: how many of them are set, and how many absent keys look present. On one engine
// and without a secret: test/kernel/parity.test.ts and test/kinds/bits.test.ts prove that the others set the same bits.

import { describe, expect, it } from 'vitest';
import { expectedErrorRate } from '../../src/index.ts';
import { expectRate, lowerQuantile, upperQuantile } from '../shared/binomial.ts';
import { integersFrom } from '../shared/integers.ts';
import { type AnyFilter, kindOn, type SizedKind, shapeOf } from '../shared/kinds.ts';
import { lookUpRandom } from '../shared/lookups.ts';
import { randomFrom } from '../shared/random.ts';

interface Measured {
  /** Mean and variance, over all rounds, of the share of set cells. */
  readonly mean: number;
  readonly variance: number;
  /** The mean, over all rounds, of the error rate estimated from the cells. */
  readonly rate: number;
  readonly trials: number;
  readonly hits: number;
}

/** Fills a filter `rounds` times with `count` new keys, and looks up random hashes each time. */
function measure(filter: AnyFilter, count: number, rounds: number, perRound: number): Measured {
  const random = randomFrom(count);
  let [mean, squares, rate, hits] = [0, 0, 0, 0];
  for (let round = 0; round < rounds; round++) {
    filter.clear();
    filter.addMany(integersFrom(round * count, count));
    const fill = filter.fillRatio();
    const off = fill - mean;
    mean += off / (round + 1);
    squares += off * (fill - mean);
    rate += filter.estimateErrorRate() / rounds;
    hits += lookUpRandom(filter, perRound, random);
  }
  return { mean, variance: squares / (rounds - 1), rate, trials: rounds * perRound, hits };
}

/** Mean and variance of the share of occupied bins after `balls` balls (N. L. Johnson, S. Kotz, Urn Models, 1977). */
function occupancy(balls: number, bins: number): { mean: number; variance: number } {
  const empty = Math.exp(balls * Math.log1p(-1 / bins));
  const bothEmpty = Math.exp(balls * Math.log1p(-2 / bins));
  return { mean: 1 - empty, variance: (empty + (bins - 1) * bothEmpty - bins * empty * empty) / bins };
}

/** A normal variable deviates by more than this many standard deviations with a probability of 6 · 10^-7. */
const DEVIATIONS = 5;

/**
 * Checks the fill, the error rate given the fill, and the promised error rate of filters that take 2 · 10^5 keys in all.
 *
 * Given the cells of the filters, the lookups are independent trials whose rates differ from filter to filter. The
 * number of hits has no heavier tails than the binomial distribution of the mean rate (W. Hoeffding, 1956), whose
 * quantile therefore bounds it.
 *
 * The promised rate is the mean over all filters. At a fill of 1/2, one filter's fill deviates by σ = 0.28 / √m
 * (σ² = e^−a (1 − (1 + a) e^−a) / m, a = ln 2), and its rate fill^k by the relative k σ / (1/2) = 0.56 k / √m.
 * Averaged over r filters with r n = 2 · 10^5 and m = k n / ln 2, this is 0.56 √(k ln 2 / 2 · 10^5) < 0.38 % for
 * k ≤ 13 and any n: little compared with the 2 % allowed. For more keys, one filter is enough.
 */
function check({ Filter, blockCells }: SizedKind, count: number, errorRate: number, hits: number): void {
  const rounds = Math.max(1, Math.round(2e5 / count));
  const filter = new Filter({ capacity: count, errorRate });
  const { cells, hashes } = shapeOf(filter);
  const measured = measure(filter, count, rounds, Math.ceil(hits / errorRate / rounds));

  // In blocks, the cells of one word of each block are bins into which one ball falls for each key. The mean over all
  // words varies no more than the share in one.
  const expected = blockCells > 1 ? occupancy(count, cells / hashes) : occupancy(count * hashes, cells);
  const deviation = Math.sqrt(expected.variance / rounds);
  expect(Math.abs(measured.mean - expected.mean), 'fill').toBeLessThan(DEVIATIONS * deviation);
  if (rounds >= 200 && blockCells === 1) {
    const ratio = measured.variance / expected.variance;
    expect(Math.abs(ratio - 1), 'variance of the fill').toBeLessThan(DEVIATIONS * Math.sqrt(2 / rounds) + 0.01);
  }

  const { trials, rate } = measured;
  expectRate(measured.hits, trials, rate, 1.02, errorRate);
  if (blockCells > 1 && count >= 1000) {
    expect(measured.hits, 'no waste').toBeGreaterThanOrEqual(lowerQuantile(trials, 0.75 * errorRate));
  }
}

// A counting filter has a counter for each bit of a classic one.
describe.each(['classic', 'blocked', 'wide'].map((kind) => kindOn(kind, 'wasm')))('error rate: $kind', (kind) => {
  // These numbers of hits show an excess of 2 % + 4.75 / √hits. With 3 % too few bits, the rate is 7 to 32 % too high.
  it.each([
    [10, 0.1, 1e5],
    [10, 0.001, 1000],
    [100, 0.01, 1e4],
    [1000, 0.0001, 300],
    [100_000, 0.1, 1e5],
    [100_000, 0.001, 2000],
    [1_000_000, 0.01, 1e4],
    [10_000, 0.00001, 40],
  ])('of %i keys is as promised at %f', (count, errorRate, hits) => check(kind, count, errorRate, hits));

  it.each([
    ['of random keys', 0, [10, 0.02]],
    ['the empty key, which hashes to zero with the seed 0', 1, [20, 0.05]],
  ] as const)('is as promised on average over seeds: %s', (_, isEmptyKey, [capacity, errorRate]) => {
    const keys = Array.from({ length: capacity }, (_, i) => `key ${i}`);
    const absent = isEmptyKey ? [''] : Array.from({ length: 50 }, (_, i) => `absent ${i}`);
    const seeds = isEmptyKey ? 4000 : 2000;
    let present = 0;
    for (let seed = 0; seed < seeds; seed++) {
      using filter = new kind.Filter({ capacity, errorRate, seed });
      present += filter.addMany(keys).pick(absent).length;
    }
    // Hits in one filter are correlated. With 50 lookups each, they spread less than twice as far as independent ones.
    const most = 1.005 * errorRate * seeds * absent.length;
    expect(present).toBeLessThan(most + 10 * Math.sqrt(most));
    // Few keys need far less than a block.
    if (kind.blockCells === 1) expect(present).toBeGreaterThan(0.8 * most);
  });
});

describe('error rate', () => {
  it('of a tiny filter is 0.000995', () => {
    const exact = 0.000995;
    expect(expectedErrorRate(71, 1024, 10)).toBeCloseTo(exact, 6);
    // The rate of one filter deviates by 17 %, the mean of 10^4 filters by 0.17 %.
    const { trials, hits } = measure(kindOn('classic', 'wasm').sized({ cells: 1024, hashes: 10 }), 71, 10_000, 200);
    expectRate(hits, trials, exact);
  });

  it('is bounded by correct quantiles', () => {
    for (const trials of [1, 7, 20]) {
      for (const rate of [0.01, 0.3, 0.5, 0.9]) {
        // The exact distribution, built up one trial at a time.
        let chances = [1];
        for (let coin = 0; coin < trials; coin++) {
          chances = [...chances, 0].map((chance, x) => chance * (1 - rate) + (chances[x - 1] ?? 0) * rate);
        }
        const sum = (from: number, to: number): number => chances.slice(from, to).reduce((a, b) => a + b, 0);
        for (const tail of [1e-6, 0.001, 0.2]) {
          const upper = upperQuantile(trials, rate, tail);
          expect(sum(upper + 1, trials + 1)).toBeLessThanOrEqual(tail);
          expect(sum(upper, trials + 1)).toBeGreaterThan(tail);
          const lower = lowerQuantile(trials, rate, tail);
          expect(sum(0, lower)).toBeLessThanOrEqual(tail);
          expect(sum(0, lower + 1)).toBeGreaterThan(tail);
        }
      }
    }
    // The quantile of the normal distribution, at 4.7534 deviations, with a correction for the skew.
    expect(Math.abs(upperQuantile(1e8, 1e-4) - 10_479)).toBeLessThan(3);
  });
});
