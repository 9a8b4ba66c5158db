// Keys that a program gives one by one: when they are read, what it may do meanwhile, and what an error leaves. And objects
// as keys, by a key of each.

import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { CuckooFilter } from '../../src/entries/cuckoo.ts';
import { by, KeyItems } from '../../src/entries/items.ts';
import { ScalableBloomFilter } from '../../src/entries/scalable.ts';
import { SpatialBloomFilter } from '../../src/entries/spatial.ts';
import { KeyReader } from '../../src/filters/key-reader.ts';
import { CELLS } from '../../src/filters/kind.ts';
import { BloomFilter, CountingBloomFilter, FilterFullError, type Key } from '../../src/index.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';
import { range } from '../shared/integers.ts';
import { text } from '../shared/stream-tools.ts';

type KeyAt = (i: number) => Key;

const make = (): BloomFilter => new BloomFilter({ capacity: 10_000, errorRate: 1e-9 });
const nameAt = (i: number): string => `key ${i}`;
const names = (count: number): string[] => range(0, count).map(nameAt);

/** How often an iterator was closed. */
let closed = 0;
beforeEach(() => {
  closed = 0;
});
function* generated<T>(count: number, valueAt: (i: number) => T): Generator<T> {
  try {
    for (let i = 0; i < count; i++) yield valueAt(i);
  } finally {
    closed++;
  }
}
/** A set whose iterator is its own. */
const generatedSet = (count: number, keyAt: KeyAt): Set<Key> =>
  Object.defineProperties(new Set<Key>(), {
    size: { value: count },
    [Symbol.iterator]: { value: () => generated(count, keyAt) },
  });
function proxied(count: number, keyAt: KeyAt): Key[] {
  return new Proxy(new Array<Key>(count), {
    get: (target, name) => (/^\d+$/.test(String(name)) ? keyAt(Number(name)) : Reflect.get(target, name)),
  });
}

/** A form of `count` keys, and whether it is closed. */
type Form = Readonly<{ name: string; isClosed: boolean; keysOf(count: number, keyAt: KeyAt): object }>;
const arrays: readonly Form[] = [{ name: 'an array', isClosed: false, keysOf: proxied }];
const iterables: readonly Form[] = [
  { name: 'a set', isClosed: true, keysOf: generatedSet },
  { name: 'a generator', isClosed: true, keysOf: generated },
  { name: 'items of an array', isClosed: false, keysOf: (count, keyAt) => by(range(0, count), keyAt) },
  { name: 'items of a generator', isClosed: true, keysOf: (count, keyAt) => by(generated(count, Number), keyAt) },
];

describe.each([...arrays, ...iterables])('keys of $name', ({ keysOf, isClosed }) => {
  it.each([0, 5, 767, 768, 1800, CHUNK_KEYS])('are read once and in order, up to a wrong one: %i', (at) => {
    for (const wrong of [undefined, null, {}, 1.5] as never[]) {
      const reads: number[] = [];
      const filter = make();
      closed = 0;
      const keys = keysOf(at + 2000, (i) => {
        reads.push(i);
        return i === at ? wrong : nameAt(i);
      });
      const shown = wrong === 1.5 ? 'a safe integer' : 'a string, a Uint8Array, an integer or a bigint';
      expect(() => filter.addMany(keys as Key[])).toThrow(`keys[${at}] must be ${shown}`);
      // Of an array, at most 768 are read before they are checked.
      const most = keysOf === proxied ? 768 : 1;
      expect(reads.length - at).toBeGreaterThan(0);
      expect(reads.length - at).toBeLessThanOrEqual(most);
      expect(reads).toEqual(range(0, reads.length));
      expect(filter.equals(make().addMany(names(at)))).toBe(true);
      expect(closed).toBe(Number(isClosed));
    }
  });

  it('may use filters while they are read, and dispose of the one that reads them', () => {
    const [filter, other] = [make(), make()];
    const busy = (i: number): Key => {
      other.addMany([`other ${i}`, 'long '.repeat(50)]);
      filter.has(`something else ${i}`);
      return nameAt(i);
    };
    expect(filter.addMany(keysOf(5000, busy) as Key[]).equals(make().addMany(names(5000)))).toBe(true);
    closed = 0;
    const last = (i: number): Key => {
      if (i === 1000) filter.dispose();
      return nameAt(i);
    };
    expect(() => filter.addMany(keysOf(5000, last) as Key[])).toThrow('after dispose()');
    expect(closed).toBe(Number(isClosed));
  });
});

