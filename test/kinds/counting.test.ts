import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as jsEntry from '../../src/entries/js.ts';
import * as wasmEntry from '../../src/index.ts';
import type { Engine } from '../../src/kernel/region.ts';
import { awkwardKeys } from '../shared/awkward.ts';
import { entries, kindOn } from '../shared/kinds.ts';
import { type Opened, open } from '../shared/open.ts';
import { Counters, countingBytes } from '../shared/oracle.ts';

const { lines, column } = wasmEntry;

function openCounting(engine: Engine, options: object): Opened<wasmEntry.CountingBloomFilter> {
  return open(kindOn('counting', engine.name).Core, engine, options) as object as Opened<wasmEntry.CountingBloomFilter>;
}

const text = (string: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(string);
const words = fc.array(fc.string({ maxLength: 3 }), { maxLength: 30 });
const numbered = (name: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${name} ${i}`);
/** Few enough counters that keys share them, enough that most stay below 15. */
const shape = { counters: 301, hashes: 3, seed: 5 };

type Step = readonly ['add' | 'remove' | 'countOf' | 'has', number];
const steps = fc.array(
  fc.tuple(fc.constantFrom('add', 'add', 'remove', 'countOf', 'has'), fc.nat(40)) as fc.Arbitrary<Step>,
  { maxLength: 150 },
);

describe.each(entries)('CountingBloomFilter: $name', ({ name, engine, api: { BloomFilter, CountingBloomFilter } }) => {
  it('has the parameters that it was made with, and four times the memory of a classic filter', () => {
    const { bits } = new BloomFilter({ capacity: 1000, errorRate: 0.001 });
    expect(new CountingBloomFilter({ capacity: 1000, errorRate: 0.001 })).toMatchObject({
      kind: 'counting',
      engine: name,
      capacity: 1000,
      errorRate: 0.001,
      counters: bits,
      hashes: 10,
      seed: 0,
      byteLength: Math.ceil(bits / 2),
    });
    const given = new CountingBloomFilter({ counters: 1001, hashes: 7, seed: 2 ** 32 - 1 });
    expect(given).toMatchObject({ capacity: 99, counters: 1001, hashes: 7, seed: 2 ** 32 - 1, byteLength: 501 });
    expect(given.errorRate).toBe(wasmEntry.expectedErrorRate(99, 1001, 7));
  });

  it.each([
    { counters: 1, hashes: 2, seed: 0 },
    { counters: 16, hashes: 5, seed: 1 },
    { counters: 101, hashes: 3, seed: 2 ** 32 - 1 },
    { counters: 999, hashes: 30, seed: 7 },
  ])('agrees with its oracle at every step: $counters counters, $hashes hashes, seed $seed', (options) => {
    fc.assert(
      fc.property(steps, (taken) => {
        const { filter, bytes } = openCounting(engine, options);
        const oracle = new Counters(options.counters, options.hashes, options.seed);
        for (const [verb, key] of taken) {
          const expected = verb === 'has' ? oracle.countOf(key) > 0 : oracle[verb](key);
          expect(filter[verb](key), verb).toBe(expected);
        }
        expect(bytes()).toEqual(oracle.bytes());
        filter.dispose();
      }),
    );
  });

  it('removes keys of all types, in a batch and one by one', () => {
    const keys = awkwardKeys(3000, 11);
    const gone = [...keys.slice(0, 1000), ...awkwardKeys(1000, 12)];
    const size = { counters: 20_011, hashes: 4, seed: 3 };
    const oracle = new Counters(size.counters, size.hashes, size.seed);
    for (const key of keys) oracle.add(key);
    const expected = gone.map((key) => Number(oracle.remove(key)));
    const batch = openCounting(engine, size);
    const out = new Uint8Array(gone.length);
    expect(batch.filter.addMany(keys).removeMany(gone, out)).toBe(batch.filter);
    expect([...out]).toEqual(expected);
    expect(expected).toContain(0);
    expect(Buffer.compare(batch.bytes(), oracle.bytes())).toBe(0);
    const single = openCounting(engine, size);
    single.filter.addMany(keys);
    expect(gone.map((key) => Number(single.filter.remove(key)))).toEqual(expected);
    expect(single.filter.equals(batch.filter)).toBe(true);
    const plain = openCounting(engine, size);
    expect(plain.filter.addMany(keys).removeMany(gone).equals(batch.filter)).toBe(true);
  });

  it.each([
    ['lines', lines(text('a\nb\r\n\nc\n'))],
    ['a column', column(text('abc'), Int32Array.of(0, 1, 1, 3))],
    ['integers', Uint32Array.of(1, 2, 3, 2 ** 32 - 1)],
    ['big integers', BigInt64Array.of(1n, -(2n ** 63n))],
    ['a set', new Set(['a', 'b', 7])],
  ])('removes what it added from %s', (_, keys) => {
    const filter = new CountingBloomFilter(shape).addMany(keys);
    expect(filter.fillRatio()).toBeGreaterThan(0);
    expect(filter.removeMany(keys).fillRatio()).toBe(0);
  });

  it('equals the filter of the remaining keys after keys are removed', () => {
    // Each key is added four times at most. Even if all of them were, no counter would reach 15.
    const size = { counters: 701, hashes: 3 };
    const most = new Counters(size.counters, size.hashes, 0);
    for (let i = 0; i < 4 * 61; i++) most.add(i % 61);
    expect(Math.max(...most.values)).toBeLessThan(15);
    fc.assert(
      fc.property(fc.array(fc.nat(60), { maxLength: 30 }), fc.nat(30), (keys, cut) => {
        const rest = keys.slice(cut);
        const expected = new CountingBloomFilter(size).addMany(rest);
        fc.pre(keys.every((key) => keys.filter((each) => each === key).length < 5));
        const out = new Uint8Array(keys.length);
        const filter = new CountingBloomFilter(size).addMany(keys);
        filter.removeMany(keys.slice(0, cut), out);
        expect(filter.equals(expected)).toBe(true);
        expect([...out.subarray(0, keys.length - rest.length)].every((flag) => flag === 1)).toBe(true);
      }),
    );
  });

  it('changes nothing for a key that looks absent', () => {
    fc.assert(
      fc.property(words, words, (added, others) => {
        const filter = new CountingBloomFilter(shape).addMany(added);
        const before = filter.clone();
        const absent = filter.omit(others);
        expect(absent.map((key) => filter.remove(key))).toEqual(absent.map(() => false));
        const out = new Uint8Array(absent.length).fill(9);
        filter.removeMany(absent, out);
        expect([...out]).toEqual(absent.map(() => 0));
        expect(filter.equals(before)).toBe(true);
      }),
    );
  });

  it('keeps a counter at 15 once it has reached 15', () => {
    const { filter, bytes } = openCounting(engine, { counters: 1000, hashes: 1 });
    for (let times = 1; times <= 40; times++) {
      filter.add('a');
      expect(filter.countOf('a')).toBe(Math.min(15, times));
    }
    expect(bytes().reduce((sum, byte) => sum + (byte & 15) + (byte >> 4), 0)).toBe(15);
    for (let times = 0; times < 40; times++) expect(filter.remove('a')).toBe(true);
    expect(filter.countOf('a')).toBe(15);
    const fourteen = new CountingBloomFilter(shape).addMany(new Array<string>(14).fill('a'));
    expect(fourteen.removeMany(new Array<string>(14).fill('a')).fillRatio()).toBe(0);
    expect(fourteen.remove('a')).toBe(false);
  });

  it('increments a counter twice if two indices of a key are equal', () => {
    const { filter, bytes } = openCounting(engine, { counters: 1, hashes: 4 });
    filter.add('a');
    expect([...bytes()]).toEqual([4]);
    expect(filter.countOf('a')).toBe(4);
    expect(filter.remove('a')).toBe(true);
    expect([...bytes()]).toEqual([0]);
  });

  it('never counts too few', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { maxLength: 100 }), (keys) => {
        const filter = new CountingBloomFilter({ counters: 101, hashes: 3 }).addMany(keys);
        for (const key of keys) {
          const times = keys.filter((each) => each === key).length;
          expect(filter.countOf(key)).toBeGreaterThanOrEqual(Math.min(15, times));
          expect(filter.countOf(key)).toBeLessThanOrEqual(15);
        }
        expect(new CountingBloomFilter(shape).countOf('never')).toBe(0);
      }),
    );
  });

  it('adds counts up to 15 in a union', () => {
    fc.assert(
      fc.property(words, words, (left, right) => {
        // Small enough that sums exceed 15 in many runs.
        const small = { counters: 21, hashes: 3 };
        const a = openCounting(engine, small);
        const b = openCounting(engine, small);
        b.filter.addMany(right);
        a.filter.addMany(left).merge(b.filter);
        expect(a.bytes()).toEqual(countingBytes([...left, ...right], 21, 3, 0));
        expect(b.bytes()).toEqual(countingBytes(right, 21, 3, 0));
      }),
    );
  });

  it('keeps the lesser count in an intersection', () => {
    fc.assert(
      fc.property(words, words, (left, right) => {
        const a = new CountingBloomFilter(shape).addMany(left);
        const b = new CountingBloomFilter(shape).addMany(right);
        const both = a.intersection(b);
        expect(both.equals(b.intersection(a))).toBe(true);
        for (const key of left.filter((each) => right.includes(each))) {
          const times = Math.min(...[left, right].map((keys) => keys.filter((each) => each === key).length));
          expect(both.countOf(key)).toBeGreaterThanOrEqual(Math.min(15, times));
          expect(both.countOf(key)).toBeLessThanOrEqual(Math.min(a.countOf(key), b.countOf(key)));
        }
      }),
    );
  });

  it('counts everything twice if merged with itself', () => {
    const a = new CountingBloomFilter(shape).addMany(['a', 'b', 'b']);
    const twice = new CountingBloomFilter(shape).addMany(['a', 'b', 'b', 'a', 'b', 'b']);
    expect(a.intersection(a).equals(a)).toBe(true);
    expect(a.union(a).equals(twice)).toBe(true);
    expect(a.merge(a).equals(twice)).toBe(true);
  });

  it.each([
    ['one counter', 1],
    ['an odd number of counters', 333],
    ['1 MiB, in an arena', 2 ** 21],
    ['more than 1 MiB, in its own instance', 2 ** 22 + 123],
  ])('gives the classic filter of the same keys: %s', (_, cells) => {
    const keys = numbered('key', 500);
    const counting = new CountingBloomFilter({ counters: cells, hashes: 3, seed: 9 })
      .addMany(keys)
      .removeMany(keys.slice(400));
    const classic = counting.toBloomFilter();
    const expected = new BloomFilter({ bits: cells, hashes: 3, seed: 9 }).addMany(keys.slice(0, 400));
    expect(classic).toBeInstanceOf(BloomFilter);
    expect(classic.engine).toBe(name);
    // In a small filter, counters shared by many keys have reached 15 and stay there.
    if (cells > 1000) expect(classic.equals(expected)).toBe(true);
    expect(classic.hasMany(keys)).toEqual(counting.hasMany(keys));
    expect(classic.fillRatio()).toBe(counting.fillRatio());
    expect(classic.byteLength).toBe(Math.ceil(cells / 8));
    // The two filters are independent.
    counting.clear();
    expect(classic.has('key 0')).toBe(true);
  });

  it('gives a classic filter with the same bits, capacity, error rate and seed', () => {
    const counting = CountingBloomFilter.from(numbered('key', 1000), { errorRate: 0.02, seed: 4 });
    const classic = open(kindOn('classic', name).Core, engine, {
      bits: counting.counters,
      hashes: counting.hashes,
      seed: 4,
    });
    classic.filter.addMany(numbered('key', 1000));
    expect(counting.toBloomFilter()).toMatchObject({ capacity: 1000, errorRate: 0.02, seed: 4 });
    expect(classic.filter.equals(counting.toBloomFilter() as object as typeof classic.filter)).toBe(true);
  });

  it('has removed the keys before a bad one, and names its position', () => {
    const keys = numbered('key', 10_000);
    const filter = CountingBloomFilter.from(keys, { errorRate: 1e-6 });
    const bad: unknown[] = [...keys];
    bad[9000] = null;
    expect(() => filter.removeMany(bad as string[])).toThrow(/^keys\[9000\] must be a string, .*, got null$/);
    expect(filter.equals(CountingBloomFilter.from(keys.slice(9000), { capacity: 10_000, errorRate: 1e-6 }))).toBe(true);
  });

  it('refuses what it cannot remove or count, and does not change', () => {
    const filter = new CountingBloomFilter(shape).addMany(['a', 'b']);
    const before = filter.clone();
    expect(() => filter.removeMany(['a', 'b'], new Uint8Array(1))).toThrow(
      /^out must have a length of 2 or more, got 1$/,
    );
    expect(() => filter.removeMany(new Map([['a', 1]]).keys(), new Uint8Array(9))).toThrow(
      /^out needs a known number of keys/,
    );
    expect(() => filter.removeMany('ab' as never)).toThrow(/^keys must be .*, got "ab", which is one key$/);
    for (const verb of ['remove', 'countOf'] as const) {
      expect(() => filter[verb](null as never)).toThrow(TypeError);
      expect(() => filter[verb](null as never)).toThrow(/^key must be /);
      expect(() => filter[verb](1.5)).toThrow(RangeError);
    }
    expect(filter.equals(before)).toBe(true);
    filter.dispose();
    expect(() => filter.remove('a')).toThrow(/after dispose\(\)/);
    expect(() => filter.removeMany([])).toThrow(/after dispose\(\)/);
    expect(() => filter.countOf('a')).toThrow(/after dispose\(\)/);
    expect(() => filter.toBloomFilter()).toThrow(/after dispose\(\)/);
  });

  it('names the difference if filters cannot be combined', () => {
    const a = new CountingBloomFilter(shape);
    for (const verb of ['union', 'intersection', 'merge'] as const) {
      const call = (other: object) => () => a[verb](new CountingBloomFilter({ ...shape, ...other }));
      expect(call({ counters: 302 })).toThrow('other must have 301 counters, got 302 counters');
      expect(call({ hashes: 4 })).toThrow('hashes of other must be 3, got 4');
      expect(call({ seed: 6 })).toThrow('seed of other must be 5, got 6');
      expect(() => a[verb](a.toBloomFilter() as never)).toThrow(/^other must be a CountingBloomFilter, got /);
    }
  });

  it('refuses a capacity together with a size, and sizes out of range', () => {
    const both: object = { capacity: 1, counters: 8, hashes: 1 };
    expect(() => new CountingBloomFilter(both as never)).toThrow('got both');
    for (const counters of [0, -1, 1.5, 2 ** 53]) {
      expect(() => new CountingBloomFilter({ counters, hashes: 1 })).toThrow(/^counters must be an integer from 1 to /);
    }
    expect(() => new CountingBloomFilter({ counters: 8 } as never)).toThrow(/^hashes must be .*, got undefined$/);
    expect(() => new CountingBloomFilter({ counters: 8, hashes: 256 })).toThrow(
      /^hashes must be an integer from 1 to 255/,
    );
    expect(() => new CountingBloomFilter({ counters: 2 ** 53 - 1, hashes: 1 })).toThrow(/is too large/);
    expect(() => new CountingBloomFilter({ bits: 8, hashes: 1 } as never)).toThrow(TypeError);
  });

  it('estimates how many keys it holds, and its error rate', () => {
    const filter = new CountingBloomFilter({ capacity: 10_000 }).addMany(numbered('key', 20_000));
    filter.removeMany(numbered('key', 20_000).slice(10_000));
    expect(Math.abs(filter.estimateCount() - 10_000)).toBeLessThan(200);
    expect(Math.abs(filter.estimateErrorRate() - 0.01)).toBeLessThan(0.001);
    const full = new CountingBloomFilter({ counters: 9, hashes: 3 }).addMany(numbered('key', 99));
    expect(full.fillRatio()).toBe(1);
    expect(full.estimateCount()).toBe(Number.POSITIVE_INFINITY);
    expect(full.estimateErrorRate()).toBe(1);
  });

  it('prints its parameters', () => {
    const filter = new CountingBloomFilter({ capacity: 1000 });
    expect(inspect(filter, { breakLength: Infinity })).toBe(
      `CountingBloomFilter { capacity: 1000, 'errorRate at capacity': 0.01, counters: 9586, hashes: 7, seed: 0, engine: '${name}', 'fillRatio()': 0, 'estimateErrorRate()': 0 }`,
    );
  });
});

it.each([1001, 2 ** 22])('counting filters of both engines can be combined: %i counters', (counters) => {
  const size = { counters, hashes: 5 };
  const keys = numbered('key', 200);
  const a = new wasmEntry.CountingBloomFilter(size).addMany(keys);
  const b = new jsEntry.CountingBloomFilter(size).addMany(keys.slice(100));
  const all = new jsEntry.CountingBloomFilter(size).addMany([...keys, ...keys.slice(100)]);
  expect(a.union(b).equals(all)).toBe(true);
  expect(b.union(a).equals(all)).toBe(true);
  expect(a.intersection(b).equals(b.intersection(a))).toBe(true);
  expect(a.toBloomFilter().equals(all.toBloomFilter())).toBe(true);
});
