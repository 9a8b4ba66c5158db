import { describe, expect, it } from 'vitest';
import { expectedErrorRate } from '../../src/index.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';
import { expectRate, lowerQuantile, upperQuantile } from '../shared/binomial.ts';
import { type AnyFilter, combinableKinds, type SizedKind, shapeOf } from '../shared/kinds.ts';
import { type Opened, open } from '../shared/open.ts';

type Probe = SizedKind['probe'];

/** Returns a function that fills an array with random words: xoshiro128**, by D. Blackman and S. Vigna. */
function randomWords(seed: number): (words: Uint32Array) => void {
  let state: readonly [number, number, number, number] = [seed, 0x9e3779b9, 0x243f6a88, 0xb7e15162];
  const fill = (words: Uint32Array): void => {
    let [a, b, c, d] = state;
    for (let i = 0; i < words.length; i++) {
      const scaled = Math.imul(b, 5);
      words[i] = Math.imul((scaled << 7) | (scaled >>> 25), 9);
      const shifted = b << 9;
      c ^= a;
      d ^= b;
      b ^= c;
      a ^= d;
      c ^= shifted;
      d = (d << 11) | (d >>> 21);
    }
    state = [a, b, c, d];
  };
  fill(new Uint32Array(64));
  return fill;
}

/** How many of `count` random 128-bit hashes look present. */
function hitsOf(
  { filter, region }: Opened<AnyFilter>,
  probe: Probe,
  count: number,
  random: (words: Uint32Array) => void,
): number {
  const { kernel, memory, scratch } = region.instance;
  const shape = shapeOf(filter);
  let hits = 0;
  for (let left = count; left > 0; left -= CHUNK_KEYS) {
    const chunk = Math.min(left, CHUNK_KEYS);
    random(new Uint32Array(memory.buffer, scratch.hashes, 4 * chunk));
    hits += probe(kernel, region.pointer, shape, { from: scratch.hashes, count: chunk, flags: scratch.flags });
  }
  return hits;
}

interface Measured {
  /** Mean and variance, over all rounds, of the share of set cells. */
  mean: number;
  variance: number;
  /** The mean, over all rounds, of the error rate estimated from the cells. */
  rate: number;
  trials: number;
  hits: number;
}

/** Fills a filter `rounds` times with `count` new keys, and probes it each time. */
function measure(opened: Opened<AnyFilter>, probe: Probe, count: number, rounds: number, perRound: number): Measured {
  const { filter } = opened;
  const random = randomWords(count);
  const keys = Uint32Array.from({ length: rounds * count }, (_, i) => i);
  let [mean, squares, rate, hits] = [0, 0, 0, 0];
  for (let round = 0; round < rounds; round++) {
    filter.clear();
    filter.addMany(keys.subarray(round * count, (round + 1) * count));
    const fill = filter.fillRatio();
    const off = fill - mean;
    mean += off / (round + 1);
    squares += off * (fill - mean);
    rate += filter.estimateErrorRate() / rounds;
    hits += hitsOf(opened, probe, perRound, random);
  }
  return { mean, variance: squares / (rounds - 1), rate, trials: rounds * perRound, hits };
}

/** Mean and variance of the share of occupied bins after `balls` balls (N. L. Johnson, S. Kotz, Urn Models, 1977). */
function occupancy(balls: number, bins: number): { mean: number; variance: number } {
  const empty = Math.exp(balls * Math.log1p(-1 / bins));
  const bothEmpty = Math.exp(balls * Math.log1p(-2 / bins));
  const variance = (empty + (bins - 1) * bothEmpty - bins * empty * empty) / bins;
  return { mean: 1 - empty, variance };
}

/**
 * Mean and variance of the share of set bits in blocks of `words` words, in each of which a key sets one bit. Column
 * w, the words w of all b blocks, is 32 b bins into which n balls fall. Given the numbers of keys in the blocks, two
 * columns are independent. In a block with J keys, `32 q^J` bits of a word are expected to stay empty, q = 31/32. So
 * the covariance of two columns is the variance of the sum of these over all blocks, where J is multinomial.
 */
function blockedOccupancy(keys: number, blocks: number, words: number): { mean: number; variance: number } {
  const column = occupancy(keys, 32 * blocks);
  const power = (share: number): number => Math.exp(keys * Math.log1p(-share / blocks));
  const [one, square, two] = [power(1 / 32), power(1 - (31 / 32) ** 2), power(2 / 32)];
  const covariance = (square + (blocks - 1) * two - blocks * one * one) / blocks;
  return { mean: column.mean, variance: column.variance / words + (1 - 1 / words) * covariance };
}