it.each([
  [64, 100],
  [1000, 900],
  [1000, 1100],
])('after long strings, keys are checked as they are hashed: %i of them, a wrong key at %i', (count, at) => {
  const keys: Key[] = [...names(count).map((name) => name.padEnd(300)), ...range(0, 1000)];
  expect(make().dedupe([...keys, ...keys])).toEqual(keys);
  for (const wrong of [undefined, null, {}, 1.5, Uint16Array.of(1)] as never[]) {
    const filter = make();
    expect(() => filter.addMany(keys.with(at, wrong))).toThrow(`keys[${at}] must be `);
    expect(filter.equals(make().addMany(keys.slice(0, at)))).toBe(true);
  }
});

it('what is no key may run user code as it is shown, once and when nothing is being hashed', () => {
  const filter = make();
  const buffer = new ArrayBuffer(4);
  let shown = 0;
  const wrong = {
    get constructor() {
      shown++;
      structuredClone(buffer, { transfer: [buffer] });
      filter.dispose();
      return { name: 'Wrong' };
    },
  };
  const keys = ['a', 1, 'b', new Uint8Array(buffer), 'c', wrong, 'd'] as Key[];
  expect(() => filter.addMany(new Set(keys))).toThrow('keys[5] must be a string, a Uint8Array, an integer or a bigint');
  expect(shown).toBe(1);
});

describe.each(iterables)('keys of $name', ({ keysOf }) => {
  it.each<[string, number, number, KeyAt]>([
    ['few long keys', 200, 10, (i) => (i % 2 ? `${i}`.padEnd(10_000) : text(`${i}`.padEnd(10_000)))],
    ['at most 768 keys', 3000, 850, (i) => i],
  ])('are read ahead, never as a whole: %s', (_, count, most, keyOf) => {
    const filter = make();
    let behind = 0;
    const keyAt = (i: number): Key => {
      behind = Math.max(behind, i - filter.estimateCount());
      return keyOf(i);
    };
    filter.addMany(keysOf(count, keyAt) as Key[]);
    expect(behind).toBeGreaterThan(0);
    expect(behind).toBeLessThan(most);
    expect(filter.omit(range(0, count).map(keyOf))).toEqual([]);
  });

  it('may be the same buffer with new content each time', () => {
    const record = new Uint8Array(2);
    const keyAt = (i: number): Key => {
      record.set([i & 255, i >> 8]);
      return record;
    };
    const filter = make().addMany(keysOf(500, keyAt) as Key[]);
    expect(filter.hasMany(keysOf(500, keyAt) as Key[], undefined)).toEqual(new Uint8Array(500).fill(1));
    expect(filter.has(Uint8Array.of(5, 1))).toBe(true);
    expect(Math.round(filter.estimateCount())).toBe(500);
  });
});

