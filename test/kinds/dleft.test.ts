// What only the d-left counting filter has: cells that count, and tables of buckets. test/filters/bounded.test.ts has
// what it shares with others.

import { inspect } from 'node:util';
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
const vectors: readonly [
  options: DLeftCountingBloomFilterOptions,
  size: readonly [buckets: number, remainderBits: number],
  steps: readonly [keys: number, times: number, removed: number],
  results: readonly [refused: number, count: number, countOf0: number, positives: number],
  digest: string,
][] = [
  [{ capacity: 1, errorRate: 0.01 }, [1, 7], [1, 1, 0], [0, 1, 1, 10], '0c60763ea623f1c3'],
  [{ capacity: 8, errorRate: 0.1 }, [1, 7], [8, 1, 0], [0, 8, 1, 134], 'c65fdba00a0e9d49'],
  [{ buckets: 1, remainderBits: 4 }, [1, 4], [40, 1, 0], [0, 40, 4, 2000], 'a7f52355b8055a5c'],
  [{ capacity: 10, errorRate: 0.01 }, [1, 10], [3, 10, 15], [0, 15, 5, 7], '7641c67293da954d'],
  [{ capacity: 100, errorRate: 0.01 }, [5, 11], [100, 1, 0], [0, 100, 1, 19], '3d0d1c3ede6bede4'],
  [{ capacity: 100, errorRate: 0.001, seed: 7 }, [5, 15], [100, 2, 50], [0, 150, 1, 2], '8502a39a913f11c1'],
  [{ capacity: 1000, errorRate: 0.01 }, [42, 12], [1000, 1, 300], [0, 700, 0, 13], '557f83617f069843'],
  [{ capacity: 1000, errorRate: 1e-6 }, [42, 25], [1000, 1, 0], [0, 1000, 1, 0], '22325dafac62b181'],
  [{ buckets: 37, remainderBits: 12 }, [37, 12], [1184, 1, 0], [14, 1170, 1, 22], '9904eb937c4f46f3'],
  [{ buckets: 37, remainderBits: 30 }, [37, 30], [800, 4, 800], [796, 1794, 3, 0], '612cca99822c1818'],
];

