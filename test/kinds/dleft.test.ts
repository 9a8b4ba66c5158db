// What only the d-left counting filter has: cells that count, and tables of buckets.

import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as wasmEntry from '../../src/entries/dleft.ts';
import * as jsEntry from '../../src/entries/dleft-js.ts';
import { addLines, BloomFilter, column, FilterFullError, type Key, lines } from '../../src/index.ts';
import { errorOf, expectRefused, forge } from '../format/saved.ts';
import { awkwardKeys } from '../shared/awkward.ts';
import { DLeft, murmur3 } from '../shared/oracle.ts';

const { expectedDLeftErrorRate, optimalDLeftBuckets, optimalRemainderBits } = wasmEntry;
const entries = [
  { name: 'wasm', DLeftCountingBloomFilter: wasmEntry.DLeftCountingBloomFilter },
  { name: 'js', DLeftCountingBloomFilter: jsEntry.DLeftCountingBloomFilter },
] as const;
type Filter = wasmEntry.DLeftCountingBloomFilter;

/** Integers from … to − 1. */
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
const bodyOf = (filter: Filter): Uint8Array => filter.toBytes().subarray(64);
const digestOf = (bytes: Uint8Array): string => murmur3(bytes, 0)[0].toString(16).padStart(16, '0');

/** Whether there is no room for a key. */
function refuses(filter: Filter, key: Key): boolean {
  try {
    filter.add(key);
    return false;
  } catch (error) {
    if (error instanceof FilterFullError) return true;
    throw error;
  }
}

/** Values that an independent implementation computed. */
interface Vector {
  readonly options: wasmEntry.DLeftCountingBloomFilterOptions;
  readonly size: readonly [buckets: number, remainderBits: number];
  /** The integers below this are added, one after the other. */
  readonly keys: number;
  /** How often each is added in turn. */
  readonly times: number;
  readonly refused: number;
  /** How many removals follow: of the keys in turn, from 0 on again after the last. */
  readonly removed: number;
  readonly count: number;
  readonly countOf0: number;
  /** How many of the next 2000 integers look present. */
  readonly positives: number;
  /** h1 of the hash of the body. */
  readonly digest: string;
}

function vector(
  options: Vector['options'],
  size: Vector['size'],
  [keys, times, removed]: readonly [number, number, number],
  [refused, count, countOf0, positives]: readonly [number, number, number, number],
  digest: string,
): Vector {
  return { options, size, keys, times, refused, removed, count, countOf0, positives, digest };
}

const vectors: readonly Vector[] = [
  vector({ capacity: 1, errorRate: 0.01 }, [1, 7], [1, 1, 0], [0, 1, 1, 10], '0c60763ea623f1c3'),
  vector({ capacity: 8, errorRate: 0.1 }, [1, 7], [8, 1, 0], [0, 8, 1, 134], 'c65fdba00a0e9d49'),
  vector({ buckets: 1, remainderBits: 4 }, [1, 4], [40, 1, 0], [0, 40, 4, 2000], 'a7f52355b8055a5c'),
  vector({ capacity: 10, errorRate: 0.01 }, [1, 10], [3, 10, 15], [0, 15, 5, 7], '7641c67293da954d'),
  vector({ capacity: 100, errorRate: 0.01 }, [5, 11], [100, 1, 0], [0, 100, 1, 19], '3d0d1c3ede6bede4'),
  vector({ capacity: 100, errorRate: 0.001, seed: 7 }, [5, 15], [100, 2, 50], [0, 150, 1, 2], '8502a39a913f11c1'),
  vector({ capacity: 1000, errorRate: 0.01 }, [42, 12], [1000, 1, 300], [0, 700, 0, 13], '557f83617f069843'),
  vector({ capacity: 1000, errorRate: 1e-6 }, [42, 25], [1000, 1, 0], [0, 1000, 1, 0], '22325dafac62b181'),
  vector({ buckets: 37, remainderBits: 12 }, [37, 12], [1184, 1, 0], [14, 1170, 1, 22], '9904eb937c4f46f3'),
  vector({ buckets: 37, remainderBits: 30 }, [37, 30], [800, 4, 800], [796, 1794, 3, 0], '612cca99822c1818'),
];

