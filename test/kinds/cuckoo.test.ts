// What only the cuckoo filter has; test/filters/bounded.test.ts has what it shares with others.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CuckooFilter, optimalCuckooFingerprintBits } from '../../src/entries/cuckoo.ts';
import { hashKeys } from '../../src/entries/hash.ts';
import { errorOf } from '../format/saved.ts';
import { range } from '../shared/integers.ts';

describe('CuckooFilter', () => {
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
    for (const size of [{ buckets: 1000, fingerprintBits: 9 }, { capacity: 5000 }]) {
      expect(CuckooFilter.from(keys, size)).toMatchObject({ ...size, count: 1000 });
    }
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

  it('names an error rate that it can have, where one is too low', () => {
    for (const capacity of [1, 2, 7, 1000, 12_345, 2 ** 20, 3_333_333]) {
      const wrong = (errorRate: number): Error => errorOf(() => new CuckooFilter({ capacity, errorRate }));
      const least = Number(/at least (\S+) /.exec(wrong(1e-12).message)?.[1]);
      expect(optimalCuckooFingerprintBits(capacity, least)).toBe(32);
      expect(wrong(least * 0.98).message).toMatch(/^errorRate must be at least/);
    }
  });
});
