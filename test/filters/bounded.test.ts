// What the kinds that store each copy of a key, until they are full, have in common.

import { describe, expect, it } from 'vitest';
import { CuckooFilter, expectedCuckooErrorRate } from '../../src/entries/cuckoo.ts';
import { DLeftCountingBloomFilter } from '../../src/entries/dleft.ts';
import type { BoundedFilter } from '../../src/filters/bounded-filter.ts';
import { FilterFullError, type Key } from '../../src/index.ts';
import type { Engine } from '../../src/kernel/region.ts';
import { bodyOf, errorOf } from '../format/saved.ts';
import { range } from '../shared/integers.ts';
import { classOn, watched } from '../shared/open.ts';

/** What every such filter has. Not the abstract class itself, so that the test can extend the classes. */
type Filter = Pick<BoundedFilter, keyof BoundedFilter>;

interface FilterClass {
  readonly name: string;
  readonly engine: Engine;
  new (options: object): Filter;
  from(keys: Iterable<Key>, options?: object): Filter;
  fromBytes(bytes: Uint8Array): Filter;
}

/** The kinds, and the sizes at which their limits are reached. */
const rows = [
  {
    Class: CuckooFilter as object as FilterClass,
    bitsName: 'fingerprintBits',
    cellName: 'slots',
    /** How many copies of a key a cell can hold, and a filter. */
    most: [1, 8],
    /** Buckets, bits per fingerprint or remainder: room for 160,000 keys in more than one part of the scratch. */
    large: [50_000, 17],
    /** A capacity, and how many keys such a filter holds at 10^-6. */
    small: { capacity: 8, holds: 8 },
    /** The numbers of cells for 1000 and for 100 keys at 0.01. */
    cells: [1080, 128],
    /** The bits per cell at 0.01 and at another error rate. */
    cellBits: { usual: 10, errorRate: 0.0001, other: 17 },
    /** The error rate for a number of keys, buckets, bits and cells in use. */
    rateOf: expectedCuckooErrorRate,
  },
  {
    Class: DLeftCountingBloomFilter as object as FilterClass,
    bitsName: 'remainderBits',
    cellName: 'cells',
    most: [3, 96],
    large: [7000, 17],
    small: { capacity: 18, holds: 32 },
    cells: [1344, 160],
    cellBits: { usual: 14, errorRate: 0.001, other: 17 },
    rateOf: (_: number, buckets: number, bits: number, used: number) => used / (buckets * 2 ** bits),
  },
] as const;

