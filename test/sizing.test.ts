import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BloomFilter, expectedErrorRate, optimalBits, optimalHashes } from '../src/index.ts';
import { sizeFor } from '../src/sizing.ts';

/** The exact rate: over all numbers of occupied bins X, P(X) (X/m)^k, with P from throwing N balls one by one. */
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
  ])('of %i keys at %f is the textbook', (capacity, errorRate, bits, hashes) => {
    expect(optimalBits(capacity, errorRate)).toBe(bits);
    expect(optimalHashes(capacity, bits)).toBe(hashes);
    expect(sizeFor(capacity, errorRate)).toEqual({ bits, hashes });
  });

  it('knows the error rate within 0.5 % of the exact one, for 10 keys or more', () => {
    for (const errorRate of [0.2, 0.05, 0.01, 0.001]) {
      for (const count of [10, 20, 50, 100]) {
        const { bits, hashes } = sizeFor(count, errorRate);
        expect(expectedErrorRate(count, bits, hashes) / exactErrorRate(count, bits, hashes)).toBeCloseTo(1, 2);
        expect(Math.abs(expectedErrorRate(count, bits, hashes) / exactErrorRate(count, bits, hashes) - 1)).toBeLessThan(
          0.005,
        );
      }
    }
    expect(expectedErrorRate(71, 1024, 10)).toBeCloseTo(0.000995, 6);
  });

  it('keeps the promise, small filters too, and adds no bit that it need not', () => {
    for (const errorRate of [0.2, 0.05, 0.01, 0.001]) {
      for (const count of [10, 30, 100]) {
        const { bits, hashes } = sizeFor(count, errorRate);
        expect(exactErrorRate(count, bits, hashes)).toBeLessThanOrEqual(1.01 * errorRate);
        if (bits > optimalBits(count, errorRate)) {
          expect(expectedErrorRate(count, bits - 1, hashes)).toBeGreaterThan(1.005 * errorRate);
        }
      }
    }
  });

  it('gives rates from 0 to 1 for everything that it takes, more for more keys', () => {
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
