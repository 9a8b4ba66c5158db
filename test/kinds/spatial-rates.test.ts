// How often spatial filters err, by label.

import { describe, expect, it } from 'vitest';
import { SpatialBloomFilter } from '../../src/entries/spatial.ts';
import { expectRate } from '../shared/binomial.ts';
import { integersFrom } from '../shared/integers.ts';

/** The number of keys with a label or a higher one. Labels begin at 1. */
function sumFrom(sizes: readonly number[], label: number): number {
  return sizes.slice(label - 1).reduce((sum, size) => sum + size, 0);
}

interface Seen {
  rate: number;
  hits: number;
  mistakes: number;
  mistakeRate: number;
}

describe('the labels of a spatial filter', () => {
  it.each([
    [[100_000, 100_000, 100_000, 100_000], 0.01, 1],
    [[25, 25, 25, 25], 0.01, 3000],
    [[500, 300, 200], 0.001, 300],
    [[1000, 0, 9000], 0.1, 30],
  ])('of sets of %j keys are wrong as rarely as promised at %f', (sizes, errorRate, rounds) => {
    const capacity = sumFrom(sizes, 1);
    const filter = new SpatialBloomFilter({ capacity, errorRate, labels: sizes.length });
    const { hashes } = filter;
    const seen: Seen[] = sizes.map(() => ({ rate: 0, hits: 0, mistakes: 0, mistakeRate: 0 }));
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
        one.rate += filter.estimateErrorRate(i + 1) / rounds;
      }
      for (const label of filter.labelsOf(integersFrom(next, perRound))) if (label) (seen[label - 1] as Seen).hits++;
      next += perRound;
    }
    const trials = rounds * perRound;
    for (const [i, { rate, hits, mistakes, mistakeRate }] of seen.entries()) {
      // Given the cells, each lookup is an independent trial.
      expectRate(hits, trials, rate);
      const size = sizes[i] as number;
      if (mistakeRate > 0 && size > 0) expectRate(mistakes, rounds * size, mistakeRate);
      else expect(mistakes).toBe(0);
    }
    const all = seen.reduce((sum, { hits }) => sum + hits, 0);
    const rate = seen.reduce((sum, each) => sum + each.rate, 0);
    expectRate(all, trials, rate, 1.02, errorRate);
  });
});
