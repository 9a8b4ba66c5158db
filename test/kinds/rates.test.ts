// Statistics of the kinds that set bits: how many of them are set, and how many absent keys look present. On one engine
// and without a secret: test/kernel/parity.test.ts and test/kinds/bits.test.ts prove that the others set the same bits.

import { describe, expect, it } from 'vitest';
import { expectRate, lowerQuantile, upperQuantile } from '../shared/binomial.ts';
import { integersFrom } from '../shared/integers.ts';
import { kindOn, shapeOf } from '../shared/kinds.ts';
import { lookUpRandom } from '../shared/lookups.ts';
import { randomFrom } from '../shared/random.ts';

/** Mean and variance of the share of occupied bins after `balls` balls (N. L. Johnson, S. Kotz, Urn Models, 1977). */
function occupancy(balls: number, bins: number): { mean: number; variance: number } {
  const empty = Math.exp(balls * Math.log1p(-1 / bins));
  const bothEmpty = Math.exp(balls * Math.log1p(-2 / bins));
  return { mean: 1 - empty, variance: (empty + (bins - 1) * bothEmpty - bins * empty * empty) / bins };
}

/** A normal variable deviates by more than this many standard deviations with a probability of 6 · 10^-7. */
const DEVIATIONS = 5;

// A counting filter has a counter for each bit of a classic one.
describe.each(['classic', 'blocked', 'wide'].map((kind) => kindOn(kind, 'wasm')))('error rate: $kind', (kind) => {
  const { Filter, blockCells } = kind;

  // Filters that take 2 · 10^5 keys in all: their fill, their error rate given the fill, and the promised one.
  //
  // Given the cells of the filters, the lookups are independent trials whose rates differ from filter to filter. The
  // number of hits has no heavier tails than the binomial distribution of the mean rate (W. Hoeffding, 1956), whose
  // quantile therefore bounds it.
  //
  // The promised rate is the mean over all filters. At a fill of 1/2, one filter's fill deviates by σ = 0.28 / √m
  // (σ² = e^−a (1 − (1 + a) e^−a) / m, a = ln 2), and its rate fill^k by the relative k σ / (1/2) = 0.56 k / √m.
  // Averaged over r filters with r n = 2 · 10^5 and m = k n / ln 2, this is 0.56 √(k ln 2 / 2 · 10^5) < 0.38 % for
  // k ≤ 13 and any n: little compared with the 2 % allowed.
  //
  // These numbers of hits show an excess of 2 % + 4.75 / √hits. With 3 % too few bits, the rate is 7 to 32 % too high.
  it.each([
    [10, 0.1, 1e5],
    [100, 0.01, 1e4],
    [100_000, 0.001, 2000],
    [10_000, 0.00001, 40],
  ])('of %i keys is as promised at %f', (count, errorRate, wanted) => {
    const rounds = 2e5 / count;
    const filter = new Filter({ capacity: count, errorRate });
    const { cells, hashes } = shapeOf(filter);
    const perRound = Math.ceil(wanted / errorRate / rounds);
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
    // In blocks, the cells of one word of each block are bins into which one ball falls for each key. The mean over all
    // words varies no more than the share in one.
    const expected = blockCells > 1 ? occupancy(count, cells / hashes) : occupancy(count * hashes, cells);
    const deviation = Math.sqrt(expected.variance / rounds);
    expect(Math.abs(mean - expected.mean), 'fill').toBeLessThan(DEVIATIONS * deviation);
    if (rounds >= 200 && blockCells === 1) {
      const ratio = squares / (rounds - 1) / expected.variance;
      expect(Math.abs(ratio - 1), 'variance of the fill').toBeLessThan(DEVIATIONS * Math.sqrt(2 / rounds) + 0.01);
    }
    expectRate(hits, rounds * perRound, rate, 1.02, errorRate);
    if (blockCells > 1 && count >= 1000) {
      expect(hits, 'no waste').toBeGreaterThanOrEqual(lowerQuantile(rounds * perRound, 0.75 * errorRate));
    }
  });
});

it('an error rate is bounded by correct quantiles', () => {
  for (const [trials, rate, tail] of [
    [7, 0.3, 0.001],
    [20, 0.01, 1e-6],
    [20, 0.9, 0.2],
  ] as const) {
    // The exact distribution, built up one trial at a time.
    let chances = [1];
    for (let coin = 0; coin < trials; coin++) {
      chances = [...chances, 0].map((chance, x) => chance * (1 - rate) + (chances[x - 1] ?? 0) * rate);
    }
    const sum = (from: number, to?: number): number => chances.slice(from, to).reduce((a, b) => a + b, 0);
    const [upper, lower] = [upperQuantile(trials, rate, tail), lowerQuantile(trials, rate, tail)];
    for (const most of [sum(upper + 1), sum(0, lower)]) expect(most).toBeLessThanOrEqual(tail);
    for (const more of [sum(upper), sum(0, lower + 1)]) expect(more).toBeGreaterThan(tail);
  }
  // The quantile of the normal distribution, at 4.7534 deviations, with a correction for the skew.
  expect(Math.abs(upperQuantile(1e8, 1e-4) - 10_479)).toBeLessThan(3);
});