it.each<[string, (keys: Iterable<Key>) => Iterable<Key> | KeyItems<Iterable<Key>>]>([
  ['keys', (keys) => keys],
  ['items', (keys) => by(keys, (key) => key)],
])('iterables are opened only if all other arguments are right, and closed once: %s', (_, form) => {
  const log: string[] = [];
  const counted = (last: number, value: Key): Iterable<Key> => ({
    [Symbol.iterator]() {
      log.push('open');
      let at = 0;
      return {
        next: () => (at++ === last ? { done: true as const, value: undefined } : { done: false as const, value }),
        return() {
          log.push('close');
          throw new Error('from return');
        },
      };
    },
  });
  const keys = form(counted(9, 1.5)) as Iterable<Key>;
  const filter = make();
  expect(() => filter.addMany(keys, new Uint8Array(1))).toThrow(/^out needs a known number of keys/);
  expect(() => BloomFilter.from(keys as never)).toThrow(/^options\.capacity/);
  expect(log).toEqual([]);
  expect(() => filter.addMany(keys)).toThrow(/^keys\[0\] must be a safe integer/);
  expect(log).toEqual(['open', 'close']);
  // One that has ended is closed already.
  expect(BloomFilter.from(form(counted(9, 'a')) as never, { capacity: 10 }).has('a')).toBe(true);
  expect(log).toEqual(['open', 'close', 'open']);
  filter.dispose();
  expect(() => filter.addMany(keys)).toThrow('after dispose()');
  expect(log).toEqual(['open', 'close', 'open']);
  // An error of the filter is told, too, rather than one of closing.
  expect(() => new CuckooFilter({ capacity: 10 }).addMany(form(counted(1e9, 'a')) as never)).toThrow(FilterFullError);
  expect(log.slice(3)).toEqual(['open', 'close']);
  // Also where the answers are awaited.
  expect(() => [...new KeyReader(keys, make()[CELLS], 2).parts()]).toThrow(/^keys\[0\] must be a safe integer/);
  expect(log.slice(5)).toEqual(['open', 'close']);
});

type Item = Readonly<{ key: Key; place: number }>;

const keyOf = ({ key }: Item): Key => key;
const itemsOf = (keys: readonly Key[]): Item[] => keys.map((key, place) => ({ key, place }));

const key = fc.nat(60).chain((i) => fc.constantFrom<Key>(i, `key ${i}`, BigInt(i), Uint8Array.of(i)));
const keyLists = fc.array(key, { maxLength: 200, size: 'max' });

/** The same items in every collection that has them in order. */
const collections: readonly ((items: readonly Item[]) => Iterable<Item>)[] = [
  (items) => items,
  (items) => new Set(items),
  (items) => items.values(),
];

