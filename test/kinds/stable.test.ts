// What only the stable filter has: it forgets at random.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StableBloomFilter } from '../../src/entries/stable.ts';
import { expectedStableErrorRate, optimalStableDecrements, optimalStableSize } from '../../src/kinds/stable/sizing.ts';
import { bodyOf, viewOf } from '../format/saved.ts';
import { range } from '../shared/integers.ts';
import { digestOf } from '../shared/oracle.ts';
import vectors from '../vectors/stable.json' with { type: 'json' };

const cellBits = fc.constantFrom(1 as const, 2 as const, 4 as const, 8 as const);
const shapes = fc
  .record({
    cells: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 700 })),
    cellBits,
    hashes: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constantFrom(31, 255)),
    share: fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })),
    seed: fc.constantFrom(0, 1, 8, 2 ** 32 - 1),
  })
  .map(({ share, ...shape }) => ({ ...shape, decrements: 1 + Math.floor(share * (shape.cells - 1)) }));

describe('a stable filter', () => {
  // A size, the first `count` integers as keys, and what another program made of them: how many keys were new, how many
  // cells are zero, the state after the last key, how many keys are remembered, how many of the next 2000 integers look
  // present, and the first half of the hash of the body. From an error rate, the number of decrements follows.
  it.each(vectors)('gives the vector of $cells cells of $cellBits bits, $count keys', (vector) => {
    const { cells, hashes, decrements, seed, errorRate, count, cellBits: bits, ...wanted } = vector;
    const cellBits = bits as 1 | 2 | 4 | 8;
    if (errorRate !== undefined) expect(optimalStableDecrements(cells, cellBits, hashes, errorRate)).toBe(decrements);
    const options = { cells, cellBits, hashes, decrements, seed };
    const single = new StableBloomFilter(options);
    const keys = range(0, count);
    const fresh = keys.filter((key) => single.add(key)).length;
    const batch = new StableBloomFilter(options);
    expect(batch.dedupe(keys)).toHaveLength(fresh);
    for (const filter of [single, batch]) {
      expect(filter.estimateErrorRate()).toBe(filter.fillRatio() ** hashes);
      expect({
        fresh,
        zeros: cells - Math.round(cells * filter.fillRatio()),
        state: viewOf(filter.toBytes()).getBigUint64(72, true).toString(16),
        remembered: filter.pick(keys).length,
        positives: range(count, count + 2000).filter((key) => filter.has(key)).length,
        digest: digestOf(bodyOf(filter)),
      }).toEqual(wanted);
    }
  });

  it('certainly remembers the last 2^d − 1 additions, and no more if each key takes from all cells', () => {
    const property = fc.property(shapes, fc.array(fc.nat(1000), { minLength: 1, maxLength: 400 }), (shape, given) => {
      expect(new StableBloomFilter(shape).addMany(given).omit(given.slice(1 - 2 ** shape.cellBits))).toEqual([]);
    });
    fc.assert(property, { seed: 2, numRuns: 60 });
    const forgetful = new StableBloomFilter({ cells: 1000, hashes: 3, decrements: 1000 }).addMany(range(0, 500));
    expect(forgetful.pick(range(0, 497))).toEqual([]);
    expect(forgetful.capacity).toBe(1);
  });

  it.each([1, 2, 4, 8] as const)('has the same cells by a size as by a promise, with cells of %i bits', (bits) => {
    const filter = new StableBloomFilter({ capacity: 1000, errorRate: 0.003, cellBits: bits });
    const { cells, hashes, decrements } = filter;
    expect(filter).toMatchObject({ cellBits: bits, cellCount: cells, byteLength: Math.ceil((cells * bits) / 8) });
    const sized = new StableBloomFilter({ cells, cellBits: bits, hashes, decrements });
    expect(sized.errorRate).toBe(expectedStableErrorRate(cells, bits, hashes, decrements));
    expect(sized.errorRate).toBeLessThanOrEqual(0.003);
    expect([1000, 1001]).toContain(sized.capacity);
    expect(sized.toBytes().subarray(64)).toEqual(filter.toBytes().subarray(64));
    expect(StableBloomFilter.fromBytes(sized.toBytes())).toMatchObject({ ...sized, capacity: sized.capacity });
    expect(StableBloomFilter.from([1], { cells, cellBits: bits, hashes, decrements })).toMatchObject({ cells, hashes });
  });

  it('estimates at most how many keys it remembers', () => {
    const filter = new StableBloomFilter({ capacity: 1000 }).addMany(range(0, 100));
    expect(Math.abs(filter.estimateCount() / 100 - 1)).toBeLessThan(0.02);
    filter.addMany(range(100, 20_000));
    const absent = filter.pick(range(20_000, 40_000)).length;
    const remembered = filter.pick(range(0, 20_000)).length - absent;
    expect(remembered).toBeGreaterThan(1000);
    expect(filter.estimateCount()).toBeGreaterThan(remembered);
    expect(filter.estimateCount()).toBeLessThan(5 * remembered);
  });
});

