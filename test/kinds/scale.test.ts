import { describe, expect, it } from 'vitest';
import { lines } from '../../src/index.ts';
import { entries, sizedKinds } from '../shared/kinds.ts';

/**
 * A count that a binomial variable exceeds with a probability below 10^-6: the normal quantile, corrected for the
 * skew.
 */
function bound(trials: number, rate: number): number {
  const z = 4.7534;
  const deviation = Math.sqrt(trials * rate * (1 - rate));
  return trials * rate + z * deviation + ((z * z - 1) / 6) * (1 - 2 * rate) + 1;
}

describe.each(entries)('at scale: $name', ({ name, api: { BloomFilter } }) => {
  const operations = name === 'wasm' ? 10_000_000 : 1_000_000;

  it(`misses no key in ${operations} lookups, and keeps its error rate`, () => {
    const integers = Uint32Array.from({ length: 0.8 * operations }, (_, i) => Math.imul(i, 0x9e3779b1));
    const urls = Array.from({ length: 0.2 * operations }, (_, i) => `https://example.org/${i}\n`);
    const text = lines(new TextEncoder().encode(urls.join('')));
    const filter = new BloomFilter({ capacity: operations });
    filter.addMany(integers).addMany(text);
    let found = 0;
    for (const keys of [integers, text]) for (const flag of filter.hasMany(keys)) found += flag;
    expect(found).toBe(operations);

    const trials = operations / 4;
    const absent = BigUint64Array.from({ length: trials }, (_, i) => 2n ** 40n + BigInt(i));
    const present = filter.pick(absent).length;
    const rate = filter.estimateErrorRate();
    expect(Math.abs(rate / 0.01 - 1)).toBeLessThan(0.02);
    expect(present).toBeLessThan(bound(trials, rate));
    expect(present).toBeGreaterThan(2 * trials * rate - bound(trials, rate));
  });
});

const seeded = sizedKinds.filter(({ isKeyed }) => !isKeyed);

describe.each(seeded)('small filters on average over seeds: $name', ({ engine, blockCells, Filter }) => {
  const seeds = engine.name === 'wasm' ? 10_000 : 400;
  const absent = Array.from({ length: 200 }, (_, i) => `absent ${i}`);

  it.each([
    [10, 0.1],
    [20, 0.02],
    [100, 0.01],
    [10, 0.001],
  ])('keep the promise: %i keys at %f', (capacity, errorRate) => {
    const keys = Array.from({ length: capacity }, (_, i) => `key ${i}`);
    let present = 0;
    for (let seed = 0; seed < seeds; seed++) {
      using filter = new Filter({ capacity, errorRate, seed });
      present += filter.addMany(keys).pick(absent).length;
    }
    // Hits in one filter are correlated. With 200 lookups each, they spread up to twice as far as a binomial variable.
    const trials = seeds * absent.length;
    const most = 1.005 * errorRate;
    expect(present).toBeLessThan(trials * most + 2 * (bound(trials, most) - trials * most));
    // Kinds with blocks are excluded: a few keys need far less than a block.
    if (blockCells === 1) expect(present).toBeGreaterThan(trials * errorRate * 0.85);
  });
});