describe('items with a key each', () => {
  it('are the same keys as what the function returns for them, and are picked as the same objects, in order', () => {
    const property = fc.property(keyLists, keyLists, fc.constantFrom(...collections), (added, asked, collect) => {
      const filter = make().addMany(by(collect(itemsOf(added)), keyOf));
      expect(filter.equals(make().addMany(added))).toBe(true);
      const items = itemsOf(asked);
      const given = () => by(collect(items), keyOf);
      const flags = filter.hasMany(asked);
      expect(filter.hasMany(given())).toEqual(flags);
      const fresh = new Uint8Array(asked.length);
      filter.clone().addMany(asked, fresh);
      for (const [kept, isWanted] of [
        [filter.pick(given()), (i: number) => flags[i] === 1],
        [filter.omit(given()), (i: number) => flags[i] === 0],
        [filter.clone().dedupe(given()), (i: number) => fresh[i] === 1],
      ] as const) {
        expect(kept.map(({ place }) => place)).toEqual([...items.keys()].filter(isWanted));
        expect(kept.every((item) => item === items[item.place])).toBe(true);
      }
    });
    fc.assert(property, { seed: 36, numRuns: 60 });
  });

  it.each([0, 1, 767, 768, 769, CHUNK_KEYS, 2 * CHUNK_KEYS + 1])('may be %i, with a key asked for once', (count) => {
    const items = itemsOf(Array.from({ length: count }, (_item, i) => (i % 100 < 90 ? `key ${i}` : i)));
    const asked: number[] = [];
    const filter = make();
    const once = (item: Item, ...rest: unknown[]): Key => {
      expect(rest).toEqual([]);
      asked.push(item.place);
      return item.key;
    };
    expect(filter.dedupe(by(items, once))).toEqual(items);
    expect(asked).toEqual([...items.keys()]);
    expect(filter.pick(by(items, keyOf))).toEqual(items);
  });

  it('may have keys of any length, or be pairs of a Map, numbers or strings', () => {
    const items = itemsOf(['', 'x'.repeat(20_000), 'é'.repeat(100_000), new Uint8Array(200_000), 'a']);
    const filter = make().addMany(by(items.slice(0, 4), keyOf));
    expect(filter.pick(by(items, keyOf))).toEqual(items.slice(0, 4));
    expect(filter.omit(by(items, keyOf))).toEqual(items.slice(4));
    const ages = new Map(Object.entries({ ada: 36, bob: 7 }));
    filter.addMany(['ada', 4]);
    expect(filter.pick(by(ages, ([name]) => name))).toEqual([['ada', 36]]);
    expect(filter.pick(by([1, 2], (n) => 2 * n))).toEqual([2]);
    expect(filter.omit(by(new Set(['ADA', 'BOB']), (name) => name.toLowerCase()))).toEqual(['BOB']);
  });

  it('may change their collection in the function, and use the filter', () => {
    const names = new Set(Array.from({ length: 2000 }, (_item, i) => `key ${i}`));
    const taken = make().dedupe(by(names, (name) => (names.delete(name) ? name : '')));
    expect([taken.length, names.size]).toEqual([2000, 0]);
    const list = [1, 2, 3];
    const grown = make().dedupe(by(list, (i) => (list.length < 1000 ? list.push(i) : i)));
    expect(grown.length).toBe(list.length);
    const shrunk = [1, 2, 3, 4];
    const shrink = (i: number): number => {
      shrunk.length = 2;
      return i;
    };
    expect(make().dedupe(by(shrunk, shrink))).toEqual([1, 2]);
    const many = range(0, 2000);
    const cut = (i: number): number => (i < 767 || many.splice(2).length > 0 ? i : -1);
    expect(make().dedupe(by(many, cut))).toEqual(range(0, 768));
    const filter = make();
    const fresh = filter.dedupe(by(itemsOf([1, 2, 3]), ({ key }) => (filter.add(`seen ${key}`) ? key : 0)));
    expect([fresh.map(keyOf), filter.has('seen 3')]).toEqual([[1, 2, 3], true]);
  });

  it('know their number if they are an array, a Set or a Map', () => {
    const names = ['ada', 'bob', 'eve'];
    const upper = (name: string): string => name.toUpperCase();
    const counted = [
      BloomFilter.from(by(names, upper)),
      BloomFilter.from(by(new Set(names), upper)),
      BloomFilter.from(new Set(names.map(upper))),
      BloomFilter.from(by(new Map(names.map((name) => [name, 1])), ([name]) => upper(name))),
    ];
    for (const filter of counted) expect([filter.capacity, filter.has('ADA')]).toEqual([3, true]);
    const flags = new Uint8Array(3);
    counted[0]?.hasMany(by(['bob', 'Bob', 'ada'], upper), flags);
    expect([...flags]).toEqual([1, 1, 1]);
    const generated = by(names.values(), upper);
    expect(() => BloomFilter.from(generated as never)).toThrow(/^options\.capacity must be given/);
    expect(() => counted[0]?.hasMany(generated, flags)).toThrow(/^out needs a known number of keys/);
    expect(ScalableBloomFilter.from(generated).has('EVE')).toBe(true);
  });

  it('are refused unless they are an iterable object and a function', () => {
    for (const items of [undefined, null, 7, 'abc', {}]) {
      expect(() => by(items as never, String)).toThrow(/^items must be an array or another iterable, got /);
      expect(() => new KeyItems(items as never, String)).toThrow(TypeError);
    }
    for (const wrong of [undefined, null, 'id', {}]) {
      expect(() => by(['a'], wrong as never)).toThrow(/^keyOf must be a function, got /);
    }
    expect(by(['a'], String)).toEqual(new KeyItems(['a'], String));
  });

  it('go to removeMany, and with labels', () => {
    const items = itemsOf(['a', 'b', 'a']);
    const counting = CountingBloomFilter.from(by(items, keyOf));
    expect(counting.countOf('a')).toBe(2);
    expect(counting.removeMany(by(items, keyOf)).fillRatio()).toBe(0);
    const spatial = SpatialBloomFilter.from([
      [1, by(items.slice(0, 1), keyOf)],
      [2, by(items.slice(1, 2), keyOf)],
    ]);
    expect([...spatial.labelsOf(by(items, keyOf))]).toEqual([1, 2, 1]);
  });
});