/** A normal variable deviates by more than this many standard deviations with a probability of 6 · 10^-7. */
const DEVIATIONS = 5;

/**
 * Checks the fill, the error rate given the fill, and the promised error rate of filters that take 10^6 keys in all.
 *
 * Given the cells of the filters, the lookups are independent trials whose rates differ from filter to filter. The
 * number of hits has no heavier tails than the binomial distribution of the mean rate (W. Hoeffding, 1956), whose
 * quantile therefore bounds it.
 *
 * The promised rate is the mean over all filters. At a fill of 1/2, one filter's fill deviates by σ = 0.28 / √m
 * (σ² = e^−a (1 − (1 + a) e^−a) / m, a = ln 2), and its rate fill^k by the relative k σ / (1/2) = 0.56 k / √m.
 * Averaged over r filters with r n = 10^6 and m = k n / ln 2, this is 0.56 √(k ln 2 / 10^6) < 0.17 % for k ≤ 13 and
 * any n: little compared with the 2 % allowed. For n = 10^6, one filter is enough.
 */
function check(kind: SizedKind, count: number, errorRate: number, budget: number): void {
  const { Core, engine, blockCells, probe } = kind;
  const rounds = Math.max(1, Math.round(budget / count));
  // These numbers of hits detect an excess of 2 % + 4.75 / √hits: 3.5, 5.4, 11, 17, 26 and 41 %. With 3 % too few
  // bits, the excess is 7, 15, 23 and 32 %.
  const hits = { 0.1: 1e5, 0.01: 2e4, 0.001: 3000, 0.0001: 1000, 1e-5: 400, 1e-6: 150 }[errorRate] ?? 0;
  const opened = open(Core, engine, { capacity: count, errorRate });
  const { cells, hashes } = shapeOf(opened.filter);
  const measured = measure(opened, probe, count, rounds, Math.ceil(hits / errorRate / rounds));

  const expected =
    blockCells > 1 ? blockedOccupancy(count, cells / blockCells, hashes) : occupancy(count * hashes, cells);
  const deviation = Math.sqrt(expected.variance / rounds);
  expect(Math.abs(measured.mean - expected.mean), 'fill').toBeLessThan(DEVIATIONS * deviation);
  if (rounds >= 1000) {
    const ratio = measured.variance / expected.variance;
    expect(Math.abs(ratio - 1), 'variance of the fill').toBeLessThan(DEVIATIONS * Math.sqrt(2 / rounds) + 0.01);
  }

  const { trials, rate } = measured;
  expectRate(measured.hits, trials, rate, 1.02, errorRate);
  if (blockCells > 1 && count >= 1000) {
    expect(measured.hits, 'no waste').toBeGreaterThanOrEqual(lowerQuantile(trials, 0.75 * errorRate));
  }
}

const counts = [10, 100, 1000, 10_000, 100_000, 1_000_000];
/** Under a secret only the hashes of the added keys are others: those that are looked up are random here. */
const keyedCounts = [10, 1000, 100_000];
const errorRates = [0.1, 0.01, 0.001, 0.0001];
/** Also tested for kinds with blocks, where the fuller blocks dominate more at lower rates. */
const rareErrorRates = [1e-5, 1e-6];

describe.each(combinableKinds.filter(({ engine }) => engine.name === 'wasm'))('error rate: $name', (kind) => {
  const rare = kind.blockCells > 1 ? rareErrorRates.filter((errorRate) => errorRate >= kind.minErrorRate) : [];

  describe.each(kind.isKeyed ? keyedCounts : counts)('of %i keys', (count) => {
    it.each([...errorRates, ...rare])('is as promised at %f', (errorRate) => check(kind, count, errorRate, 1e6));
  });
});

describe('error rate', () => {
  const [classic, onJs] = ['wasm', 'js'].map((name) =>
    combinableKinds.find(({ kind, engine }) => kind === 'classic' && engine.name === name),
  ) as [SizedKind, SizedKind];

  // Both engines give the same bytes, so one combination is enough.
  it('is as promised on the JS engine: 1000 keys at 0.01', () => check(onJs, 1000, 0.01, 2e5));

  it('of a tiny filter is 0.000995', () => {
    const exact = 0.000995;
    expect(expectedErrorRate(71, 1024, 10)).toBeCloseTo(exact, 6);
    // The rate of one filter deviates by 17 %, the mean of 10^5 filters by 0.06 %.
    const { trials, hits } = measure(
      open(classic.Core, classic.engine, { bits: 1024, hashes: 10 }),
      classic.probe,
      71,
      100_000,
      200,
    );
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