describe('the size of a stable filter', () => {
  it('needs the fewest decrements that keep the rate', () => {
    const cells = fc.integer({ min: 2, max: 1e9 });
    const power = fc.double({ min: -20, max: -0.01, noNaN: true });
    const counts = fc.integer({ min: 1, max: 40 });
    const property = fc.property(cells, cellBits, counts, power, (m, bits, hashes, exponent) => {
      const errorRate = 10 ** exponent;
      const rateOf = (decrements: number): number => expectedStableErrorRate(m, bits, hashes, decrements);
      if (rateOf(m) > errorRate) {
        const size = (): number => optimalStableDecrements(m, bits, hashes, errorRate);
        expect(size).toThrow(/^cells must be more to keep errorRate/);
        return;
      }
      const decrements = optimalStableDecrements(m, bits, hashes, errorRate);
      // The same sum may be rounded in two ways.
      expect(rateOf(decrements)).toBeLessThanOrEqual(errorRate * (1 + 1e-9));
      if (decrements > 1) expect(rateOf(decrements - 1)).toBeGreaterThan(errorRate * (1 - 1e-9));
    });
    fc.assert(property, { seed: 3, numRuns: 300 });
  });

  it('is the smallest that keeps both promises', () => {
    const capacity = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 1e9 }));
    const power = fc.double({ min: -12, max: -0.01, noNaN: true });
    const property = fc.property(capacity, cellBits, power, (count, bits, exponent) => {
      const errorRate = 10 ** exponent;
      const { cells, hashes, decrements } = optimalStableSize(count, errorRate, bits);
      expect(optimalStableDecrements(cells, bits, hashes, errorRate)).toBe(decrements);
      // A key that came `count` keys ago is remembered if none of its cells was decremented 2^d − 1 times.
      const remembered = (m: number): number => {
        const mean = (count * decrements) / m;
        let [term, below] = [Math.exp(-mean), 0];
        for (let i = 0; i < 2 ** bits - 1; i++, term *= mean / i) below += term;
        return below ** hashes;
      };
      expect(remembered(cells)).toBeGreaterThan(0.9 - 1e-9);
      if (cells < 100) return;
      const fewer = cells - Math.ceil(cells / 50);
      const rate = expectedStableErrorRate(fewer, bits, hashes, Math.min(fewer, decrements));
      expect(remembered(fewer) < 0.9 || rate > errorRate).toBe(true);
    });
    fc.assert(property, { seed: 4, numRuns: 200 });
  });

  it('is refused with wrong arguments', () => {
    expect(() => optimalStableDecrements(0, 2, 4, 0.01)).toThrow(/^cells must be an integer/);
    expect(() => optimalStableDecrements(9, 3, 4, 0.01)).toThrow(/^cellBits must be 1, 2, 4 or 8/);
    expect(() => optimalStableDecrements(9, 2, 0, 0.01)).toThrow(/^hashes must be an integer/);
    expect(() => optimalStableDecrements(900, 2, 4, 1)).toThrow(/^errorRate must be a number between/);
    const tooFew = new RangeError('cells must be more to keep errorRate 0.01 with 4 hashes, got 3');
    expect(() => optimalStableDecrements(3, 2, 4, 0.01)).toThrow(tooFew);
    expect(() => expectedStableErrorRate(9, 2, 4, 10)).toThrow(/^decrements must be an integer from 1 to 9, got 10/);
    expect(() => expectedStableErrorRate(9, 2, '4' as never, 1)).toThrow(TypeError);
    expect(expectedStableErrorRate(4, 2, 4, 4)).toBe(1);
    expect(optimalStableDecrements(2, 1, 1, 0.51)).toBe(2);
  });
});
