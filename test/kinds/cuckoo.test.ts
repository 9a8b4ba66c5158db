// What only the cuckoo filter has; test/filters/bounded.test.ts has what it shares with others.

import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CuckooFilter,
  expectedCuckooErrorRate,
  optimalCuckooBuckets,
  optimalCuckooFingerprintBits,
} from '../../src/entries/cuckoo.ts';
import { hashKeys } from '../../src/hash.ts';
import { errorOf } from '../format/saved.ts';
import { range } from '../shared/integers.ts';

describe('CuckooFilter', () => {
  it('counts its keys after it is loaded, cloned and changed', () => {
    const filter = new CuckooFilter({ capacity: 5000 }).addMany(range(0, 5000)).removeMany(range(0, 100));
    const loaded = CuckooFilter.fromBytes(filter.toBytes());
    expect(loaded).toMatchObject({ capacity: 5000, errorRate: 0.01, buckets: filter.buckets, count: 4900 });
    const copy = loaded.clone().removeMany(range(100, 200));
    expect(copy.add('a')).toBe(true);
    expect([copy.count, copy.estimateCount(), loaded.count]).toEqual([4801, 4801, 4900]);
    expect(copy.fillRatio()).toBe(4801 / (4 * copy.buckets));
    expect(copy.estimateErrorRate()).toBe(expectedCuckooErrorRate(4801, copy.buckets, copy.fingerprintBits));
    expect(new CuckooFilter({ capacity: 10 }).addMany(['a']).removeMany(['a', 'a']).count).toBe(0);
  });

  it('is made of each key of a list once, in the order in which they come', () => {
    const key = fc.oneof(
      fc.nat(40),
      fc.nat(40).map((i) => `key ${i}`),
    );
    const list = fc.array(key, { maxLength: 300, size: 'max' });
    fc.assert(
      fc.property(list, fc.nat(2 ** 32 - 1), fc.boolean(), (keys, seed, isGenerated) => {
        const distinct = [...new Set(keys)];
        const filter = CuckooFilter.from(isGenerated ? keys.values() : keys, { seed });
        expect(filter).toMatchObject({ count: distinct.length, capacity: Math.max(1, distinct.length), seed });
        expect(filter.toBytes()).toEqual(
          new CuckooFilter({ capacity: Math.max(1, distinct.length), seed }).addMany(distinct).toBytes(),
        );
        expect(filter.removeMany(distinct).count).toBe(0);
      }),
      { numRuns: 30, seed: 36 },
    );
  });

  it('is made of lists that a filter has no room for with all copies', () => {
    const keys = range(0, 20_000).flatMap((i) => [i % 1000, 7]);
    expect(() => new CuckooFilter({ capacity: 1000 }).addMany(keys)).toThrow(/stored 8 times already/);
    const filter = CuckooFilter.from(keys);
    expect([filter.count, filter.capacity, filter.countOf(7)]).toEqual([1000, 1000, 1]);
    expect(CuckooFilter.from(hashKeys(keys)).toBytes()).toEqual(filter.toBytes());
    expect(CuckooFilter.from(keys, { buckets: 1000, fingerprintBits: 9 })).toMatchObject({
      buckets: 1000,
      count: 1000,
    });
    expect(CuckooFilter.from(keys, { capacity: 5000 })).toMatchObject({ capacity: 5000, count: 1000 });
  });

  it('refuses wrong options before it reads a key, and says which distinct key has no room', () => {
    let read = 0;
    const keys = function* (): Generator<number> {
      for (const i of range(0, 100)) {
        read++;
        yield i >> 1;
      }
    };
    expect(() => CuckooFilter.from(keys(), { capacty: 9 } as object)).toThrow('did you mean capacity?');
    expect(() => CuckooFilter.from(keys(), { seed: -1 })).toThrow(/^seed must be /);
    expect(() => CuckooFilter.from(keys(), { errorRate: 1e-12 })).toThrow(/^errorRate must be /);
    expect(read).toBe(0);
    expect(errorOf(() => CuckooFilter.from(keys(), { capacity: 8 }))).toMatchObject({ code: 'FULL', position: 8 });
    expect(() => CuckooFilter.from([1, 1, 1.5])).toThrow('keys[2] must be a safe integer');
    expect(() => CuckooFilter.from(hashKeys(['a'], { seed: 1 }))).toThrow('seed of the hashed keys must be 0, got 1');
  });

  it('has the parameters that it was made with', () => {
    expect(new CuckooFilter({ capacity: 1_000_000, errorRate: 0.0001, seed: 7 })).toMatchObject({
      kind: 'cuckoo',
      engine: 'wasm',
      capacity: 1_000_000,
      errorRate: 0.0001,
      buckets: 263_164,
      fingerprintBits: 17,
      cellName: 'slots',
      cellCount: 1_052_656,
      cellBits: 17,
      hashes: 2,
      seed: 7,
      byteLength: (1_052_656 * 17) / 8,
    });
    const sized = new CuckooFilter({ buckets: 1002, fingerprintBits: 9 });
    expect(sized).toMatchObject({ capacity: 3788, buckets: 1002, fingerprintBits: 9, byteLength: 4509 });
    expect(sized.errorRate).toBe(expectedCuckooErrorRate(3788, 1002, 9));
    expect(inspect(sized, { breakLength: Infinity })).toBe(
      `CuckooFilter { capacity: 3788, errorRate: ${sized.errorRate}, buckets: 1002, fingerprintBits: 9, seed: 0, engine: 'wasm', 'fillRatio()': 0, 'estimateErrorRate()': 0 }`,
    );
  });

  it('refuses a capacity together with a size, and sizes out of range', () => {
    const make = (options: object) => () => new CuckooFilter(options as never);
    expect(make({ capacity: 1, buckets: 2 })).toThrow('got both');
    expect(make({ capacity: 1, fingerprintBits: 9 })).toThrow('got both');
    expect(make({ buckets: 2 })).toThrow(/^fingerprintBits must be an integer from 7 to 32, got undefined$/);
    expect(make({ fingerprintBits: 9 })).toThrow(/^buckets must be an integer from 2 to 1073741824, got undefined$/);
    for (const buckets of [0, 1, 2.5, 2 ** 30 + 2]) {
      expect(make({ buckets, fingerprintBits: 9 })).toThrow(/^buckets must be an integer from 2 to 1073741824, got /);
    }
    expect(make({ buckets: 3, fingerprintBits: 9 })).toThrow(new RangeError('buckets must be even, got 3'));
    for (const fingerprintBits of [6, 33, 7.5]) expect(make({ buckets: 2, fingerprintBits })).toThrow(RangeError);
    expect(make({ capacity: 1000, errorRate: 1e-10 })).toThrow(
      /^errorRate must be at least 1\.73e-9 with fingerprints of 32 bits, got 1e-10$/,
    );
    for (const capacity of [1, 2, 7, 1000, 12_345, 2 ** 20, 1e7 / 3]) {
      const { message } = errorOf(make({ capacity: Math.floor(capacity), errorRate: 1e-12 }));
      const least = Number(/at least (\S+) /.exec(message)?.[1]);
      expect(optimalCuckooFingerprintBits(Math.floor(capacity), least)).toBe(32);
      expect(make({ capacity: Math.floor(capacity), errorRate: least * 0.98 })).toThrow(/^errorRate must be at least/);
    }
    expect(make({ capacity: 2 ** 32 })).toThrow(/^capacity must be an integer from 1 to 4080218912, got 4294967296$/);
    expect(make({ buckets: 2 ** 30, fingerprintBits: 32 })).toThrow(/too large/);
  });
});

