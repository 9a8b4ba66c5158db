// What the kinds that store each copy of a key, until they are full, have in common.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CuckooFilter, expectedCuckooErrorRate } from '../../src/entries/cuckoo.ts';
import { DLeftCountingBloomFilter } from '../../src/entries/dleft.ts';
import type { BoundedFilter } from '../../src/filters/bounded-filter.ts';
import { BloomFilter, FilterFullError, type Key } from '../../src/index.ts';
import { errorOf } from '../format/saved.ts';
import { awkwardKeys } from '../shared/awkward.ts';
import { range } from '../shared/integers.ts';
import { Cuckoo, DLeft } from '../shared/oracle-buckets.ts';
import { refuses } from '../shared/refuses.ts';

/** What every such filter has. Not the abstract class itself, so that the test can extend the classes. */
type Filter = Pick<BoundedFilter, keyof BoundedFilter>;

interface FilterClass {
  readonly name: string;
  new (options: object): Filter;
  from(keys: Iterable<Key>, options?: object): Filter;
  fromBytes(bytes: Uint8Array): Filter;
}

/** A number of buckets, of bits per fingerprint or remainder, and a seed. */
type Shape = readonly [buckets: number, bits: number, seed: number];
type Oracle = Pick<Cuckoo | DLeft, 'count' | 'store' | 'remove' | 'countOf' | 'bytes'> & {
  merge(other: never): boolean;
};

/** A kind, and the sizes at which its limits are reached. */
interface Subject {
  readonly Class: FilterClass;
  readonly bitsName: string;
  readonly cellName: string;
  /** How many keys and copies of keys a cell and a bucket can hold, and how often a key can be stored. */
  readonly most: readonly [perCell: number, perBucket: number, copies: number];
  readonly shapes: readonly Shape[];
  /** Sizes at which not all of `keys` integers have room. */
  readonly tooSmall: readonly (readonly [shape: Shape, keys: number])[];
  /** Room for most of 3000 keys, for 4097 to 9000, and for 160,000 in more than one part of the scratch. */
  readonly rooms: readonly [roomy: Shape, overfull: Shape, large: Shape];
  /** A capacity, and how many keys such a filter holds at 10^-6. */
  readonly small: { readonly capacity: number; readonly holds: number };
  /** The numbers of cells for 1000 and for 100 keys at 0.01. */
  readonly cells: readonly [of1000: number, of100: number];
  /** The bits per cell at 0.01 and at another error rate. */
  readonly cellBits: { readonly usual: number; readonly errorRate: number; readonly other: number };
  oracleOf(shape: Shape): Oracle;
  /** The number of cells in use. */
  usedOf(oracle: Oracle): number;
  /** The error rate for a number of keys, buckets, bits and cells in use. */
  rateOf(count: number, buckets: number, bits: number, used: number): number;
}

const cuckoo: Subject = {
  Class: CuckooFilter as object as FilterClass,
  bitsName: 'fingerprintBits',
  cellName: 'slots',
  most: [1, 4, 8],
  shapes: [
    [2, 7, 0],
    [10, 15, 2],
    // The seed is the length of the keys, which are integers.
    [14, 9, 8],
    [2, 32, 2 ** 32 - 1],
  ],
  // At these sizes a search visits up to 1024 buckets. With the first two seeds, the last one has the only free slot.
  tooSmall: [
    [[400, 7, 108], 1600],
    [[1002, 8, 129], 4008],
    [[1002, 32, 0], 4008],
  ],
  rooms: [
    [3000, 12, 3],
    [2000, 20, 0],
    [50_000, 17, 1],
  ],
  small: { capacity: 8, holds: 8 },
  cells: [1080, 128],
  cellBits: { usual: 10, errorRate: 0.0001, other: 17 },
  oracleOf: (shape) => new Cuckoo(...shape),
  usedOf: ({ count }) => count,
  rateOf: expectedCuckooErrorRate,
};

const dleft: Subject = {
  Class: DLeftCountingBloomFilter as object as FilterClass,
  bitsName: 'remainderBits',
  cellName: 'cells',
  most: [3, 32, 96],
  shapes: [
    [1, 4, 0],
    [3, 13, 2],
    // The seed is the length of the keys, which are integers.
    [4, 6, 8],
    [2, 15, 4],
    [3, 30, 2 ** 32 - 1],
  ],
  tooSmall: [
    [[20, 4, 108], 2000],
    [[20, 14, 129], 640],
    [[20, 15, 0], 640],
  ],
  rooms: [
    [120, 12, 3],
    [250, 20, 0],
    [7000, 17, 1],
  ],
  small: { capacity: 18, holds: 32 },
  cells: [1344, 160],
  cellBits: { usual: 14, errorRate: 0.001, other: 17 },
  oracleOf: (shape) => new DLeft(...shape),
  usedOf: (oracle) => (oracle as DLeft).cells.filter(({ count }) => count > 0).length,
  rateOf: (_, buckets, bits, used) => used / (buckets * 2 ** bits),
};

const bodyOf = (filter: Filter): Uint8Array => filter.toBytes().subarray(64);

