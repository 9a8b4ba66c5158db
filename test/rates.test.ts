import { describe, expect, it } from 'vitest';
import { expectedErrorRate } from '../src/index.ts';
import { CHUNK_KEYS } from '../src/kernel/scratch.ts';
import { lowerQuantile, upperQuantile } from './binomial.ts';
import { type AnyFilter, type KindOnEngine, kinds, type Opened, open, shapeOf } from './kinds.ts';

type Probe = KindOnEngine['probe'];

/** Fills an array with random words: xoshiro128**, by D. Blackman and S. Vigna. */
function randomWords(seed: number): (words: Uint32Array) => void {
  let [a, b, c, d] = [seed, 0x9e3779b9, 0x243f6a88, 0xb7e15162];
  const fill = (words: Uint32Array): void => {
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
  };
  fill(new Uint32Array(64));
  return fill;
}

/** How many of so many random 128-bit hashes the filter has. */
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
  /** Of the share of set cells, over rounds. */
  mean: number;
  variance: number;
  /** The mean of the rates that the filters' cells have. */
  rate: number;
  trials: number;
  hits: number;
}

/** Fills a filter `rounds` times with `count` keys that it never had, and probes it each time. */
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

/** Mean and variance of the share of occupied bins after so many balls (N. L. Johnson, S. Kotz, Urn Models, 1977). */
function occupancy(balls: number, bins: number): { mean: number; variance: number } {
  const empty = Math.exp(balls * Math.log1p(-1 / bins));
  const bothEmpty = Math.exp(balls * Math.log1p(-2 / bins));
  const variance = (empty + (bins - 1) * bothEmpty - bins * empty * empty) / bins;
  return { mean: 1 - empty, variance };
}

/**
 * Mean and variance of the share of set bits in blocks of so many words, each of which gets one bit of a key. Word w of all
 * blocks together are 32 b bins, and n balls fall into them. Two such columns have in common how many keys a block has, and
 * are independent given that. With J of them in a block, `32 q^J` bits of a word stay empty, q = 31/32: the covariance is
 * that of the sum over blocks, and J is multinomial.
 */
function blockedOccupancy(keys: number, blocks: number, words: number): { mean: number; variance: number } {
  const column = occupancy(keys, 32 * blocks);
  const power = (share: number): number => Math.exp(keys * Math.log1p(-share / blocks));
  const [one, square, two] = [power(1 / 32), power(1 - (31 / 32) ** 2), power(2 / 32)];
  const covariance = (square + (blocks - 1) * two - blocks * one * one) / blocks;
  return { mean: column.mean, variance: column.variance / words + (1 - 1 / words) * covariance };
}

/** As many deviations as a normal variable is off, either way, with a probability of 6 · 10^-7. */
const DEVIATIONS = 5;

/**
 * Checks fill, rate given the fill, and promise, of filters that take 10^6 keys in all.
 *
 * Given the cells of the filters, the hits are independent trials, of rates that differ from filter to filter. Their
 * sum has no heavier tails than the binomial of the mean rate (W. Hoeffding, 1956), so its quantile bounds them.
 *
 * The promise is of the mean over all filters. One filter's fill deviates by σ = 0.28 / √m for a fill of 1/2
 * (σ² = e^−a (1 − (1 + a) e^−a) / m, a = ln 2), so its rate fill^k by k σ / (1/2) = 0.56 k / √m of itself. Averaged over
 * r filters with r n = 10^6 and m = k n / ln 2 that is 0.56 √(k ln 2 / 10^6) < 0.17 % for k ≤ 13, whatever n: little
 * beside the 2 % that are allowed. For n = 10^6 one filter is enough.
 */
function check(kind: KindOnEngine, count: number, errorRate: number, budget: number): void {
  const { Core, engine, blockCells, probe } = kind;
  const rounds = Math.max(1, Math.round(budget / count));
  // So many hits tell 2 % + 4.75 / √hits: 3.5, 5.4, 11, 17, 26 and 41 %. Bits that are 3 % too few make 7, 15, 23 and 32 %.
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
  expect(measured.hits, 'hits given the fill').toBeLessThanOrEqual(upperQuantile(trials, 1.02 * rate));
  expect(measured.hits, 'hits given the fill').toBeGreaterThanOrEqual(lowerQuantile(trials, rate / 1.02));
  expect(measured.hits, 'hits as promised').toBeLessThanOrEqual(upperQuantile(trials, 1.02 * errorRate));
  if (blockCells > 1 && count >= 1000) {
    expect(measured.hits, 'no waste').toBeGreaterThanOrEqual(lowerQuantile(trials, 0.75 * errorRate));
  }
}

const counts = [10, 100, 1000, 10_000, 100_000, 1_000_000];
const errorRates = [0.1, 0.01, 0.001, 0.0001];
/** In blocks the fuller ones decide, the more the rarer errors are. */
const rareErrorRates = [1e-5, 1e-6];

describe.each(kinds.filter(({ engine }) => engine.name === 'wasm'))('error rate: $name', (kind) => {
  const rare = kind.blockCells > 1 ? rareErrorRates.filter((errorRate) => errorRate >= kind.minErrorRate) : [];

  describe.each(counts)('%i keys', (count) => {
    it.each([...errorRates, ...rare])('at %f', (errorRate) => check(kind, count, errorRate, 1e6));
  });
});

describe('error rate', () => {
  const [classic, onJs] = ['wasm', 'js'].map((name) =>
    kinds.find(({ kind, engine }) => kind === 'classic' && engine.name === name),
  ) as [KindOnEngine, KindOnEngine];

  // The bytes of both engines are the same, so one cell is enough.
  it('on the JS engine', () => check(onJs, 1000, 0.01, 2e5));

  it('of a tiny filter is 0.000995', () => {
    const exact = 0.000995;
    expect(expectedErrorRate(71, 1024, 10)).toBeCloseTo(exact, 6);
    // A filter's rate deviates by 17 %, and the mean of 10^5 filters by 0.06 %.
    const { trials, hits } = measure(
      open(classic.Core, classic.engine, { bits: 1024, hashes: 10 }),
      classic.probe,
      71,
      100_000,
      200,
    );
    expect(hits).toBeLessThanOrEqual(upperQuantile(trials, 1.02 * exact));
    expect(hits).toBeGreaterThanOrEqual(lowerQuantile(trials, exact / 1.02));
  });

  it('is bounded by quantiles that hold', () => {
    for (const trials of [1, 7, 20]) {
      for (const rate of [0.01, 0.3, 0.5, 0.9]) {
        // The whole distribution, one coin at a time.
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
    // The normal's 4.7534 deviations, with a correction for the skew.
    expect(Math.abs(upperQuantile(1e8, 1e-4) - 10_479)).toBeLessThan(3);
  });
});
