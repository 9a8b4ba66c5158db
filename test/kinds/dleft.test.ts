// What only the d-left counting filter has: cells that count, and tables of buckets. test/filters/bounded.test.ts has
// what it shares with others.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DLeftCountingBloomFilter,
  type DLeftCountingBloomFilterOptions,
  expectedDLeftErrorRate,
  optimalDLeftBuckets,
  optimalDLeftRemainderBits,
} from '../../src/entries/dleft.ts';
import type { FilterFullError } from '../../src/index.ts';
import { expectRefused, forge } from '../format/saved.ts';
import { range } from '../shared/integers.ts';
import { murmur3 } from '../shared/oracle.ts';
import { refuses } from '../shared/refuses.ts';

const bodyOf = (filter: DLeftCountingBloomFilter): Uint8Array => filter.toBytes().subarray(64);
const digestOf = (bytes: Uint8Array): string => murmur3(bytes, 0)[0].toString(16).padStart(16, '0');

/**
 * What an independent implementation computed. The integers below `keys` are added, each `times` in turn, and `removed`
 * removals follow, of the keys in turn. Of the next 2000 integers, `positives` look present; the digest is h1 of the hash
 * of the body.
 */
interface Vector extends Record<'keys' | 'times' | 'removed' | 'refused' | 'count' | 'countOf0' | 'positives', number> {
  readonly options: DLeftCountingBloomFilterOptions;
  readonly size: readonly [buckets: number, remainderBits: number];
  readonly digest: string;
}

const vectors = JSON.parse(readFileSync('test/vectors/dleft.json', 'utf8')) as readonly Vector[];

describe('DLeftCountingBloomFilter', () => {
  it.each(vectors)('agrees with an independent implementation: $options', (vector) => {
    const {
      options,
      size,
      keys: below,
      times,
      removed,
      refused: refusals,
      count,
      countOf0,
      positives,
      digest,
    } = vector;
    const filter = new DLeftCountingBloomFilter(options);
    expect([filter.buckets, filter.remainderBits]).toEqual(size);
    const keys = range(0, below).flatMap((key) => Array<number>(times).fill(key));
    expect(keys.filter((key) => refuses(filter, key)).length).toBe(refusals);
    const gone = range(0, removed).map((i) => i % below);
    for (const key of gone) filter.remove(key);
    expect([filter.count, filter.countOf(0), digestOf(bodyOf(filter))]).toEqual([count, countOf0, digest]);
    expect(filter.pick(range(below, below + 2000)).length).toBe(positives);
    // In batches: each begins after the key for which the one before had no room.
    const batch = new DLeftCountingBloomFilter(options);
    let rest = keys;
    for (let refused = 0; rest.length > 0; refused++) {
      expect(refused).toBeLessThanOrEqual(refusals);
      try {
        batch.addMany(rest);
        rest = [];
      } catch (error) {
        rest = rest.slice((error as FilterFullError).position + 1);
      }
    }
    batch.removeMany(gone);
    expect([batch.count, digestOf(bodyOf(batch))]).toEqual([count, digest]);
  });

  it('has room for more copies of its keys when it is full', () => {
    const filter = new DLeftCountingBloomFilter({ capacity: 18, errorRate: 1e-6 }).addMany(range(0, 32));
    expect(refuses(filter, 'a')).toBe(true);
    expect(filter.addMany(range(0, 32)).count).toBe(64);
    filter.removeMany(range(0, 32));
    expect(filter.hasMany(range(0, 32))).not.toContain(0);
  });

  it.each([4, 13, 15, 30])('refuses files with a cell that has a remainder and no count: %i bits', (remainderBits) => {
    const filter = new DLeftCountingBloomFilter({ buckets: 3, remainderBits }).addMany(range(0, 30));
    const file = filter.toBytes();
    const width = remainderBits + 2;
    const byteOf = (bit: number): number => file[64 + (bit >> 3)] as number;
    const withBit = (bit: number): Uint8Array =>
      forge(file, (view) => view.setUint8(64 + (bit >> 3), byteOf(bit) | (1 << (bit & 7))));
    const isFree = (at: number): boolean =>
      range(at, at + width).every((bit) => ((byteOf(bit) >> (bit & 7)) & 1) === 0);
    const free = range(0, 96)
      .map((cell) => cell * width)
      .filter(isFree);
    expect(free.length).toBe(96 - Math.round(96 * filter.fillRatio()));
    for (const at of free) {
      for (const bit of [at + 2, at + width - 1]) {
        const saying = /its cells are wrong$/;
        expectRefused(() => DLeftCountingBloomFilter.fromBytes(withBit(bit)), `bit ${bit}`, saying);
        expectRefused(() => DLeftCountingBloomFilter.fromChunks([withBit(bit)]), `bit ${bit}`, saying);
      }
      // A count with the remainder 0 is possible.
      expect(DLeftCountingBloomFilter.fromBytes(withBit(at)).count).toBe(31);
    }
  });
});

describe('the size of a d-left counting filter', () => {
  it.each([
    [1000, 0.01, 42, 12, 18.8],
    [1_000_000, 0.01, 41_667, 12, 18.7],
    [1_000_000, 0.001, 41_667, 15, 22.7],
    [1_000_000, 0.0001, 41_667, 18, 26.7],
  ])('for %i keys at %f', (capacity, errorRate, buckets, bits, bitsPerKey) => {
    expect([optimalDLeftBuckets(capacity), optimalDLeftRemainderBits(capacity, errorRate)]).toEqual([buckets, bits]);
    const { byteLength } = new DLeftCountingBloomFilter({ capacity, errorRate });
    expect((8 * byteLength) / capacity).toBeCloseTo(bitsPerKey, 1);
    expect(expectedDLeftErrorRate(capacity, buckets, bits)).toBeLessThanOrEqual(errorRate);
    expect(expectedDLeftErrorRate(capacity, buckets, bits - 1)).toBeGreaterThan(errorRate);
  });

  it('is the smallest for the capacity that a size gives', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 2 ** 18 })), (buckets) => {
        const { capacity } = new DLeftCountingBloomFilter({ buckets, remainderBits: 4 });
        expect(optimalDLeftBuckets(capacity)).toBe(buckets);
        expect(optimalDLeftBuckets(capacity + 1)).toBe(buckets + 1);
      }),
      { numRuns: 50 },
    );
    expect(optimalDLeftBuckets(3_221_225_466)).toBe(2 ** 27);
  });

  it('refuses arguments out of range', () => {
    expect(() => optimalDLeftBuckets(0)).toThrow(/^capacity must be/);
    expect(() => optimalDLeftBuckets(3_221_225_467)).toThrow(/^capacity must be/);
    expect(() => optimalDLeftRemainderBits(10, 1)).toThrow(/^errorRate must be/);
    expect(() => expectedDLeftErrorRate(33, 1, 4)).toThrow(/^count must be an integer from 0 to 32, got 33$/);
    expect(() => expectedDLeftErrorRate(1, 0, 4)).toThrow(/^buckets must be/);
    expect(() => expectedDLeftErrorRate(1, 1, 3)).toThrow(/^remainderBits must be/);
  });
});
