import { describe, expect, it } from 'vitest';
import { PlainBloomFilter, type PlainKey } from '../bench/plain.ts';
import { lossesOf, type Result } from '../bench/results.ts';
import { median, ratioOf, spreadOf } from '../bench/statistics.ts';
import { expectedErrorRate, optimalBits, optimalHashes } from '../src/sizing.ts';
import { lowerQuantile, upperQuantile } from './binomial.ts';
import { randomFrom } from './random.ts';

const COUNT = 20_000;
const RATE = 0.01;

/** Keys of every type that the filter takes. Keys with even numbers are added, those with odd numbers are not. */
const makers: Record<string, (i: number) => PlainKey> = {
  strings: (i) => `key-${i}`,
  'strings of odd length': (i) => `key-${i}${String(i).length % 2 === 0 ? '' : 'x'}`,
  'strings of two ideographs': (i) => String.fromCharCode(0x4e00 + (i & 0xff), 0x4e00 + (i >> 8)),
  bytes: (i) => {
    const random = randomFrom(i);
    const bytes = Uint8Array.from({ length: 4 + random(20) }, () => random(256));
    new DataView(bytes.buffer).setUint32(0, i);
    return bytes;
  },
  integers: (i) => i,
  'negative integers': (i) => -i - 1,
  'large integers': (i) => i * 2 ** 33 + 7,
};

describe('the plain filter', () => {
  it.each(Object.entries(makers))('finds all keys it was given, and keeps its error rate: %s', (_, make) => {
    const bits = optimalBits(COUNT, RATE);
    const filter = new PlainBloomFilter(bits, optimalHashes(COUNT, bits));
    for (let i = 0; i < COUNT; i++) filter.add(make(2 * i));
    let missed = 0;
    let falsePositives = 0;
    for (let i = 0; i < COUNT; i++) {
      if (!filter.has(make(2 * i))) missed++;
      if (filter.has(make(2 * i + 1))) falsePositives++;
    }
    const rate = expectedErrorRate(COUNT, bits, filter.hashes);
    expect(missed).toBe(0);
    // Allow for two 32-bit hashes, which do a little worse than the independent hashes that theory assumes.
    expect(falsePositives).toBeLessThanOrEqual(upperQuantile(COUNT, 1.05 * rate));
    expect(falsePositives).toBeGreaterThanOrEqual(lowerQuantile(COUNT, 0.95 * rate));
  });

  it('takes a slice of bytes, and ignores the bytes around it', () => {
    const filter = new PlainBloomFilter(1000, 5);
    filter.add(Uint8Array.of(1, 2, 3, 4, 5, 6, 7));
    expect(filter.has(Uint8Array.of(9, 1, 2, 3, 4, 5, 6, 7, 9).subarray(1, 8))).toBe(true);
    expect(filter.has(Uint8Array.of(1, 2, 3, 4, 5, 6, 8))).toBe(false);
    expect(filter.has(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 0))).toBe(false);
  });
});

describe('statistics', () => {
  it('gives the middle value, or the mean of the two middle values', () => {
    expect(median([30, 1, 2])).toBe(2);
    expect(median([4, 1, 30, 2])).toBe(3);
    expect(median([5])).toBe(5);
    expect(median([])).toBeNaN();
  });

  it('does not reorder its argument', () => {
    const times = [3, 1, 2];
    expect(spreadOf(times)).toEqual({ median: 2, lowest: 1, highest: 3 });
    expect(times).toEqual([3, 1, 2]);
  });

  it('takes ratios within a round, so that a slow round cancels out', () => {
    expect(ratioOf([10, 100, 20], [20, 200, 60])).toEqual({ median: 2, lowest: 2, highest: 3 });
  });

  it('refuses to compare different numbers of rounds', () => {
    expect(() => ratioOf([1, 2], [1])).toThrow(RangeError);
  });
});

describe('losses', () => {
  const spread = { median: 1, lowest: 1, highest: 1 };
  const result = (subject: string, mode: Result['mode'], rounds: number[], ours = true, set = 'names'): Result => ({
    ...{ keys: 100, set, operation: 'hit', subject, mode, ours, rounds, nanoseconds: spread, speedup: spread },
    ...{ falsePositives: 0, expectedFalsePositives: 0, bytes: 100 },
  });
  const pairsOf = (...results: Result[]): string[] =>
    lossesOf(results).map(({ result, to, times }) => `${result.subject} ${result.mode}, ${to.subject}: ${times}`);

  it('are to other subjects that are faster in most rounds', () => {
    const ours = result('A', 'batch', [10, 30, 10]);
    expect(pairsOf(ours, result('B', 'single', [5, 10, 20], false))).toEqual(['A batch, B: 2']);
    expect(pairsOf(ours, result('B', 'single', [20, 10, 20], false))).toEqual([]);
    expect(pairsOf(ours, result('B', 'single', [1, 1, 1], false, 'cold'))).toEqual([]);
  });

  it('of a batch are also to single calls of the same filter', () => {
    const single = result('A', 'single', [5, 5, 5]);
    expect(pairsOf(result('A', 'batch', [10, 10, 10]), single)).toEqual(['A batch, A: 2']);
    expect(pairsOf(result('A', 'batch', [4, 4, 4]), single)).toEqual([]);
    expect(pairsOf(result('C', 'batch', [10, 10, 10]), single)).toEqual([]);
  });
});