describe('the size of a cuckoo filter', () => {
  it.each([
    [100, 0.01, 32, 10, 0.00609],
    [1000, 0.01, 270, 10, 0.00722],
    [1_000_000, 0.01, 263_164, 10, 0.00741],
    [1_000_000, 0.001, 263_164, 13, 0.000927],
    [1_000_000, 1e-6, 263_164, 23, 9.06e-7],
  ])('for %i keys at %f', (capacity, errorRate, buckets, bits, rate) => {
    expect([optimalCuckooBuckets(capacity), optimalCuckooFingerprintBits(capacity, errorRate)]).toEqual([
      buckets,
      bits,
    ]);
    expect(expectedCuckooErrorRate(capacity, buckets, bits) / rate).toBeCloseTo(1, 2);
  });

  it('is the smallest for the capacity that a size gives', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 2 ** 18 })), (half) => {
        const filter = {
          buckets: 2 * half,
          capacity: new CuckooFilter({ buckets: 2 * half, fingerprintBits: 7 }).capacity,
        };
        expect(optimalCuckooBuckets(filter.capacity)).toBeLessThanOrEqual(filter.buckets);
        if (half > 3) expect(optimalCuckooBuckets(filter.capacity + 1)).toBeGreaterThan(filter.buckets);
      }),
      { numRuns: 50 },
    );
    expect(optimalCuckooBuckets(4_080_218_912)).toBe(2 ** 30);
  });
});
