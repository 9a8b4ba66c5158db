import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CuckooFilter } from '../../src/entries/cuckoo.ts';
import { hashKeys } from '../../src/entries/hash.ts';
import { BlockedBloomFilter as JsBlocked } from '../../src/entries/js/index.ts';
import { RotatingBloomFilter } from '../../src/entries/rotating.ts';
import { difference, type FilterView, intersection, union, type Viewable } from '../../src/entries/views.ts';
import { BloomFilter, lines } from '../../src/index.ts';
import { expectRate } from '../shared/binomial.ts';
import { integersFrom } from '../shared/integers.ts';
import { everyKind, kinds } from '../shared/kinds.ts';

/** How each view answers, by what its filters answer. */
const views = [
  { name: 'difference', view: difference, rule: (a: boolean, b: boolean) => a && !b },
  { name: 'union', view: union, rule: (a: boolean, b: boolean) => a || b },
  { name: 'intersection', view: intersection, rule: (a: boolean, b: boolean) => a && b },
] as const;

const range = (from: number, to: number): Uint32Array => integersFrom(from, to - from);

/** Checks a view against the answers of its filters: single keys, and all methods that take many. */
function check(filter: FilterView, keys: readonly number[], wanted: readonly boolean[]): void {
  const flags = Uint8Array.from(wanted, Number);
  const chosen = keys.filter((_, i) => wanted[i]);
  const others = keys.filter((_, i) => !wanted[i]);
  expect(keys.map((key) => filter.has(key))).toEqual(wanted);
  expect(filter.hasMany(keys)).toEqual(flags);
  expect(filter.hasMany(keys, new Uint8Array(keys.length + 3))).toEqual(flags);
  expect(filter.pick(keys)).toEqual(chosen);
  expect(filter.omit(new Set(keys))).toEqual([...new Set(others)]);
}

describe.each(views)('the $name of two filters', ({ view, rule }) => {
  it('answers by what both answer, for any two kinds on any engines, small ones in one memory too', () => {
    // Each kind is one of two filters and the other one, each time with another kind, on this engine or the other.
    const others = everyKind.filter(({ engine, isKeyed }) => engine.name === 'js' && !isKeyed);
    const pairs = kinds.flatMap((one, i) =>
      [kinds[(i + 1) % kinds.length], others[(i + 2) % kinds.length]].map((other) => [one, other ?? one] as const),
    );
    const keys = [...range(0, 40)];
    for (const [one, other] of pairs) {
      const a = one.Filter.from(keys.slice(0, 20), one.at(0.3));
      const b = other.Filter.from(keys.slice(10, 30), other.at(0.3));
      const wanted = keys.map((key) => rule(a.has(key), b.has(key)));
      check(view(a, b), keys, wanted);
      expect(wanted.slice(0, 30), `${one.name} and ${other.name}`).toContain(true);
    }
  });

  it('answers so for many keys, chunk by chunk, in every form', () => {
    const names = Array.from(range(0, 12_000), String);
    for (const errorRate of [0.5, 0.001]) {
      const a = BloomFilter.from(names.slice(0, 9000), { errorRate });
      const b = JsBlocked.from(names.slice(5000, 8000), { errorRate });
      const wanted = names.filter((name) => rule(a.has(name), b.has(name)));
      const filter = view(a, b);
      for (const keys of [names, names.values()]) expect(filter.pick(keys)).toEqual(wanted);
      expect(`${Buffer.from(filter.pick(lines(Buffer.from(names.join('\n')))).bytes)}`.trim()).toBe(wanted.join('\n'));
      expect(filter.hasMany(hashKeys(names))).toEqual(filter.hasMany(names));
    }
  });

  it('is a filter of which views can be made', () => {
    const keys = [...range(0, 60)];
    const filled = (from: number) => BloomFilter.from(range(from, from + 30), { errorRate: 0.2 });
    const [a, b, c] = [filled(0), filled(10), filled(20)];
    const wanted = keys.map((key) => rule(rule(a.has(key), b.has(key)), rule(b.has(key), c.has(key))));
    check(view(view(a, b), view(b, c)), keys, wanted);
  });

  it('shows what is added to its filters, and what they forget', () => {
    let now = 0;
    const a = new RotatingBloomFilter({ capacity: 100, window: 1000, clock: () => now });
    const b = new RotatingBloomFilter({ capacity: 100, window: 4000, clock: () => now });
    const filter = view(a, b);
    const expectAnswer = (inA: boolean, inB: boolean): void =>
      expect(filter.hasMany([1])).toEqual(Uint8Array.of(Number(rule(inA, inB))));
    expectAnswer(false, false);
    a.add(1);
    b.add(1);
    expectAnswer(true, true);
    now = 3000;
    expectAnswer(false, true);
    now = 9000;
    expectAnswer(false, false);
  });

  it('is shown by its filters', () => {
    const [a, b] = [new BloomFilter({ capacity: 10 }), new CuckooFilter({ capacity: 10 })];
    const options = { breakLength: Infinity };
    const filter = view(a, b);
    const shown = `${filter.constructor.name} { a: ${inspect(a, options)}, b: ${inspect(b, options)} }`;
    expect(inspect(filter, options)).toBe(shown);
    expect(() => JSON.stringify(filter)).toThrow('a filter has no JSON form');
  });

  it('refuses other arguments, other seeds and filters without memory', () => {
    const filter = new BloomFilter({ capacity: 10 });
    const wanted = 'a filter or a view of filters, from this copy of bloomery';
    for (const wrong of [undefined, null, 7, 'filter', {}, { has: () => true }]) {
      expect(() => view(wrong as never as Viewable, filter)).toThrow(`a must be ${wanted}, got`);
      expect(() => view(filter, wrong as never as Viewable)).toThrow(`b must be ${wanted}, got`);
    }
    const seeded = new BloomFilter({ capacity: 10, seed: 7 });
    expect(() => view(filter, seeded)).toThrow(new RangeError('seed of b must be 0, got 7'));
    for (const key of [1.5, {}, undefined]) expect(() => view(filter, filter).has(key as never)).toThrow(/must be/);
    const gone = new BloomFilter({ capacity: 10 });
    gone.dispose();
    for (const half of [view(filter, gone), view(gone, filter)]) expect(() => half.hasMany([1])).toThrow(/dispose/);
  });
});