const shapes = [
  { buckets: 1, remainderBits: 4, seed: 0 },
  { buckets: 2, remainderBits: 5, seed: 1 },
  { buckets: 3, remainderBits: 13, seed: 2 },
  { buckets: 5, remainderBits: 14, seed: 3 },
  // The seed is the length of the keys, which are integers.
  { buckets: 4, remainderBits: 6, seed: 8 },
  { buckets: 2, remainderBits: 15, seed: 4 },
  { buckets: 1, remainderBits: 29, seed: 5 },
  { buckets: 3, remainderBits: 30, seed: 2 ** 32 - 1 },
];

describe.each(entries)('DLeftCountingBloomFilter: $name', ({ name, DLeftCountingBloomFilter }) => {
  it.each(vectors)('agrees with an independent implementation: $digest', (row) => {
    const filter = new DLeftCountingBloomFilter(row.options);
    expect([filter.buckets, filter.remainderBits]).toEqual(row.size);
    const keys = range(0, row.keys).flatMap((key) => Array<number>(row.times).fill(key));
    expect(keys.filter((key) => refuses(filter, key)).length).toBe(row.refused);
    const gone = range(0, row.removed).map((i) => i % row.keys);
    for (const key of gone) filter.remove(key);
    expect([filter.count, filter.countOf(0), digestOf(bodyOf(filter))]).toEqual([row.count, row.countOf0, row.digest]);
    expect(filter.pick(range(row.keys, row.keys + 2000)).length).toBe(row.positives);
    // In batches, each of which goes on after the key that has no room.
    const batch = new DLeftCountingBloomFilter(row.options);
    let rest = keys;
    for (let refused = 0; rest.length > 0; refused++) {
      expect(refused).toBeLessThanOrEqual(row.refused);
      try {
        batch.addMany(rest);
        rest = [];
      } catch (error) {
        rest = rest.slice((error as FilterFullError).position + 1);
      }
    }
    batch.removeMany(gone);
    expect([batch.count, digestOf(bodyOf(batch))]).toEqual([row.count, row.digest]);
  });

  it.each(shapes)(
    'agrees with its oracle at every step: $buckets buckets, $remainderBits bits',
    ({ buckets, remainderBits, seed }) => {
      const verb = fc.constantFrom('add', 'add', 'add', 'remove', 'countOf', 'has');
      fc.assert(
        fc.property(fc.array(fc.tuple(verb, fc.nat(40 * buckets)), { maxLength: 100 * buckets }), (steps) => {
          const filter = new DLeftCountingBloomFilter({ buckets, remainderBits, seed });
          const oracle = new DLeft(buckets, remainderBits, seed);
          for (const [step, key] of steps) {
            const copies = oracle.countOf(key);
            if (step === 'has') expect(filter.has(key)).toBe(copies > 0);
            else if (step === 'countOf') expect(filter.countOf(key)).toBe(copies);
            else if (step === 'remove') expect(filter.remove(key)).toBe(oracle.remove(key));
            else if (oracle.store(key)) expect(filter.add(key)).toBe(copies === 0);
            else expect(() => filter.add(key)).toThrow(FilterFullError);
          }
          expect(bodyOf(filter)).toEqual(oracle.bytes());
          expect(filter.count).toBe(oracle.count);
          expect(filter.fillRatio()).toBe(oracle.cells.filter(({ count }) => count > 0).length / (32 * buckets));
          filter.dispose();
        }),
        { numRuns: 40 },
      );
    },
  );

  it.each([
    [20, 4, 108],
    [20, 14, 129],
    [20, 15, 0],
    [20, 30, 8],
  ])('agrees with its oracle when it is full: %i buckets, %i bits, seed %i', (buckets, remainderBits, seed) => {
    const filter = new DLeftCountingBloomFilter({ buckets, remainderBits, seed });
    const oracle = new DLeft(buckets, remainderBits, seed);
    const keys = range(0, remainderBits === 4 ? 2000 : 640);
    const refused = keys.filter((key) => !oracle.store(key));
    expect(refused).not.toEqual([]);
    expect(keys.filter((key) => refuses(filter, key))).toEqual(refused);
    expect(bodyOf(filter)).toEqual(oracle.bytes());
    const gone = keys.slice(0, 200);
    expect(gone.map((key) => filter.remove(key))).toEqual(gone.map((key) => oracle.remove(key)));
    expect(bodyOf(filter)).toEqual(oracle.bytes());
    expect(filter.count).toBe(oracle.count);
  });

  it.each(shapes)(
    'never loses a key, whatever is refused or removed: $buckets buckets, $remainderBits bits',
    (shape) => {
      const { buckets } = shape;
      fc.assert(
        fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(40 * buckets)), { maxLength: 80 * buckets }), (steps) => {
          const filter = new DLeftCountingBloomFilter(shape);
          const copies = new Map<number, number>();
          for (const [adds, key] of steps) {
            const before = copies.get(key) ?? 0;
            if (adds) {
              const body = bodyOf(filter);
              if (refuses(filter, key)) expect(bodyOf(filter)).toEqual(body);
              else copies.set(key, before + 1);
            } else if (before > 0) {
              expect(filter.remove(key)).toBe(true);
              copies.set(key, before - 1);
            }
            for (const [held, times] of copies) expect(filter.countOf(held)).toBeGreaterThanOrEqual(times);
          }
          const sum = [...copies.values()].reduce((total, times) => total + times, 0);
          expect(filter.count).toBe(sum);
          expect(filter.clone().count).toBe(sum);
          for (const [key, times] of copies) for (let i = 0; i < times; i++) expect(filter.remove(key)).toBe(true);
          expect([filter.count, bodyOf(filter).some(Boolean)]).toEqual([0, false]);
          filter.dispose();
        }),
        { numRuns: 20 },
      );
    },
  );

  it('adds, looks up and removes keys of all types, in a batch as one by one', () => {
    const keys = awkwardKeys(3000, 11);
    const gone = [...keys.slice(0, 1000), ...awkwardKeys(1000, 12)];
    const options = { buckets: 120, remainderBits: 12, seed: 3 };
    const [batch, single] = [new DLeftCountingBloomFilter(options), new DLeftCountingBloomFilter(options)];
    const oracle = new DLeft(120, 12, 3);
    const fit = keys.filter((key) => oracle.store(key));
    const added = new Uint8Array(fit.length);
    expect(batch.addMany(fit, added)).toBe(batch);
    expect(Buffer.compare(bodyOf(batch), oracle.bytes())).toBe(0);
    expect(fit.map((key) => Number(single.add(key)))).toEqual([...added]);
    expect(bodyOf(single)).toEqual(bodyOf(batch));
    expect(bodyOf(new DLeftCountingBloomFilter(options).addMany(new Set(fit)))).toEqual(
      bodyOf(DLeftCountingBloomFilter.from(new Set(fit), options)),
    );
    expect([...batch.hasMany(gone)]).toEqual(gone.map((key) => Number(single.has(key))));
    const removed = new Uint8Array(gone.length);
    expect(batch.removeMany(gone, removed)).toBe(batch);
    expect(gone.map((key) => Number(single.remove(key)))).toEqual([...removed]);
    expect(gone.map((key) => Number(oracle.remove(key)))).toEqual([...removed]);
    expect(bodyOf(single)).toEqual(bodyOf(batch));
    expect(Buffer.compare(bodyOf(batch), oracle.bytes())).toBe(0);
    expect([removed.includes(0), removed.includes(1)]).toEqual([true, true]);
  });

  it('adds and removes keys that are too long for the scratch', () => {
    const long = ['a'.repeat(40_000), new Uint8Array(200_000), 'é'.repeat(70_000)];
    const filter = new DLeftCountingBloomFilter({ capacity: 100, errorRate: 1e-6 });
    for (const key of long) expect([filter.add(key), filter.add(key), filter.countOf(key)]).toEqual([true, false, 2]);
    expect(filter.count).toBe(6);
    for (const key of long) {
      expect([filter.remove(key), filter.has(key), filter.remove(key)]).toEqual([true, true, true]);
    }
    expect([filter.count, filter.fillRatio(), ...filter.hasMany(long)]).toEqual([0, 0, 0, 0, 0]);
    const key = long[0] as string;
    for (let i = 0; i < 96; i++) filter.add(key);
    expect(() => filter.add(key)).toThrow(/^key does not fit: its fingerprint is stored 96 times already/);
    expect(filter.count).toBe(96);
  });

  it.each([
    ['lines', () => lines(new TextEncoder().encode('a\nb\r\n\nc\n'))],
    ['a column', () => column(new TextEncoder().encode('abc'), Int32Array.of(0, 1, 1, 3))],
    ['integers', () => Uint32Array.of(1, 2, 3, 2 ** 32 - 1)],
    ['a set', () => new Set(['a', 'b', 7])],
  ])('removes what it added from %s', (_, keysOf) => {
    const filter = new DLeftCountingBloomFilter({ capacity: 100 }).addMany(keysOf());
    expect(filter.count).toBeGreaterThan(1);
    expect(filter.removeMany(keysOf()).count).toBe(0);
  });

  it('counts a key up to 96 times', () => {
    const filter = new DLeftCountingBloomFilter({ capacity: 1000 });
    for (let times = 0; times < 96; times++) {
      expect([filter.countOf('a'), filter.count]).toEqual([times, times]);
      expect(filter.add('a')).toBe(times === 0);
      expect(filter.fillRatio()).toBe((Math.floor(times / 3) + 1) / filter.cellCount);
    }
    const body = bodyOf(filter);
    const reason = 'its fingerprint is stored 96 times already, in all cells of its buckets';
    const full = { code: 'COPIES', reason, position: 0 } as const;
    expect(errorOf(() => filter.add('a'))).toEqual(new FilterFullError(`key does not fit: ${reason}`, full));
    expect(errorOf(() => filter.addMany(['a', 'b']))).toEqual(
      new FilterFullError(`keys[0] does not fit: ${reason}`, full),
    );
    expect(bodyOf(filter)).toEqual(body);
    expect(filter.add('b')).toBe(true);
    for (let times = 96; times > 0; times--) {
      expect(filter.countOf('a')).toBe(times);
      expect(filter.remove('a')).toBe(true);
    }
    expect([filter.remove('a'), filter.has('a'), filter.has('b'), filter.count]).toEqual([false, false, true, 1]);
  });

  it('refuses a key when it is full, says so, and takes it after one is removed', () => {
    const filter = new DLeftCountingBloomFilter({ capacity: 18, errorRate: 1e-6 }).addMany(range(0, 32));
    const full = 'does not fit: its buckets are full; the filter has 32 keys in 32 cells, made for 18 keys';
    expect(() => filter.add('a')).toThrow(`key ${full}`);
    expect(() => filter.addMany(['a'])).toThrow(`keys[0] ${full}`);
    expect(errorOf(() => filter.dedupe([3, 4, 'a', 5]))).toMatchObject({
      message: `keys[2] ${full}`,
      code: 'FULL',
      position: 2,
    });
    // There is room for more copies of the keys that it has.
    expect(filter.addMany(range(0, 32)).count).toBe(64);
    filter.removeMany(range(0, 32));
    expect(filter.hasMany(range(0, 32))).not.toContain(0);
    expect(filter.remove(5)).toBe(true);
    expect(filter.add('a')).toBe(true);
    expect([filter.has('a'), filter.has(5), filter.count]).toEqual([true, false, 32]);
    filter.clear();
    expect([filter.count, filter.fillRatio(), filter.has('a'), filter.add('a')]).toEqual([0, 0, false, true]);
    expect(filter.count).toBe(1);
  });

  it('a batch that is refused has added the keys before, states the position, and gives their flags', () => {
    const size = { buckets: 250, remainderBits: 20 };
    const keys = range(0, 9000);
    const single = new DLeftCountingBloomFilter(size);
    const first = keys.findIndex((key) => refuses(single, key));
    expect(first).toBeGreaterThan(4096);
    const out = new Uint8Array(9000);
    for (const given of [keys, Uint32Array.from(keys), new Set(keys)]) {
      const filter = new DLeftCountingBloomFilter(size);
      const flags = given instanceof Set ? undefined : out.fill(7);
      expect(errorOf(() => filter.addMany(given, flags))).toMatchObject({ code: 'FULL', position: first });
      expect(filter.count).toBe(first);
      expect(Buffer.compare(bodyOf(filter), bodyOf(single))).toBe(0);
      if (flags) expect([...flags.subarray(0, first)]).toEqual(keys.slice(0, first).map(() => 1));
    }
  });

  it('dedupe stores each key once', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(30), { maxLength: 30 }), { maxLength: 4 }), (batches) => {
        const filter = new DLeftCountingBloomFilter({ capacity: 50, errorRate: 1e-6 });
        const seen = new Set<number>();
        for (const keys of batches) {
          const fresh = [...new Set(keys)].filter((key) => !seen.has(key));
          expect(filter.dedupe(keys)).toEqual(fresh);
          for (const key of fresh) seen.add(key);
          expect(filter.count).toBe(seen.size);
        }
        for (const key of seen)
          expect([filter.countOf(key), filter.remove(key), filter.has(key)]).toEqual([1, true, false]);
      }),
    );
  });

  it('counts the lines of a stream', async () => {
    const text = range(0, 2000)
      .map((i) => `line ${i % 100}\n`)
      .join('');
    const filter = new DLeftCountingBloomFilter({ capacity: 1000, errorRate: 1e-6 });
    await addLines(filter, new Blob([text]).stream());
    expect([filter.count, filter.countOf('line 7'), filter.fillRatio()]).toEqual([2000, 20, 700 / filter.cellCount]);
  });

  it.each(shapes)(
    'holds the keys of both after a union, or refuses and does not change: $buckets buckets, $remainderBits bits',
    (shape) => {
      const { buckets, remainderBits, seed } = shape;
      const someKeys = fc.array(fc.nat(30 * buckets), { maxLength: 40 * buckets });
      fc.assert(
        fc.property(someKeys, someKeys, (one, two) => {
          const [filter, other] = [new DLeftCountingBloomFilter(shape), new DLeftCountingBloomFilter(shape)];
          const [oracle, others] = [new DLeft(buckets, remainderBits, seed), new DLeft(buckets, remainderBits, seed)];
          for (const key of one) if (oracle.store(key)) filter.add(key);
          for (const key of two) if (others.store(key)) other.add(key);
          const [before, otherBefore] = [filter.toBytes(), other.toBytes()];
          if (oracle.merge(others)) {
            const both = filter.union(other);
            expect(bodyOf(both)).toEqual(oracle.bytes());
            expect(both.count).toBe(oracle.count);
            expect(filter.toBytes()).toEqual(before);
            expect(filter.merge(other)).toBe(filter);
            expect(filter.toBytes()).toEqual(both.toBytes());
            expect(filter.clone().count).toBe(filter.count);
          } else {
            expect(() => filter.union(other)).toThrow(/^other does not fit: /);
            expect(() => filter.merge(other)).toThrow(FilterFullError);
            expect(filter.toBytes()).toEqual(before);
            expect(filter.count).toBe(filter.clone().count);
          }
          expect(other.toBytes()).toEqual(otherBefore);
          filter.dispose();
          other.dispose();
        }),
        { numRuns: 40 },
      );
    },
  );

  it('merges filters of other engines, memories and capacities, and with itself', () => {
    // More than one piece of the scratch.
    const size = { buckets: 7000, remainderBits: 17, seed: 1 };
    for (const { DLeftCountingBloomFilter: Other } of entries) {
      const filter = DLeftCountingBloomFilter.from(range(0, 80_000), size);
      const other = Other.from(range(70_000, 150_000), size);
      expect(filter.merge(other).count).toBe(160_000);
      expect(filter.hasMany(range(0, 150_000))).not.toContain(0);
      expect([filter.countOf(75_000), filter.countOf(1)]).toEqual([2, 1]);
      expect(filter.removeMany(range(70_000, 80_000)).hasMany(range(0, 150_000))).not.toContain(0);
      expect(filter.removeMany(range(0, 150_000)).fillRatio()).toBe(0);
    }
    const twice = DLeftCountingBloomFilter.from(['a', 'b', 'b'], { capacity: 100 });
    expect(twice.merge(twice)).toBe(twice);
    expect([twice.count, twice.countOf('a'), twice.countOf('b')]).toEqual([6, 2, 4]);
    const promised = new DLeftCountingBloomFilter({ capacity: 100, errorRate: 0.01 });
    const sized = new DLeftCountingBloomFilter({ buckets: promised.buckets, remainderBits: promised.remainderBits });
    expect(promised.union(sized)).toMatchObject({ capacity: 100, errorRate: 0.01 });
    class Carts extends wasmEntry.DLeftCountingBloomFilter {}
    expect(new Carts({ capacity: 100 }).union(promised)).toBeInstanceOf(Carts);
  });

  it('says why two filters cannot be merged', () => {
    const filter = DLeftCountingBloomFilter.from(range(0, 1000));
    const body = bodyOf(filter);
    const full = 'no room for its 1000 keys beside 1000 in 1344 cells, made for 1000 keys';
    expect(errorOf(() => filter.merge(DLeftCountingBloomFilter.from(range(1000, 2000))))).toEqual(
      new FilterFullError(`other does not fit: ${full}`, { code: 'FULL', reason: full, position: 0 }),
    );
    const copies = DLeftCountingBloomFilter.from(Array<string>(50).fill('a'), { capacity: 1000 });
    const many = 'a fingerprint would be stored more than 96 times, in all cells of its buckets';
    expect(errorOf(() => copies.merge(copies))).toEqual(
      new FilterFullError(`other does not fit: ${many}`, { code: 'COPIES', reason: many, position: 0 }),
    );
    expect(copies.count).toBe(50);
    expect(() => filter.merge(new DLeftCountingBloomFilter({ capacity: 1000, errorRate: 0.001 }))).toThrow(
      new RangeError('cellBits of other must be 14, got 17'),
    );
    expect(() => filter.union(new DLeftCountingBloomFilter({ capacity: 100 }))).toThrow(
      new RangeError('other must have 1344 cells for capacity 1000 at 0.01, got 160 cells for capacity 100 at 0.01'),
    );
    expect(() => filter.merge(new DLeftCountingBloomFilter({ capacity: 1000, seed: 1 }))).toThrow(
      new RangeError('seed of other must be 0, got 1'),
    );
    expect(() => filter.merge(new BloomFilter({ capacity: 10 }) as never)).toThrow(
      'other must be a DLeftCountingBloomFilter, got a BloomFilter',
    );
    expect(bodyOf(filter)).toEqual(body);
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
      engine: name,
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
      `DLeftCountingBloomFilter { capacity: 2418, errorRate: ${sized.errorRate}, buckets: 101, remainderBits: 9, seed: 0, engine: '${name}', 'fillRatio()': 0 }`,
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

  it('refuses what it cannot add or remove, and does not change', () => {
    const filter = new DLeftCountingBloomFilter({ capacity: 10 }).addMany(['a', 'b']);
    const body = bodyOf(filter);
    expect(() => filter.removeMany(['a', 'b'], new Uint8Array(1))).toThrow(/^out must have a length of 2 or more/);
    expect(() => filter.removeMany('ab' as never)).toThrow(/^keys must be .*, got "ab", which is one key$/);
    for (const verb of ['add', 'has', 'remove', 'countOf'] as const) {
      expect(() => filter[verb](null as never)).toThrow(/^key must be /);
      expect(() => filter[verb](1.5)).toThrow(RangeError);
    }
    expect(bodyOf(filter)).toEqual(body);
    filter.dispose();
    for (const verb of ['add', 'has', 'remove', 'countOf'] as const) {
      expect(() => filter[verb]('a')).toThrow(/after dispose\(\)/);
    }
    for (const read of ['fillRatio', 'estimateCount', 'estimateErrorRate', 'clear'] as const) {
      expect(() => filter[read]()).toThrow(/after dispose\(\)/);
    }
    expect(() => filter.count).toThrow(/after dispose\(\)/);
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

  it('uses files with any cells in which each remainder has a count', () => {
    fc.assert(
      fc.property(
        fc.record({ buckets: fc.integer({ min: 1, max: 4 }), remainderBits: fc.integer({ min: 4, max: 30 }) }),
        fc.infiniteStream(fc.nat(255)),
        (shape, bytes) => {
          const empty = new DLeftCountingBloomFilter(shape);
          const width = shape.remainderBits + 2;
          const file = forge(empty.toBytes(), (view) => {
            for (let at = 64; at < view.byteLength; at++) view.setUint8(at, bytes.next().value as number);
            // Each cell gets a count of at least 1.
            for (let bit = 0; bit < 8 * (view.byteLength - 64); bit += width) {
              const at = 64 + (bit >> 3);
              view.setUint8(at, view.getUint8(at) | (1 << (bit & 7)));
            }
          });
          const filter = DLeftCountingBloomFilter.fromBytes(file);
          expect(filter.toBytes()).toEqual(file);
          expect(filter.fillRatio()).toBe(1);
          const { count } = filter;
          const added = range(0, 50).filter((key) => !refuses(filter, key));
          expect(filter.hasMany(added)).not.toContain(0);
          expect(filter.count).toBe(count + added.length);
          expect(filter.removeMany(added).count).toBe(count);
        },
      ),
    );
  });
});

it('d-left counting filters of both engines have the same bytes, and load each other', () => {
  for (const [capacity, errorRate] of [
    [10, 0.1],
    [5000, 0.01],
    [300_000, 1e-6],
  ] as const) {
    const keys = Uint32Array.from(range(0, capacity));
    const [a, b] = entries.map(({ DLeftCountingBloomFilter }) =>
      new DLeftCountingBloomFilter({ capacity, errorRate })
        .addMany(keys)
        .addMany(keys.subarray(capacity / 3))
        .removeMany(keys.subarray(capacity / 2)),
    ) as [Filter, Filter];
    expect(Buffer.compare(a.toBytes(), b.toBytes())).toBe(0);
    expect(jsEntry.DLeftCountingBloomFilter.fromBytes(a.toBytes()).hasMany(keys)).not.toContain(0);
    expect(wasmEntry.DLeftCountingBloomFilter.fromBytes(b.toBytes()).count).toBe(a.count);
  }
});

describe('the size of a d-left counting filter', () => {
  it.each([
    [1000, 0.01, 42, 12, 18.8],
    [1_000_000, 0.01, 41_667, 12, 18.7],
    [1_000_000, 0.001, 41_667, 15, 22.7],
    [1_000_000, 0.0001, 41_667, 18, 26.7],
  ])('for %i keys at %f', (capacity, errorRate, buckets, bits, bitsPerKey) => {
    expect([optimalDLeftBuckets(capacity), optimalRemainderBits(capacity, errorRate)]).toEqual([buckets, bits]);
    const { byteLength } = new wasmEntry.DLeftCountingBloomFilter({ capacity, errorRate });
    expect((8 * byteLength) / capacity).toBeCloseTo(bitsPerKey, 1);
    expect(expectedDLeftErrorRate(capacity, buckets, bits)).toBeLessThanOrEqual(errorRate);
    expect(expectedDLeftErrorRate(capacity, buckets, bits - 1)).toBeGreaterThan(errorRate);
  });

  it('is the smallest for the capacity that a size gives', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 2 ** 18 })), (buckets) => {
        const { capacity } = new wasmEntry.DLeftCountingBloomFilter({ buckets, remainderBits: 4 });
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
    expect(() => optimalRemainderBits(10, 1)).toThrow(/^errorRate must be/);
    expect(() => expectedDLeftErrorRate(33, 1, 4)).toThrow(/^count must be an integer from 0 to 32, got 33$/);
    expect(() => expectedDLeftErrorRate(1, 0, 4)).toThrow(/^buckets must be/);
    expect(() => expectedDLeftErrorRate(1, 1, 3)).toThrow(/^remainderBits must be/);
  });
});