describe.each([cuckoo, dleft])('$Class.name, as every kind that can be full', (row) => {
  const { Class, bitsName, cellName, shapes, small, oracleOf, usedOf } = row;
  const [perCell, perBucket, mostCopies] = row.most;
  const [roomy, overfull, large] = row.rooms;
  const optionsOf = ([buckets, bits, seed]: Shape): object => ({ buckets, [bitsName]: bits, seed });
  const made = (shape: Shape): Filter => new Class(optionsOf(shape));
  const fullError = (name: string, code: 'FULL' | 'COPIES', reason: string, position = 0) =>
    new FilterFullError(`${name} does not fit: ${reason}`, { code, reason, position });

  it.each(shapes)('agrees with its oracle at every step: %i buckets, %i bits', (...shape) => {
    const verb = fc.constantFrom('add', 'add', 'add', 'remove', 'countOf', 'has');
    const most = perBucket * shape[0];
    fc.assert(
      fc.property(fc.array(fc.tuple(verb, fc.nat(1.25 * most)), { maxLength: 3 * most }), (steps) => {
        const filter = made(shape);
        const oracle = oracleOf(shape);
        for (const [step, key] of steps) {
          const copies = oracle.countOf(key);
          if (step === 'has') expect(filter.has(key)).toBe(copies > 0);
          else if (step === 'countOf') expect(filter.countOf(key)).toBe(copies);
          else if (step === 'remove') expect(filter.remove(key)).toBe(oracle.remove(key));
          else if (oracle.store(key)) expect(filter.add(key)).toBe(copies === 0);
          else expect(() => filter.add(key)).toThrow(FilterFullError);
        }
        expect(bodyOf(filter)).toEqual(oracle.bytes());
        expect([filter.count, filter.fillRatio()]).toEqual([oracle.count, usedOf(oracle) / filter.cellCount]);
      }),
      { numRuns: 30 },
    );
  });

  it.each(row.tooSmall)('agrees with its oracle when it is full: %j', (shape, keyCount) => {
    const [filter, oracle] = [made(shape), oracleOf(shape)];
    const keys = range(0, keyCount);
    const refused = keys.filter((key) => !oracle.store(key));
    expect(refused).not.toEqual([]);
    expect(keys.filter((key) => refuses(filter, key))).toEqual(refused);
    expect(bodyOf(filter)).toEqual(oracle.bytes());
    const gone = keys.slice(0, keyCount / 4);
    expect(gone.map((key) => filter.remove(key))).toEqual(gone.map((key) => oracle.remove(key)));
    expect(bodyOf(filter)).toEqual(oracle.bytes());
    expect(filter.count).toBe(oracle.count);
  });

  it('adds and removes keys of all types, in a batch as one by one', () => {
    // Some of the keys come more than eight times.
    const oracle = oracleOf(roomy);
    const keys = awkwardKeys(3000, 11).filter((key) => oracle.store(key));
    const gone = [...keys.slice(0, 1000), ...awkwardKeys(1000, 12)];
    const batch = made(roomy).addMany(keys);
    expect(Buffer.compare(bodyOf(batch), oracle.bytes())).toBe(0);
    const single = batch.clone();
    const removed = new Uint8Array(gone.length);
    expect(batch.removeMany(gone, removed)).toBe(batch);
    const expected = gone.map((key) => Number(oracle.remove(key)));
    expect([...removed]).toEqual(expected);
    expect(new Set(expected)).toEqual(new Set([0, 1]));
    expect(gone.map((key) => Number(single.remove(key)))).toEqual(expected);
    for (const each of [single, batch]) expect(Buffer.compare(bodyOf(each), oracle.bytes())).toBe(0);
  });

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
    expect(errorOf(() => filter.add('a'))).toEqual(fullError('key', 'FULL', reason));
    expect(errorOf(() => filter.addMany(['a']))).toEqual(fullError('keys[0]', 'FULL', reason));
    expect(errorOf(() => filter.dedupe([3, 4, 'a', 5]))).toEqual(fullError('keys[2]', 'FULL', reason, 2));
    expect(filter.hasMany(range(0, holds))).not.toContain(0);
    expect([filter.remove(5), filter.add('a')]).toEqual([true, true]);
    expect([filter.has('a'), filter.has(5), filter.count]).toEqual([true, false, holds]);
    filter.clear();
    expect([filter.count, filter.add('a'), filter.count]).toEqual([0, true, 1]);
  });

  // test/util/checks/errors.test.ts has the position, however the keys come.
  it('a batch that is refused has added the keys before, and gives their flags', () => {
    const keys = range(0, 9000);
    const single = made(overfull);
    const first = keys.findIndex((key) => refuses(single, key));
    expect(first).toBeGreaterThan(4096);
    const filter = made(overfull);
    const flags = new Uint8Array(9000).fill(7);
    expect(errorOf(() => filter.addMany(Uint32Array.from(keys), flags))).toMatchObject({ position: first });
    expect([filter.count, filter.omit(keys.slice(0, first))]).toEqual([first, []]);
    expect(Buffer.compare(bodyOf(filter), bodyOf(single))).toBe(0);
    expect([...flags.subarray(0, first)]).toEqual(keys.slice(0, first).map(() => 1));
  });

  it('dedupe stores each key once', () => {
    const filter = new Class({ capacity: 50, errorRate: 1e-6 });
    expect([filter.dedupe([1, 2, 1, 3, 2]), filter.dedupe([3, 4])]).toEqual([[1, 2, 3], [4]]);
    expect(bodyOf(filter)).toEqual(bodyOf(new Class({ capacity: 50, errorRate: 1e-6 }).addMany([1, 2, 3, 4])));
  });

  it('counts its keys after it is loaded, cloned and changed', () => {
    const filter = new Class({ capacity: 5000 }).addMany(range(0, 4800)).addMany(range(0, 100));
    filter.removeMany(range(0, 200));
    const loaded = Class.fromBytes(filter.toBytes());
    const copy = loaded.clone().removeMany(range(200, 300));
    expect(copy.add('a')).toBe(true);
    expect([copy.count, copy.estimateCount(), loaded.count, filter.count]).toEqual([4601, 4601, 4700, 4700]);
    const { buckets, [bitsName]: bits } = copy as object as Record<string, number>;
    const used = Math.round(copy.fillRatio() * copy.cellCount);
    expect(used).toBeLessThanOrEqual(4601);
    expect(used).toBeGreaterThan(4550);
    expect(copy.estimateErrorRate()).toBe(row.rateOf(4601, buckets as number, bits as number, used));
    expect(new Class({ capacity: 10 }).addMany(['a']).removeMany(['a', 'a']).count).toBe(0);
  });

  it.each(shapes)('holds the keys of both after a union, or refuses: %i buckets, %i bits', (...shape) => {
    const most = perBucket * shape[0];
    const someKeys = fc.array(fc.nat(1.5 * most), { maxLength: 1.25 * most });
    fc.assert(
      fc.property(someKeys, someKeys, (one, two) => {
        const [filter, other] = [made(shape), made(shape)];
        const [oracle, others] = [oracleOf(shape), oracleOf(shape)];
        filter.addMany(one.filter((key) => oracle.store(key)));
        const held = two.filter((key) => others.store(key));
        other.addMany(held);
        const [before, otherBefore] = [filter.toBytes(), other.toBytes()];
        if (oracle.merge(others as never)) {
          const both = filter.union(other);
          expect(bodyOf(both)).toEqual(oracle.bytes());
          expect(filter.toBytes()).toEqual(before);
          expect(filter.merge(other)).toBe(filter);
          expect(filter.toBytes()).toEqual(both.toBytes());
          for (const each of [both, filter, filter.clone()]) expect(each.count).toBe(oracle.count);
          for (const key of held) expect(filter.remove(key)).toBe(true);
        } else {
          expect(() => filter.union(other)).toThrow(/^other does not fit: /);
          expect(() => filter.merge(other)).toThrow(FilterFullError);
          expect(filter.toBytes()).toEqual(before);
          expect(filter.count).toBe(filter.clone().count);
        }
        expect(other.toBytes()).toEqual(otherBefore);
      }),
      { numRuns: 15 },
    );
  });

  it('merges filters of other memories and capacities, and with itself', () => {
    const filter = Class.from(range(0, 80_000), optionsOf(large));
    expect(filter.merge(Class.from(range(70_000, 150_000), optionsOf(large))).count).toBe(160_000);
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
    const [some, more] = [made([shapes[0]?.[0] ?? 0, 20, 0]), made([shapes[0]?.[0] ?? 0, 20, 0])];
    more.addMany(Array<string>(mostCopies / 2).fill('a'));
    some.merge(more).addMany(['b']);
    expect(errorOf(() => some.merge(more))).toMatchObject({ code: 'FULL' });
    const { usual, errorRate, other } = row.cellBits;
    const gone = new Class({ capacity: 1000 });
    gone.dispose();
    for (const [wrong, message] of [
      [new Class({ capacity: 1000, errorRate }), `cellBits of other must be ${usual}, got ${other}`],
      [
        new Class({ capacity: 100 }),
        `other must have ${of1000} ${cellName} for capacity 1000 at 0.01, got ${of100} ${cellName} for capacity 100 at 0.01`,
      ],
      [new Class({ capacity: 1000, seed: 1 }), 'seed of other must be 0, got 1'],
      [new BloomFilter({ capacity: 10 }), `other must be a ${Class.name}, got a BloomFilter`],
      [null, `other must be a ${Class.name}, got null`],
      [['a'], `other must be a ${Class.name}, got an object (Array)`],
      [gone, 'the filter was used after dispose()'],
    ] as [never, string][]) {
      for (const verb of ['merge', 'union'] as const) expect(() => filter[verb](wrong)).toThrow(message);
    }
    for (const use of [() => gone.merge(filter), () => gone.count]) expect(use).toThrow(/after dispose\(\)/);
    expect(bodyOf(filter)).toEqual(body);
  });
});
