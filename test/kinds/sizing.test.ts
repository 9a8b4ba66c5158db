import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sizeFor } from '../../src/kinds/classic/sizing.ts';
import * as api from '../shared/api.ts';

/**
 * The exact rate: the sum of P(X) (X/m)^k over all numbers X of occupied bins, with P from N balls thrown one by one.
 */
function exactErrorRate(count: number, bits: number, hashes: number): number {
  let occupied = new Float64Array(bits + 1);
  occupied[0] = 1;
  for (let ball = 0; ball < count * hashes; ball++) {
    const next = new Float64Array(bits + 1);
    for (let x = 0; x <= bits; x++) {
      const p = occupied[x] ?? 0;
      next[x] = (next[x] ?? 0) + p * (x / bits);
      if (x < bits) next[x + 1] = p * (1 - x / bits);
    }
    occupied = next;
  }
  return occupied.reduce((sum, p, x) => sum + p * (x / bits) ** hashes, 0);
}

describe('sizing', () => {
  it.each([
    [5_000_000, 0.01, 47_925_292, 7],
    [100_000_000, 0.01, 958_505_838, 7],
    [10_000_000, 0.00001, 239_626_460, 17],
  ])('of %i keys at %f follows the textbook', (capacity, errorRate, bits, hashes) => {
    expect(api.optimalBits(capacity, errorRate)).toBe(bits);
    expect(api.optimalHashes(capacity, bits)).toBe(hashes);
    expect(sizeFor(capacity, errorRate)).toEqual({ cellCount: bits, hashes });
  });

  it('keeps the promised error rate even for small filters, adds no unnecessary bit, and expects about that rate', () => {
    for (const errorRate of [0.2, 0.05, 0.01, 0.001]) {
      for (const count of [10, 20, 100]) {
        const { cellCount: bits, hashes } = sizeFor(count, errorRate);
        const exact = exactErrorRate(count, bits, hashes);
        expect(Math.abs(api.expectedErrorRate(count, bits, hashes) / exact - 1)).toBeLessThan(0.005);
        expect(exact).toBeLessThanOrEqual(1.01 * errorRate);
        if (bits > api.optimalBits(count, errorRate)) {
          expect(api.expectedErrorRate(count, bits - 1, hashes)).toBeGreaterThan(1.005 * errorRate);
        }
      }
    }
    expect(api.expectedErrorRate(71, 1024, 10)).toBeCloseTo(0.000995, 6);
    for (let count = 1; count < 2000; count++) {
      const { cellCount, hashes } = sizeFor(count, 0.01);
      expect(api.expectedErrorRate(count, cellCount, hashes)).toBeLessThanOrEqual(1.005 * 0.01);
    }
  });

  it('gives rates at the ends of the ranges of its arguments', () => {
    for (const bits of [1, 10]) expect(api.expectedErrorRate(0, bits, 1)).toBe(0);
    expect(api.expectedErrorRate(0, 10, 3)).toBe(0);
    expect(api.expectedErrorRate(1, 1, 3)).toBe(1);
    expect(api.expectedErrorRate(10_000, 1, 255)).toBe(1);
    expect(api.expectedErrorRate(2 ** 53 - 1, 2 ** 53 - 1, 7)).toBeCloseTo((1 - Math.exp(-7)) ** 7, 6);
  });
});

/**
 * The rate by definition: over all numbers j of keys in a block, the sum of P(j) times the chance that all bits are
 * set.
 */
function exactBlockedErrorRate(count: number, blocks: number, words: number): number {
  let chances = [1];
  for (let key = 0; key < count; key++) {
    chances = [...chances, 0].map((chance, j) => chance * (1 - 1 / blocks) + (chances[j - 1] ?? 0) / blocks);
  }
  return chances.reduce((sum, chance, j) => sum + chance * (1 - (31 / 32) ** j) ** words, 0);
}