/** The number of keys for which a view says that they are present. */
const presentIn = (view: FilterView, keys: Uint32Array): number => view.pick(keys).length;

describe('the error rates of views', () => {
  const trials = 200_000;
  const absent = range(1_000_000, 1_000_000 + trials);
  const a = BloomFilter.from(range(0, 20_000), { errorRate: 0.05, capacity: 20_000 });
  const b = BloomFilter.from(range(100_000, 130_000), { errorRate: 0.1, capacity: 30_000 });
  const [rateOfA, rateOfB] = [a.estimateErrorRate(), b.estimateErrorRate()];

  it('are estimated for keys in neither filter', () => {
    expectRate(presentIn(difference(a, b), absent), trials, difference(a, b).estimateErrorRate());
    expectRate(presentIn(union(a, b), absent), trials, union(a, b).estimateErrorRate());
    expectRate(presentIn(intersection(a, b), absent), trials, rateOfA * rateOfB);
    expect(intersection(a, b).estimateErrorRate()).toBe(Math.min(rateOfA, rateOfB));
    expect(union(a, b).estimateErrorRate()).toBeCloseTo(1 - (1 - rateOfA) * (1 - rateOfB), 12);
  });

  it('are bounds if the filters share their keys', () => {
    const options = { errorRate: 0.1, capacity: 20_000 };
    const [part, whole] = [BloomFilter.from(range(0, 15_000), options), BloomFilter.from(range(0, 20_000), options)];
    for (const view of [difference(whole, part), union(whole, part), intersection(whole, part)]) {
      expect(presentIn(view, absent) / trials).toBeLessThan(view.estimateErrorRate() * 1.05);
    }
  });

  it('tell how many keys a difference misses', () => {
    const view = difference(a, b);
    expectRate(20_000 - presentIn(view, range(0, 20_000)), 20_000, view.estimateMissRate());
    expect(presentIn(view, range(100_000, 130_000))).toBe(0);
  });
});
