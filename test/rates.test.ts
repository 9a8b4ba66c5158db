import { describe, expect, it } from 'vitest';
import * as blocked from '../src/filters/blocked.ts';
import * as bloom from '../src/filters/bloom.ts';
import * as counting from '../src/filters/counting.ts';
import { expectedErrorRate } from '../src/index.ts';
import { js } from '../src/kernel/js.ts';
import type { Engine, KernelExports } from '../src/kernel/kernel.ts';
import type { Region } from '../src/kernel/region.ts';
import { CHUNK_KEYS } from '../src/kernel/scratch.ts';
import { wasm } from '../src/kernel/wasm.ts';
import { lowerQuantile, upperQuantile } from './binomial.ts';

type Options = { capacity: number; errorRate: number } | { bits: number; hashes: number };
type Has = (kernel: KernelExports, at: number, hashes: number, count: number, flags: number) => number;

/** A filter with its memory, and its probe of hashes that are in the scratch. */
interface Opened {
  filter: bloom.BloomFilter | blocked.BlockedBloomFilter | counting.CountingBloomFilter;
  region: Region;
  has: Has;
}

/** Makes a filter of a class that has this engine, and finds the memory that it reserves. */
function watch(engine: Engine, make: (engine: Engine) => Omit<Opened, 'region'>): Opened {
  const regions: Region[] = [];
  const made = make({
    ...engine,
    reserve(byteLength) {
      const region = engine.reserve(byteLength);
      regions.push(region);
      return region;
    },
  });
  const [region] = regions;
  if (region === undefined) throw new Error('no region was reserved');
  return { ...made, region };
}

const kinds = {
  classic: (engine: Engine, options: Options) =>
    watch(engine, (engine) => {
      const filter = new (class extends bloom.BloomFilter {
        static override readonly engine = engine;
      })(options);
      const { bits, hashes } = filter;
      return {
        filter,
        has: (kernel, at, from, count, flags) => kernel.bloom_has(at, bits, hashes, from, count, flags),
      };
    }),
  blocked: (engine: Engine, options: { capacity: number; errorRate: number }) =>
    watch(engine, (engine) => {
      const filter = new (class extends blocked.BlockedBloomFilter {
        static override readonly engine = engine;
      })(options);
      const blocks = filter.bits / 256;
      return { filter, has: (kernel, at, from, count, flags) => kernel.blocked_has(at, blocks, from, count, flags) };
    }),
  counting: (engine: Engine, options: { capacity: number; errorRate: number }) =>
    watch(engine, (engine) => {
      const filter = new (class extends counting.CountingBloomFilter {
        static override readonly engine = engine;
      })(options);
      const { counters: m, hashes } = filter;
      return {
        filter,
        has: (kernel, at, from, count, flags) => kernel.counting_has(at, m, hashes, from, count, flags),
      };
    }),
};

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
function probe({ region, has }: Opened, count: number, random: (words: Uint32Array) => void): number {
  const { kernel, memory, scratch } = region.instance;
  let hits = 0;
  for (let left = count; left > 0; left -= CHUNK_KEYS) {
    const chunk = Math.min(left, CHUNK_KEYS);
    random(new Uint32Array(memory.buffer, scratch.hashes, 4 * chunk));
    hits += has(kernel, region.pointer, scratch.hashes, chunk, scratch.flags);
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
function measure(opened: Opened, count: number, rounds: number, perRound: number): Measured {
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
    hits += probe(opened, perRound, random);
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
 * The same for eight words a block, each of which gets one bit of a key. Word w of all blocks together are 32 b bins,
 * and n balls fall into them. Two such columns have in common how many keys a block has, and are independent
 * given that. With J of them in a block, `32 q^J` bits of a word stay empty, q = 31/32: the covariance is that of the
 * sum over blocks, and J is multinomial.
 */
function blockedOccupancy(keys: number, blocks: number): { mean: number; variance: number } {
  const column = occupancy(keys, 32 * blocks);
  const power = (share: number): number => Math.exp(keys * Math.log1p(-share / blocks));
  const [one, square, two] = [power(1 / 32), power(1 - (31 / 32) ** 2), power(2 / 32)];
  const covariance = (square + (blocks - 1) * two - blocks * one * one) / blocks;
  return { mean: column.mean, variance: column.variance / 8 + (7 / 8) * covariance };
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
function check(kind: keyof typeof kinds, engine: Engine, count: number, errorRate: number, budget: number): void {
  const rounds = Math.max(1, Math.round(budget / count));
  // So many hits tell 2 % + 4.75 / √hits: 3.5, 5.4, 11 and 17 %. Bits that are 3 % too few make 7, 15, 23 and 32 %.
  const hits = { 0.1: 1e5, 0.01: 2e4, 0.001: 3000, 0.0001: 1000 }[errorRate] ?? 0;
  const opened = kinds[kind](engine, { capacity: count, errorRate });
  const { filter } = opened;
  const measured = measure(opened, count, rounds, Math.ceil(hits / errorRate / rounds));

  const cells = filter.kind === 'counting' ? filter.counters : filter.bits;
  const expected = kind === 'blocked' ? blockedOccupancy(count, cells / 256) : occupancy(count * filter.hashes, cells);
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
  if (kind === 'blocked' && count >= 1000) {
    expect(measured.hits, 'no waste').toBeGreaterThanOrEqual(lowerQuantile(trials, 0.75 * errorRate));
  }
}

const counts = [10, 100, 1000, 10_000, 100_000, 1_000_000];
const errorRates = [0.1, 0.01, 0.001, 0.0001];

describe.each(['classic', 'blocked', 'counting'] as const)('error rate, %s', (kind) => {
  describe.each(counts)('%i keys', (count) => {
    it.each(errorRates)('at %f', (errorRate) => check(kind, wasm, count, errorRate, 1e6));
  });
});

describe('error rate', () => {
  // The bytes of both engines are the same, so one cell is enough.
  it('on the JS engine', () => check('classic', js, 1000, 0.01, 2e5));

  it('of a tiny filter is 0.000995', () => {
    const exact = 0.000995;
    expect(expectedErrorRate(71, 1024, 10)).toBeCloseTo(exact, 6);
    // A filter's rate deviates by 17 %, and the mean of 10^5 filters by 0.06 %.
    const { trials, hits } = measure(kinds.classic(wasm, { bits: 1024, hashes: 10 }), 71, 100_000, 200);
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