const kinds = [
  {
    Filter: api.BlockedBloomFilter,
    words: 8,
    expectedRate: api.expectedBlockedErrorRate,
    blocksFor: api.optimalBlocks,
    leastRate: 1e-5,
    // The sum has alternating terms up to 70, or to 12,870.
    lost: 1e-13,
    tooLow: [
      [1e6, 1e-6, /^errorRate must be at least 0\.00001 in blocks, got 0\.000001, .* 64663040 bits .* 28755176; Wide/],
      [1000, 1e-300, / 3341824 bits or more, and a BloomFilter 1437759\b/],
    ],
    tooMany: [1.1e11, 0.01],
  },
  {
    Filter: api.WideBlockedBloomFilter,
    words: 16,
    expectedRate: api.expectedWideBlockedErrorRate,
    blocksFor: api.optimalWideBlocks,
    leastRate: 1e-8,
    lost: 1e-11,
    tooLow: [
      [1e6, 9.99e-9, /^errorRate must be at least 1e-8 in blocks, got 9\.99e-9, .* \d+ bits .* BloomFilter 38342316$/],
      [1e6, 1e-10, / 113536512 bits or more, and a BloomFilter 47925292$/],
      [1000, 1e-300, / 113152 bits or more, and a BloomFilter 1437759\b/],
    ],
    tooMany: [2e11, 0.001],
  },
] as const;

describe.each(kinds)('sizing in blocks of $words words', (kind) => {
  const { Filter, words, expectedRate, blocksFor, leastRate } = kind;
  const blockBits = 32 * words;

  it('gives the error rate that follows from the definition', () => {
    for (const blocks of [1, 2, 3, 10, 40]) {
      for (const count of [0, 1, 2, 10, 50, 300]) {
        const exact = exactBlockedErrorRate(count, blocks, words);
        const known = expectedRate(count, blockBits * blocks);
        expect(Math.abs(known - exact)).toBeLessThan(1e-9 * exact + kind.lost);
        expect(expectedRate(count, blockBits * blocks + blockBits - 1)).toBe(known);
      }
    }
  });

  it('takes the fewest blocks that keep the promised error rate', () => {
    const capacity = fc.integer({ min: 1, max: 1e9 });
    const exponent = fc.double({ min: Math.log10(leastRate), max: -0.01, noNaN: true });
    const property = fc.property(capacity, exponent, (count, power) => {
      const errorRate = Math.max(leastRate, 10 ** power);
      const blocks = blocksFor(count, errorRate);
      expect(expectedRate(count, blockBits * blocks)).toBeLessThanOrEqual(errorRate);
      if (blocks > 1) expect(expectedRate(count, blockBits * (blocks - 1))).toBeGreaterThan(errorRate);
    });
    fc.assert(property);
    expect(blocksFor(1, 0.5)).toBe(1);
  });

  it('refuses lower rates, and says how many bits they would take', () => {
    expect(() => blocksFor(1e6, 0.999 * leastRate)).toThrow(RangeError);
    for (const [capacity, errorRate, message] of kind.tooLow) {
      expect(() => blocksFor(capacity, errorRate)).toThrow(message);
      expect(() => new Filter({ capacity, errorRate })).toThrow(message);
    }
  });

  it('goes up to 2^32 − 1 blocks', () => {
    const [tooMany, errorRate] = kind.tooMany;
    for (const capacity of [tooMany, 1e15, Number.MAX_SAFE_INTEGER]) {
      expect(() => blocksFor(capacity, errorRate)).toThrow(/^capacity must need at most 4294967295 blocks, got \d+$/);
    }
    let [fits, fails] = [1, Number(tooMany)];
    while (fails - fits > 1) {
      const middle = Math.floor((fits + fails) / 2);
      try {
        blocksFor(middle, errorRate);
        fits = middle;
      } catch {
        fails = middle;
      }
    }
    expect(blocksFor(fits, errorRate)).toBe(2 ** 32 - 1);
    expect(expectedRate(Number.MAX_SAFE_INTEGER, blockBits * (2 ** 32 - 1))).toBe(1);
    for (const bits of [blockBits * 2 ** 32, blockBits - 1]) expect(() => expectedRate(1, bits)).toThrow(RangeError);
  });
});

