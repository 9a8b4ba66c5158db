import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BloomFilter, CountingBloomFilter } from '../../src/index.ts';
import { bodyOf } from '../format/saved.ts';
import { Counters, countingBytes } from '../shared/oracle.ts';

const words = fc.array(fc.string({ maxLength: 3 }), { maxLength: 30 });
const keys = Array.from({ length: 500 }, (_, i) => `key ${i}`);
/** Few enough counters that keys share them, enough that most stay below 15. */
const shape = { counters: 301, hashes: 3, seed: 5 };

type Step = readonly ['add' | 'remove' | 'countOf' | 'has', number];
const step = fc.tuple(fc.constantFrom('add', 'add', 'remove', 'countOf', 'has'), fc.nat(40)) as fc.Arbitrary<Step>;
const steps = fc.array(step, { maxLength: 150 });

describe('CountingBloomFilter', () => {
  it.each([
    { counters: 1, hashes: 2, seed: 0 },
    { counters: 16, hashes: 5, seed: 1 },
    { counters: 101, hashes: 3, seed: 2 ** 32 - 1 },
    { counters: 999, hashes: 30, seed: 7 },
  ])('agrees with its oracle at every step: $counters counters, $hashes hashes, seed $seed', (options) => {
    const property = fc.property(steps, (taken) => {
      using filter = new CountingBloomFilter(options);
      const oracle = new Counters(options.counters, options.hashes, options.seed);
      for (const [verb, key] of taken) {
        const expected = verb === 'has' ? oracle.countOf(key) > 0 : oracle[verb](key);
        expect(filter[verb](key), verb).toBe(expected);
      }
      expect(bodyOf(filter)).toEqual(oracle.bytes());
      const gone = taken.map(([, key]) => key);
      const out = new Uint8Array(gone.length);
      filter.removeMany(gone, out);
      expect([...out]).toEqual(gone.map((key) => Number(oracle.remove(key))));
      expect(bodyOf(filter)).toEqual(oracle.bytes());
    });
    fc.assert(property);
  });

  it('keeps a counter at 15 once it has reached 15', () => {
    const filter = new CountingBloomFilter({ counters: 1000, hashes: 1 });
    for (const times of [14, 15]) {
      filter.addMany(Array<string>(times).fill('a'));
      for (let i = 0; i < 40; i++) expect(filter.remove('a')).toBe(times === 15 || i < 14);
      expect(filter.countOf('a')).toBe(times === 15 ? 15 : 0);
    }
    // Longer than the scratch.
    const long = 'b'.repeat(200_000);
    expect(filter.addMany([long, long]).countOf(long)).toBe(2);
  });

  it('adds counts up to 15 in a union, and keeps the lesser ones in an intersection', () => {
    const property = fc.property(words, words, (left, right) => {
      // Small enough that sums exceed 15 in many runs.
      const small = { counters: 21, hashes: 3 };
      const make = (keys: string[]) => new CountingBloomFilter(small).addMany(keys);
      const counts = (keys: string[]): Uint8Array => {
        const oracle = new Counters(21, 3, 0);
        for (const key of keys) oracle.add(key);
        return oracle.values;
      };
      const [a, b] = [make(left), make(right)];
      const [of, other] = [counts(left), counts(right)];
      const lesser = (i: number): number => Math.min(of[i] ?? 0, other[i] ?? 0);
      const packed = Uint8Array.from({ length: 11 }, (_, i) => lesser(2 * i) | (lesser(2 * i + 1) << 4));
      expect(bodyOf(a.intersection(b))).toEqual(packed);
      expect(bodyOf(a.merge(b))).toEqual(countingBytes([...left, ...right], 21, 3, 0));
      expect(bodyOf(b)).toEqual(countingBytes(right, 21, 3, 0));
    });
    fc.assert(property);
  });

  it('counts everything twice if merged with itself', () => {
    const a = new CountingBloomFilter(shape).addMany(['a', 'b', 'b']);
    const twice = a.clone().addMany(['a', 'b', 'b']);
    expect(a.intersection(a).equals(a)).toBe(true);
    expect([a.union(a).equals(twice), a.merge(a).equals(twice)]).toEqual([true, true]);
  });

  it.each([
    ['one counter', 1],
    ['an odd number of counters', 3333],
    ['more than 1 MiB, in its own instance', 2 ** 22 + 123],
  ])('gives the classic filter of the same keys: %s', (_, cells) => {
    const counting = new CountingBloomFilter({ counters: cells, hashes: 3, seed: 9 })
      .addMany(keys)
      .removeMany(keys.slice(400));
    const classic = counting.toBloomFilter();
    expect(classic).toBeInstanceOf(BloomFilter);
    // In a small filter, counters shared by many keys have reached 15 and stay there.
    const expected = new BloomFilter({ bits: cells, hashes: 3, seed: 9 }).addMany(keys.slice(0, 400));
    if (cells > 1000) expect(classic.equals(expected)).toBe(true);
    expect(classic.hasMany(keys)).toEqual(counting.hasMany(keys));
    expect([classic.fillRatio(), classic.byteLength]).toEqual([counting.fillRatio(), Math.ceil(cells / 8)]);
    counting.clear();
    expect(classic.has('key 0')).toBe(true);
    const promised = CountingBloomFilter.from(keys, { errorRate: 0.02, seed: 4 }).toBloomFilter();
    expect(promised).toMatchObject({ capacity: 500, errorRate: 0.02, seed: 4 });
  });
});