describe.each(rows)('$Class.name, as every kind that can be full', (row) => {
  const { Class, bitsName, cellName, small } = row;
  const [perCell, mostCopies] = row.most;
  const fullError = (name: string, code: 'FULL' | 'COPIES', reason: string, position = 0) =>
    new FilterFullError(`${name} does not fit: ${reason}`, { code, reason, position });

  it('stores a limited number of copies of a key', () => {
    const filter = new Class({ capacity: 1000 });
    for (let times = 0; times < mostCopies; times++) {
      expect([filter.countOf('a'), filter.count, filter.add('a')]).toEqual([times, times, times === 0]);
      expect(filter.fillRatio()).toBe((Math.floor(times / perCell) + 1) / filter.cellCount);
    }
    const body = bodyOf(filter);
    const reason = `its fingerprint is stored ${mostCopies} times already, in all ${cellName} of its buckets`;
    expect(errorOf(() => filter.add('a'))).toEqual(fullError('key', 'COPIES', reason));
    expect(errorOf(() => filter.addMany(['a', 'b']))).toEqual(fullError('keys[0]', 'COPIES', reason));
    expect(bodyOf(filter)).toEqual(body);
    expect(filter.add('b')).toBe(true);
    for (let times = mostCopies; times > 0; times--) {
      expect([filter.countOf('a'), filter.remove('a')]).toEqual([times, true]);
    }
    expect([filter.remove('a'), filter.has('a'), filter.has('b'), filter.count]).toEqual([false, false, true, 1]);
  });

  it('refuses a key when it is full, says so, and takes it after one is removed', () => {
    const { capacity, holds } = small;
    const filter = new Class({ capacity, errorRate: 1e-6 }).addMany(range(0, holds));
    const reason = `its buckets are full; the filter has ${holds} keys in ${holds} ${cellName}, made for ${capacity} keys`;
    for (const key of ['a', 'a'.repeat(200_000)])
      expect(errorOf(() => filter.add(key))).toEqual(fullError('key', 'FULL', reason));
    expect(errorOf(() => filter.addMany(['a']))).toEqual(fullError('keys[0]', 'FULL', reason));
    expect(errorOf(() => filter.dedupe([3, 4, 'a', 5]))).toEqual(fullError('keys[2]', 'FULL', reason, 2));
    expect(filter.hasMany(range(0, holds))).not.toContain(0);
    expect([filter.remove(5), filter.add('a')]).toEqual([true, true]);
    expect([filter.has('a'), filter.has(5), filter.count]).toEqual([true, false, holds]);
    filter.removeMany([1, 2]);
    expect(errorOf(() => filter.dedupe(new Set([2, 1, -1])))).toMatchObject({ position: 2 });
    expect(filter.count).toBe(holds);
    filter.clear();
    expect([filter.count, filter.add('a'), filter.count]).toEqual([0, true, 1]);
    // It stores each key once.
    expect([filter.dedupe(['a', 'b', 'b']), filter.countOf('a'), filter.countOf('b')]).toEqual([['b'], 1, 1]);
  });

  it('dedupe stores each of many keys once', () => {
    const size = { capacity: 5000, errorRate: 1e-6 };
    const filter = new Class(size);
    expect(filter.dedupe([...range(0, 3000), ...range(0, 4500)])).toEqual(range(0, 4500));
    expect(bodyOf(filter)).toEqual(bodyOf(new Class(size).addMany(range(0, 4500))));
  });

  it('counts its keys after it is loaded, cloned and changed', () => {
    const filter = new Class({ capacity: 5000 }).addMany(range(0, 4800)).addMany(range(0, 100));
    filter.removeMany(range(0, 200));
    const loaded = Class.fromBytes(filter.toBytes());
    const copy = loaded.clone().removeMany(range(200, 300));
    // Longer than the scratch.
    expect(copy.add('a'.repeat(200_000))).toBe(true);
    expect([copy.count, copy.estimateCount(), loaded.count, filter.count]).toEqual([4601, 4601, 4700, 4700]);
    const { buckets, [bitsName]: bits } = copy as object as Record<string, number>;
    const used = Math.round(copy.fillRatio() * copy.cellCount);
    expect(used).toBeLessThanOrEqual(4601);
    expect(used).toBeGreaterThan(4550);
    expect(copy.estimateErrorRate()).toBe(row.rateOf(4601, buckets as number, bits as number, used));
    expect(new Class({ capacity: 10 }).addMany(['a']).removeMany(['a', 'a']).count).toBe(0);
    loaded.clear();
    expect(loaded.count).toBe(0);
  });

  it('merges filters of other memories and capacities, and with itself', () => {
    const large = { buckets: row.large[0], [bitsName]: row.large[1], seed: 1 };
    const filter = Class.from(range(0, 80_000), large);
    expect(filter.merge(Class.from(range(70_000, 150_000), large)).count).toBe(160_000);
    expect([filter.countOf(75_000), filter.countOf(1)]).toEqual([2, 1]);
    expect(filter.removeMany(range(70_000, 80_000)).hasMany(range(0, 150_000))).not.toContain(0);
    expect(filter.removeMany(range(0, 150_000)).fillRatio()).toBe(0);
    const twice = new Class({ capacity: 100 }).addMany(['a', 'b', 'b']);
    expect(twice.merge(twice)).toBe(twice);
    expect([twice.count, twice.countOf('a'), twice.countOf('b')]).toEqual([6, 2, 4]);
    const promised = new Class({ capacity: 100, errorRate: 0.01 });
    const { buckets, [bitsName]: bits } = promised as object as Record<string, number>;
    expect(promised.union(new Class({ buckets, [bitsName]: bits }))).toMatchObject({ capacity: 100, errorRate: 0.01 });
    class Sessions extends Class {}
    expect(new Sessions({ capacity: 100 }).union(promised)).toBeInstanceOf(Sessions);
  });

  it('gives back the memory that a union took, also if there is no room', () => {
    const { engine, regions } = watched(Class.engine);
    const Watched = classOn(Class, engine);
    const filter = new Watched({ capacity: 1000 }).addMany(range(0, 1000));
    const other = new Watched({ capacity: 1000 }).addMany(range(1000, 2000));
    for (const call of [() => filter.union(other), () => filter.merge(other)]) expect(call).toThrow(FilterFullError);
    filter.merge(new Watched({ capacity: 1000 }));
    expect(regions.map(({ disposed }) => disposed)).toEqual([false, false, true, true, false, true]);
  });

  it('says why two filters cannot be merged', () => {
    const filter = Class.from(range(0, 1000));
    const body = bodyOf(filter);
    const [of1000, of100] = row.cells;
    const full = `no room for 1000 keys beside 1000 in ${of1000} ${cellName}, made for 1000 keys`;
    expect(errorOf(() => filter.merge(Class.from(range(1000, 2000))))).toEqual(fullError('other', 'FULL', full));
    const half = mostCopies / 2 + 1;
    const copies = new Class({ capacity: 1000 }).addMany(Array<string>(half).fill('a'));
    const many = `a fingerprint would be stored more than ${mostCopies} times, in all ${cellName} of its buckets`;
    expect(errorOf(() => copies.merge(copies))).toEqual(fullError('other', 'COPIES', many));
    expect(copies.count).toBe(half);
    // As many copies as can be, but another key is in their way.
    const [some, more] = [0, 1].map(() => new Class({ capacity: 1, errorRate: 1e-6 })) as [Filter, Filter];
    more.addMany(Array<string>(mostCopies / 2).fill('a'));
    some.merge(more).addMany(['b']);
    expect(errorOf(() => some.merge(more))).toMatchObject({ code: 'FULL' });
    expect(errorOf(() => some.addMany(Array<string>(mostCopies).fill('a')))).toMatchObject({ code: 'FULL' });
    const { usual, errorRate, other } = row.cellBits;
    const gone = new Class({ capacity: 1000 });
    gone.dispose();
    const wanted = `other must have ${of1000} ${cellName} for capacity 1000 at 0.01`;
    for (const [wrong, message] of [
      [new Class({ capacity: 1000, errorRate }), `cellBits of other must be ${usual}, got ${other}`],
      [new Class({ capacity: 100 }), `${wanted}, got ${of100} ${cellName} for capacity 100 at 0.01`],
      [['a'], `other must be a ${Class.name}, got an object (Array)`],
      [gone, 'the filter was used after dispose()'],
    ] as [never, string][]) {
      for (const verb of ['merge', 'union'] as const) expect(() => filter[verb](wrong)).toThrow(message);
    }
    for (const use of [() => gone.merge(filter), () => gone.count]) expect(use).toThrow(/after dispose\(\)/);
    expect(bodyOf(filter)).toEqual(body);
  });
});