describe('DLeftCountingBloomFilter', () => {
  it.each(vectors)('agrees with an independent implementation: %j', (options, size, steps, results, digest) => {
    const [below, times, removed] = steps;
    const [refusals, count, countOf0, positives] = results;
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

  it('counts its keys after it is loaded, cloned and changed', () => {
    const keys = range(0, 5000);
    const filter = new DLeftCountingBloomFilter({ capacity: 5000 })
      .addMany(keys)
      .addMany(keys)
      .removeMany(keys.slice(100));
    const loaded = DLeftCountingBloomFilter.fromBytes(filter.toBytes());
    expect(loaded).toMatchObject({ capacity: 5000, errorRate: 0.01, buckets: filter.buckets, count: 5100 });
    const copy = loaded.clone().removeMany(range(100, 200));
    expect(copy.add('a')).toBe(true);
    expect([copy.count, copy.estimateCount(), loaded.count]).toEqual([5001, 5001, 5100]);
    const used = Math.round(copy.fillRatio() * copy.cellCount);
    expect(used).toBeLessThan(4902);
    expect(used).toBeGreaterThan(4850);
    expect(copy.estimateErrorRate()).toBe(used / (copy.buckets * 2 ** copy.remainderBits));
    expect(new DLeftCountingBloomFilter({ capacity: 10 }).addMany(['a']).removeMany(['a', 'a']).count).toBe(0);
  });

  it('has the parameters that it was made with', () => {
    expect(new DLeftCountingBloomFilter({ capacity: 1_000_000, errorRate: 0.0001, seed: 7 })).toMatchObject({
      kind: 'dleft',
      engine: 'wasm',
      capacity: 1_000_000,
      errorRate: 0.0001,
      buckets: 41_667,
      remainderBits: 18,
      cellName: 'cells',
      cellCount: 1_333_344,
      cellBits: 20,
      hashes: 4,
      seed: 7,
      byteLength: (1_333_344 * 20) / 8,
    });
    const sized = new DLeftCountingBloomFilter({ buckets: 101, remainderBits: 9 });
    expect(sized).toMatchObject({ capacity: 2418, buckets: 101, remainderBits: 9, byteLength: 4444 });
    expect(sized.errorRate).toBe(expectedDLeftErrorRate(2418, 101, 9));
    expect(inspect(sized, { breakLength: Infinity })).toBe(
      `DLeftCountingBloomFilter { capacity: 2418, errorRate: ${sized.errorRate}, buckets: 101, remainderBits: 9, seed: 0, engine: 'wasm', 'fillRatio()': 0, 'estimateErrorRate()': 0 }`,
    );
  });

  it('refuses a capacity together with a size, and sizes out of range', () => {
    const make = (options: object) => () => new DLeftCountingBloomFilter(options as never);
    expect(make({ capacity: 1, buckets: 2 })).toThrow('got both');
    expect(make({ capacity: 1, remainderBits: 9 })).toThrow('got both');
    expect(make({ buckets: 2 })).toThrow(/^remainderBits must be an integer from 4 to 30, got undefined$/);
    expect(make({ remainderBits: 9 })).toThrow(/^buckets must be an integer from 1 to 134217728, got undefined$/);
    for (const buckets of [0, -1, 2.5, 2 ** 27 + 1]) {
      expect(make({ buckets, remainderBits: 9 })).toThrow(/^buckets must be an integer from 1 to 134217728, got /);
    }
    for (const remainderBits of [3, 31, 7.5]) expect(make({ buckets: 2, remainderBits })).toThrow(RangeError);
    expect(make({ capacity: 1000, errorRate: 1e-10 })).toThrow(
      /^errorRate must be at least 2\.22e-8 with remainders of 30 bits, got 1e-10$/,
    );
    expect(make({ capacity: 2 ** 32 })).toThrow(/^capacity must be an integer from 1 to 3221225466, got 4294967296$/);
    expect(make({ buckets: 2 ** 27, remainderBits: 30 })).toThrow(/too large/);
  });

  it.each([4, 13, 14, 15, 30])(
    'refuses files with a cell that has a remainder and no count: %i bits',
    (remainderBits) => {
      const filter = new DLeftCountingBloomFilter({ buckets: 3, remainderBits }).addMany(range(0, 30));
      const file = filter.toBytes();
      const width = remainderBits + 2;
      const bitAt = (bit: number): number => ((file[64 + (bit >> 3)] as number) >> (bit & 7)) & 1;
      const cells = range(0, 96).map((cell) => cell * width);
      const empty = cells.filter((at) => range(at, at + width).every((bit) => bitAt(bit) === 0));
      expect(empty.length).toBe(96 - Math.round(96 * filter.fillRatio()));
      for (const at of empty) {
        for (const bit of [at + 2, at + width - 1]) {
          const bad = forge(file, (view) =>
            view.setUint8(64 + (bit >> 3), (file[64 + (bit >> 3)] as number) | (1 << (bit & 7))),
          );
          const saying = /its cells are wrong$/;
          expectRefused(() => DLeftCountingBloomFilter.fromBytes(bad), `bit ${bit}`, saying);
          expectRefused(() => DLeftCountingBloomFilter.fromChunks([bad]), `bit ${bit}`, saying);
        }
        // A count with the remainder 0 is possible.
        const good = forge(file, (view) =>
          view.setUint8(64 + (at >> 3), (file[64 + (at >> 3)] as number) | (1 << (at & 7))),
        );
        expect(DLeftCountingBloomFilter.fromBytes(good).count).toBe(31);
      }
    },
  );
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
