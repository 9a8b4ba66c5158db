// How often spatial filters err, by label.

import { describe, expect, it } from 'vitest';
import { SpatialBloomFilter } from '../../src/entries/spatial.ts';
import { expectRate } from '../shared/binomial.ts';

/** The integers from `from` on. */
function integersFrom(from: number, count: number): Uint32Array {
  const keys = new Uint32Array(count);
  for (let i = 0; i < count; i++) keys[i] = from + i;
  return keys;
}

/** The number of keys with a label or a higher one. Labels begin at 1. */
function sumFrom(sizes: readonly number[], label: number): number {
  return sizes.slice(label - 1).reduce((sum, size) => sum + size, 0);
}

/**
 * The share of cells that are expected to have a label or a higher one, and the standard deviation of the mean of
 * `rounds` such shares: k balls for each key fall into m bins (N. L. Johnson, S. Kotz, Urn Models, 1977).
 */
function shareFrom(count: number, { cells, hashes }: SpatialBloomFilter, rounds: number): [number, number] {
  const balls = hashes * count;
  const empty = Math.exp(balls * Math.log1p(-1 / cells));
  const bothEmpty = Math.exp(balls * Math.log1p(-2 / cells));
  const variance = (empty + (cells - 1) * bothEmpty - cells * empty * empty) / cells;
  return [1 - empty, Math.sqrt(Math.max(0, variance) / rounds)];
}

interface Seen {
  share: number;
  rate: number;
  hits: number;
  mistakes: number;
  mistakeRate: number;
}

/** A normal variable deviates by more than this many standard deviations with a probability of 6 · 10^-7. */
const DEVIATIONS = 5;

describe('the labels of a spatial filter', () => {
  it.each([
    [[100_000, 100_000, 100_000, 100_000], 0.01, 3],
    [[25, 25, 25, 25], 0.01, 10_000],
    [[500, 300, 200], 0.001, 1000],
    [[1000, 0, 9000], 0.1, 100],
    [[1000], 0.01, 1000],
  ])('of sets of %j keys are wrong as rarely as promised at %f', (sizes, errorRate, rounds) => {
    const capacity = sumFrom(sizes, 1);
    const filter = new SpatialBloomFilter({ capacity, errorRate, labels: sizes.length });
    const { hashes } = filter;
    const seen: Seen[] = sizes.map(() => ({ share: 0, rate: 0, hits: 0, mistakes: 0, mistakeRate: 0 }));
    const perRound = Math.ceil(20_000 / errorRate / rounds);
    let next = 0;
    for (let round = 0; round < rounds; round++) {
      filter.clear();
      const sets = sizes.map((size) => {
        next += size;
        return integersFrom(next - size, size);
      });
      for (const [i, keys] of sets.entries()) filter.addMany(keys, i + 1);
      for (const [i, keys] of sets.entries()) {
        const one = seen[i] as Seen;
        const found = filter.labelsOf(keys);
        expect(found.every((label) => label > i)).toBe(true);
        one.mistakes += found.filter((label) => label > i + 1).length;
        one.mistakeRate += i + 1 < sizes.length ? filter.fillRatio(i + 2) ** hashes / rounds : 0;
        one.share += filter.fillRatio(i + 1) / rounds;
        one.rate += filter.estimateErrorRate(i + 1) / rounds;
      }
      for (const label of filter.labelsOf(integersFrom(next, perRound))) if (label) (seen[label - 1] as Seen).hits++;
      next += perRound;
    }
    const trials = rounds * perRound;
    for (const [i, { share, rate, hits, mistakes, mistakeRate }] of seen.entries()) {
      // Given the cells, each lookup is an independent trial.
      expectRate(hits, trials, rate);
      const size = sizes[i] as number;
      if (mistakeRate > 0 && size > 0) expectRate(mistakes, rounds * size, mistakeRate);
      else expect(mistakes).toBe(0);
      const [expected, deviation] = shareFrom(sumFrom(sizes, i + 1), filter, rounds);
      expect(Math.abs(share - expected), `cells from label ${i + 1} on`).toBeLessThan(DEVIATIONS * deviation);
    }
    const all = seen.reduce((sum, { hits }) => sum + hits, 0);
    const rate = seen.reduce((sum, each) => sum + each.rate, 0);
    expectRate(all, trials, rate, 1.02, errorRate);
  });
});
