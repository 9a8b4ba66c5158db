import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectedWideBlockedErrorRate, optimalWideBlocks, WideBlockedBloomFilter } from '../../src/entries/wide.ts';
import {
  BlockedBloomFilter,
  BloomFilter,
  expectedBlockedErrorRate,
  expectedErrorRate,
  optimalBits,
  optimalBlocks,
  optimalHashes,
} from '../../src/index.ts';
import { sizeFor } from '../../src/kinds/classic-sizing.ts';

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
    expect(optimalBits(capacity, errorRate)).toBe(bits);
    expect(optimalHashes(capacity, bits)).toBe(hashes);
    expect(sizeFor(capacity, errorRate)).toEqual({ cellCount: bits, hashes });
  });

  it('gives an expected error rate within 0.5 % of the exact one, for 10 keys or more', () => {
    for (const errorRate of [0.2, 0.05, 0.01, 0.001]) {
      for (const count of [10, 20, 50, 100]) {
        const { cellCount: bits, hashes } = sizeFor(count, errorRate);
        expect(expectedErrorRate(count, bits, hashes) / exactErrorRate(count, bits, hashes)).toBeCloseTo(1, 2);
        expect(Math.abs(expectedErrorRate(count, bits, hashes) / exactErrorRate(count, bits, hashes) - 1)).toBeLessThan(
          0.005,
        );
      }
    }
    expect(expectedErrorRate(71, 1024, 10)).toBeCloseTo(0.000995, 6);
  });

  it('keeps the promised error rate, even for small filters, and adds no unnecessary bit', () => {
    for (const errorRate of [0.2, 0.05, 0.01, 0.001]) {
      for (const count of [10, 30, 100]) {
        const { cellCount: bits, hashes } = sizeFor(count, errorRate);
        expect(exactErrorRate(count, bits, hashes)).toBeLessThanOrEqual(1.01 * errorRate);
        if (bits > optimalBits(count, errorRate)) {
          expect(expectedErrorRate(count, bits - 1, hashes)).toBeGreaterThan(1.005 * errorRate);
        }
      }
    }
  });

  it('gives rates from 0 to 1 for all valid arguments, and higher rates for more keys', () => {
    const args = [
      fc.integer({ min: 0, max: 10_000 }),
      fc.integer({ min: 1, max: 100_000 }),
      fc.integer({ min: 1, max: 255 }),
    ] as const;
    fc.assert(
      fc.property(...args, (count, bits, hashes) => {
        const rate = expectedErrorRate(count, bits, hashes);
        expect(rate).toBeGreaterThanOrEqual(0);
        expect(rate).toBeLessThanOrEqual(1);
      }),
    );
    expect(expectedErrorRate(0, 10, 3)).toBe(0);
    expect(expectedErrorRate(1, 1, 3)).toBe(1);
    expect(expectedErrorRate(2 ** 53 - 1, 2 ** 53 - 1, 7)).toBeCloseTo((1 - Math.exp(-7)) ** 7, 6);
  });

  it('refuses rates that need more than 255 hashes', () => {
    expect(() => new BloomFilter({ capacity: 100, errorRate: 1e-80 })).toThrow(
      /^errorRate must be at least 2\^-255, got 1e-80/,
    );
    expect(new BloomFilter({ capacity: 100, errorRate: 1e-70 }).hashes).toBeLessThanOrEqual(255);
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

describe('sizing in blocks', () => {
  it('gives the error rate that follows from the definition', () => {
    for (const blocks of [1, 2, 3, 10, 40]) {
      for (const count of [0, 1, 2, 10, 50, 300]) {
        const exact = exactBlockedErrorRate(count, blocks, 8);
        const known = expectedBlockedErrorRate(count, 256 * blocks);
        // The sum has alternating terms up to 70, which loses about 10^-14.
        expect(Math.abs(known - exact)).toBeLessThan(1e-9 * exact + 1e-13);
        expect(expectedBlockedErrorRate(count, 256 * blocks + 255)).toBe(known);
      }
    }
  });

  it('averages over the number of keys per block, even in large filters', () => {
    // The number of keys per block is Poisson-distributed with mean λ.
    const lambda = 15.2;
    let [chance, mixture] = [Math.exp(-lambda), 0];
    for (let j = 0; j < 200; j++, chance *= lambda / j) mixture += chance * (1 - (31 / 32) ** j) ** 8;
    expect(expectedBlockedErrorRate(15_200_000_000, 256e9) / mixture).toBeCloseTo(1, 7);
  });

  it.each([
    [0.1, 5.99],
    [0.01, 10.53],
    [0.001, 16.9],
    [0.0001, 26.3],
    [0.00001, 41],
  ])('at %f takes %f bits per key', (errorRate, bits) => {
    for (const capacity of [1e6, 1e9]) {
      const taken = (256 * optimalBlocks(capacity, errorRate)) / capacity;
      expect(Math.abs(taken / bits - 1)).toBeLessThan(0.005);
      expect(new BlockedBloomFilter({ capacity: 1000, errorRate }).bits).toBe(256 * optimalBlocks(1000, errorRate));
    }
  });

  it('takes the fewest blocks that keep the promised error rate', () => {
    const capacity = fc.integer({ min: 1, max: 1e9 });
    const exponent = fc.double({ min: -5, max: -0.01, noNaN: true });
    fc.assert(
      fc.property(capacity, exponent, (count, power) => {
        const errorRate = Math.max(1e-5, 10 ** power);
        const blocks = optimalBlocks(count, errorRate);
        expect(expectedBlockedErrorRate(count, 256 * blocks)).toBeLessThanOrEqual(errorRate);
        if (blocks > 1) expect(expectedBlockedErrorRate(count, 256 * (blocks - 1))).toBeGreaterThan(errorRate);
      }),
    );
    expect(optimalBlocks(1, 0.5)).toBe(1);
  });

  it('refuses rates below 10^-5, and says how many bits they would take', () => {
    for (const make of [
      optimalBlocks,
      (capacity: number, errorRate: number) => new BlockedBloomFilter({ capacity, errorRate }),
    ]) {
      expect(() => make(1e6, 9.99e-6)).toThrow(RangeError);
      expect(() => make(1e6, 1e-6)).toThrow(
        /^errorRate must be at least 0\.00001 in blocks, got 0\.000001, .* 64663040 bits .* BloomFilter 28755176; WideBlockedBloomFilter of /,
      );
      expect(() => make(1000, 1e-300)).toThrow(/BloomFilter 1437759\b/);
    }
    expect(optimalBits(1e6, 1e-6)).toBe(28_755_176);
  });

  it('goes up to 2^32 − 1 blocks', () => {
    expect(optimalBlocks(1e11, 0.01) / 4_112_981_833).toBeCloseTo(1, 6);
    for (const capacity of [1.1e11, 1e15, Number.MAX_SAFE_INTEGER]) {
      expect(() => optimalBlocks(capacity, 0.01)).toThrow(RangeError);
      expect(() => optimalBlocks(capacity, 0.01)).toThrow(/^capacity must need at most 4294967295 blocks, got \d+$/);
    }
    expect(expectedBlockedErrorRate(Number.MAX_SAFE_INTEGER, 256 * (2 ** 32 - 1))).toBe(1);
    expect(() => expectedBlockedErrorRate(1, 256 * 2 ** 32)).toThrow(RangeError);
    expect(() => expectedBlockedErrorRate(1, 255)).toThrow(RangeError);
  });
});

describe('sizing in wide blocks', () => {
  it('gives the error rate that follows from the definition', () => {
    for (const blocks of [1, 2, 3, 10, 40]) {
      for (const count of [0, 1, 2, 10, 50, 300]) {
        const exact = exactBlockedErrorRate(count, blocks, 16);
        const known = expectedWideBlockedErrorRate(count, 512 * blocks);
        // The sum has alternating terms up to 12,870, which loses about 10^-12.
        expect(Math.abs(known - exact)).toBeLessThan(1e-9 * exact + 1e-11);
        expect(expectedWideBlockedErrorRate(count, 512 * blocks + 511)).toBe(known);
      }
    }
  });

  it.each([
    [0.01, 12.5],
    [0.001, 17.2],
    [1e-4, 23.0],
    [1e-5, 30.2],
    [1e-6, 39.2],
    [1e-7, 50.9],
    [1e-8, 66],
  ])('at %f takes %f bits per key', (errorRate, bits) => {
    for (const capacity of [1e6, 1e9]) {
      const taken = (512 * optimalWideBlocks(capacity, errorRate)) / capacity;
      expect(Math.abs(taken / bits - 1)).toBeLessThan(0.005);
      // Compare with the mean over a Poisson variable, a sum of positive terms only.
      const lambda = 512 / taken;
      let [chance, rate] = [Math.exp(-lambda), 0];
      for (let j = 0; j < 400; j++, chance *= lambda / j) rate += chance * (1 - (31 / 32) ** j) ** 16;
      expect(Math.abs(rate / errorRate - 1)).toBeLessThan(0.001);
    }
    expect(new WideBlockedBloomFilter({ capacity: 1000, errorRate }).bits).toBe(
      512 * optimalWideBlocks(1000, errorRate),
    );
  });

  it('takes the fewest blocks that keep the promised error rate', () => {
    const capacity = fc.integer({ min: 1, max: 1e9 });
    const exponent = fc.double({ min: -8, max: -0.01, noNaN: true });
    fc.assert(
      fc.property(capacity, exponent, (count, power) => {
        const errorRate = Math.max(1e-8, 10 ** power);
        const blocks = optimalWideBlocks(count, errorRate);
        expect(expectedWideBlockedErrorRate(count, 512 * blocks)).toBeLessThanOrEqual(errorRate);
        if (blocks > 1) expect(expectedWideBlockedErrorRate(count, 512 * (blocks - 1))).toBeGreaterThan(errorRate);
      }),
    );
    expect(optimalWideBlocks(1, 0.5)).toBe(1);
  });

  it('takes fewer bits than split blocks at error rates of 0.07 % and below', () => {
    const bitsOf = (errorRate: number): [wide: number, split: number] => [
      512 * optimalWideBlocks(1e6, errorRate),
      256 * optimalBlocks(1e6, errorRate),
    ];
    for (const errorRate of [0.01, 0.001]) expect(bitsOf(errorRate)[0]).toBeGreaterThan(bitsOf(errorRate)[1]);
    for (const errorRate of [7e-4, 1e-4, 1e-5]) expect(bitsOf(errorRate)[0]).toBeLessThan(bitsOf(errorRate)[1]);
  });

  it('refuses rates below 10^-8, and says how many bits they would take', () => {
    expect(() => optimalWideBlocks(1e6, 9.99e-9)).toThrow(
      /^errorRate must be at least 1e-8 in blocks, got 9\.99e-9, .* \d+ bits .* BloomFilter 38342316$/,
    );
    expect(() => optimalWideBlocks(1000, 1e-300)).toThrow(/BloomFilter 1437759\b/);
  });

  it('goes up to 2^32 − 1 blocks', () => {
    for (const capacity of [2e11, 1e15, Number.MAX_SAFE_INTEGER]) {
      expect(() => optimalWideBlocks(capacity, 0.001)).toThrow(
        /^capacity must need at most 4294967295 blocks, got \d+$/,
      );
    }
    expect(expectedWideBlockedErrorRate(Number.MAX_SAFE_INTEGER, 512 * (2 ** 32 - 1))).toBe(1);
    expect(() => expectedWideBlockedErrorRate(1, 512 * 2 ** 32)).toThrow(RangeError);
    expect(() => expectedWideBlockedErrorRate(1, 511)).toThrow(RangeError);
  });
});