const bounded = [
  {
    Class: api.CuckooFilter,
    bitsName: 'fingerprintBits',
    bucketsFor: api.optimalCuckooBuckets,
    bitsFor: api.optimalCuckooFingerprintBits,
    rateOf: api.expectedCuckooErrorRate,
    /** The least buckets, the slots in them, and the least bits. */
    least: [2, 8, 7],
    /** The most buckets, and their capacity. */
    most: [2 ** 30, 4_080_218_912],
    sizes: [
      [100, 0.01, 32, 10, 0.00609],
      [1000, 0.01, 270, 10, 0.00722],
      [1_000_000, 0.001, 263_164, 13, 0.000927],
      [1_000_000, 1e-6, 263_164, 23, 9.06e-7],
    ],
  },
  {
    Class: api.DLeftCountingBloomFilter,
    bitsName: 'remainderBits',
    bucketsFor: api.optimalDLeftBuckets,
    bitsFor: api.optimalDLeftRemainderBits,
    rateOf: api.expectedDLeftErrorRate,
    least: [1, 32, 4],
    most: [2 ** 27, 3_221_225_466],
    sizes: [
      [1000, 0.01, 42, 12, 0.0058],
      [1_000_000, 0.01, 41_667, 12, 0.00584],
      [1_000_000, 0.001, 41_667, 15, 0.000732],
      [1_000_000, 0.0001, 41_667, 18, 9.16e-5],
    ],
  },
] as const;

describe.each(bounded)('sizing in buckets: $Class.kind', (row) => {
  const { Class, bitsName, bucketsFor, bitsFor, rateOf, least, most } = row;
  const [leastBuckets, leastCells, leastBits] = least;

  it.each<readonly [number, number, number, number, number]>(row.sizes)('for %i keys at %f', (...size) => {
    const [capacity, errorRate, buckets, bits, rate] = size;
    expect([bucketsFor(capacity), bitsFor(capacity, errorRate)]).toEqual([buckets, bits]);
    expect(rateOf(capacity, buckets, bits) / rate).toBeCloseTo(1, 2);
    expect(rateOf(capacity, buckets, bits)).toBeLessThanOrEqual(errorRate);
    expect(rateOf(capacity, buckets, bits - 1)).toBeGreaterThan(errorRate);
  });

  it('takes the fewest buckets for the capacity that a size gives', () => {
    const numbers = fc.oneof(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 2 ** 18 }));
    const property = fc.property(numbers, (number) => {
      const buckets = leastBuckets * number;
      const { capacity } = new Class({ buckets, [bitsName]: leastBits } as never);
      expect(bucketsFor(capacity)).toBeLessThanOrEqual(buckets);
      // Few slots have room for eight keys in any case.
      if (buckets > 6 || leastBuckets === 1) expect(bucketsFor(capacity + 1)).toBeGreaterThan(buckets);
    });
    fc.assert(property, { numRuns: 50 });
    expect(bucketsFor(most[1])).toBe(most[0]);
    expect([bucketsFor(8), bucketsFor(9)]).toEqual(leastBuckets === 1 ? [1, 1] : [2, 8]);
  });

  it('refuses arguments out of range', () => {
    for (const capacity of [0, most[1] + 1]) expect(() => bucketsFor(capacity)).toThrow(/^capacity must be/);
    expect(() => bitsFor(10, 1)).toThrow(/^errorRate must be/);
    const tooMany = `count must be an integer from 0 to ${leastCells}, got ${leastCells + 1}`;
    expect(() => rateOf(leastCells + 1, leastBuckets, leastBits)).toThrow(tooMany);
    expect(() => rateOf(1, leastBuckets - 1, leastBits)).toThrow(/^buckets must be/);
    expect(() => rateOf(1, leastBuckets, leastBits - 1)).toThrow(`${bitsName} must be`);
  });
});
