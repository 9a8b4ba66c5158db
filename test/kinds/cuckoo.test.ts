import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as wasmEntry from '../../src/entries/cuckoo.ts';
import * as jsEntry from '../../src/entries/cuckoo-js.ts';
import {
  addLines,
  BloomFilter,
  column,
  dedupeLines,
  FilterFullError,
  type Key,
  lines,
  omitLines,
  pickLines,
} from '../../src/index.ts';
import { errorOf } from '../format/saved.ts';
import { awkwardKeys } from '../shared/awkward.ts';
import { Cuckoo } from '../shared/oracle.ts';

const { expectedCuckooErrorRate, optimalBuckets, optimalFingerprintBits } = wasmEntry;
const entries = [
  { name: 'wasm', CuckooFilter: wasmEntry.CuckooFilter },
  { name: 'js', CuckooFilter: jsEntry.CuckooFilter },
] as const;

/** Integers from … to − 1. */
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
const bodyOf = (filter: wasmEntry.CuckooFilter): Uint8Array => filter.toBytes().subarray(64);

/** The number of keys, counted anew. */
const bodyCount = (filter: wasmEntry.CuckooFilter): number => filter.clone().count;

/** Calls a function that may throw a RangeError, and returns its message; undefined if it does not throw. */
function refusalOf(call: () => unknown): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

/** Adds keys one by one, and returns those for which there was no room. */
function refusedOf<K extends Key>(filter: wasmEntry.CuckooFilter, keys: readonly K[]): K[] {
  return keys.filter((key) => refusalOf(() => filter.add(key)) !== undefined);
}

describe.each(entries)('CuckooFilter: $name', ({ name, CuckooFilter }) => {
  const shapes = [
    { buckets: 2, fingerprintBits: 7, seed: 0 },
    { buckets: 6, fingerprintBits: 8, seed: 1 },
    { buckets: 10, fingerprintBits: 15, seed: 2 },
    { buckets: 12, fingerprintBits: 16, seed: 3 },
    // The seed is the length of the keys, which are integers.
    { buckets: 14, fingerprintBits: 9, seed: 8 },
    { buckets: 4, fingerprintBits: 17, seed: 4 },
    { buckets: 8, fingerprintBits: 31, seed: 5 },
    { buckets: 2, fingerprintBits: 32, seed: 2 ** 32 - 1 },
  ];

  it.each(shapes)(
    'agrees with its oracle at every step: $buckets buckets, $fingerprintBits bits',
    ({ buckets, fingerprintBits, seed }) => {
      const verb = fc.constantFrom('add', 'add', 'add', 'remove', 'countOf', 'has');
      fc.assert(
        fc.property(fc.array(fc.tuple(verb, fc.nat(5 * buckets)), { maxLength: 12 * buckets }), (steps) => {
          const filter = new CuckooFilter({ buckets, fingerprintBits, seed });
          const oracle = new Cuckoo(buckets, fingerprintBits, seed);
          for (const [step, key] of steps) {
            const copies = oracle.countOf(key);
            if (step === 'has') expect(filter.has(key)).toBe(copies > 0);
            else if (step === 'countOf') expect(filter.countOf(key)).toBe(copies);
            else if (step === 'remove') expect(filter.remove(key)).toBe(oracle.remove(key));
            else if (oracle.store(key)) expect(filter.add(key)).toBe(copies === 0);
            else expect(() => filter.add(key)).toThrow(RangeError);
          }
          expect(bodyOf(filter)).toEqual(oracle.bytes());
          expect(filter.count).toBe(oracle.count);
          filter.dispose();
        }),
      );
    },
  );

  // At these sizes a search visits up to 1024 buckets. With the first two seeds, the last one has the only free slot.
  it.each([
    [400, 7, 108],
    [1002, 8, 129],
    [1002, 32, 0],
    [600, 12, 1],
  ])('agrees with its oracle when it is full: %i buckets, %i bits, seed %i', (buckets, fingerprintBits, seed) => {
    const filter = new CuckooFilter({ buckets, fingerprintBits, seed });
    const oracle = new Cuckoo(buckets, fingerprintBits, seed);
    const keys = range(0, 4 * buckets);
    const refused = keys.filter((key) => !oracle.store(key));
    expect(refused).not.toEqual([]);
    expect(refusedOf(filter, keys)).toEqual(refused);
    expect(bodyOf(filter)).toEqual(oracle.bytes());
    const gone = keys.slice(0, buckets);
    expect(gone.map((key) => filter.remove(key))).toEqual(gone.map((key) => oracle.remove(key)));
    expect(bodyOf(filter)).toEqual(oracle.bytes());
    expect(filter.count).toBe(oracle.count);
  });

  it.each(shapes)(
    'never loses a key, whatever is refused or removed: $buckets buckets, $fingerprintBits bits',
    (shape) => {
      const { buckets } = shape;
      fc.assert(
        fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(6 * buckets)), { maxLength: 16 * buckets }), (steps) => {
          const filter = new CuckooFilter(shape);
          const copies = new Map<number, number>();
          for (const [adds, key] of steps) {
            const before = copies.get(key) ?? 0;
            if (adds) {
              const body = bodyOf(filter);
              if (refusalOf(() => filter.add(key)) === undefined) copies.set(key, before + 1);
              else expect(bodyOf(filter)).toEqual(body);
            } else if (before > 0) {
              expect(filter.remove(key)).toBe(true);
              copies.set(key, before - 1);
            }
            for (const [held, times] of copies) expect(filter.countOf(held)).toBeGreaterThanOrEqual(times);
          }
          const sum = [...copies.values()].reduce((total, times) => total + times, 0);
          expect(filter.count).toBe(sum);
          expect(filter.clone().count).toBe(sum);
          expect(filter.hasMany([...copies].flatMap(([key, times]) => (times > 0 ? [key] : [])))).not.toContain(0);
          filter.dispose();
        }),
        { numRuns: 40 },
      );
    },
  );

  it('adds, looks up and removes keys of all types, in a batch as one by one', () => {
    const keys = awkwardKeys(3000, 11);
    const gone = [...keys.slice(0, 1000), ...awkwardKeys(1000, 12)];
    // Some of the keys come more than eight times.
    const batch = new CuckooFilter({ buckets: 3000, fingerprintBits: 12, seed: 3 });
    const single = new CuckooFilter({ buckets: 3000, fingerprintBits: 12, seed: 3 });
    const plain = new CuckooFilter({ buckets: 3000, fingerprintBits: 12, seed: 3 });
    const oracle = new Cuckoo(3000, 12, 3);
    const fit = keys.filter((key) => oracle.store(key));
    const added = new Uint8Array(fit.length);
    expect(batch.addMany(fit, added)).toBe(batch);
    expect(Buffer.compare(bodyOf(batch), oracle.bytes())).toBe(0);
    expect(fit.map((key) => Number(single.add(key)))).toEqual([...added]);
    expect(bodyOf(single)).toEqual(bodyOf(batch));
    expect(bodyOf(plain.addMany(new Set(fit)).addMany([]))).toEqual(
      bodyOf(CuckooFilter.from(new Set(fit), { buckets: 3000, fingerprintBits: 12, seed: 3 })),
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
    const filter = new CuckooFilter({ capacity: 100, errorRate: 1e-6 });
    for (const key of long) expect([filter.add(key), filter.add(key), filter.countOf(key)]).toEqual([true, false, 2]);
    expect(filter.count).toBe(6);
    for (const key of long)
      expect([filter.remove(key), filter.has(key), filter.remove(key)]).toEqual([true, true, true]);
    expect([filter.count, filter.fillRatio(), ...long.map((key) => filter.has(key))]).toEqual([
      0,
      0,
      false,
      false,
      false,
    ]);
    const key = long[0] as string;
    for (let i = 0; i < 8; i++) filter.add(key);
    expect(() => filter.add(key)).toThrow(/^key does not fit: its fingerprint is stored 8 times already/);
    expect(filter.count).toBe(8);
  });

  it.each([
    ['lines', () => lines(new TextEncoder().encode('a\nb\r\n\nc\n'))],
    ['a column', () => column(new TextEncoder().encode('abc'), Int32Array.of(0, 1, 1, 3))],
    ['integers', () => Uint32Array.of(1, 2, 3, 2 ** 32 - 1)],
    ['big integers', () => BigInt64Array.of(1n, -(2n ** 63n))],
    ['a set', () => new Set(['a', 'b', 7])],
  ])('removes what it added from %s', (_, keysOf) => {
    const filter = new CuckooFilter({ capacity: 100 }).addMany(keysOf());
    expect(filter.count).toBeGreaterThan(1);
    expect(filter.removeMany(keysOf()).count).toBe(0);
  });

  it('stores a key up to eight times', () => {
    const filter = new CuckooFilter({ capacity: 100 });
    for (let times = 0; times < 8; times++) {
      expect(filter.countOf('a')).toBe(times);
      expect(filter.add('a')).toBe(times === 0);
    }
    const body = bodyOf(filter);
    const refused = 'does not fit: its fingerprint is stored 8 times already, in all slots of its buckets';
    expect(refusalOf(() => filter.add('a'))).toBe(`key ${refused}`);
    expect(refusalOf(() => filter.addMany(['a', 'b']))).toBe(`keys[0] ${refused}`);
    expect(bodyOf(filter)).toEqual(body);
    expect(filter.add('b')).toBe(true);
    for (let times = 8; times > 0; times--) expect(filter.remove('a')).toBe(true);
    expect([filter.remove('a'), filter.has('a'), filter.has('b'), filter.count]).toEqual([false, false, true, 1]);
  });

  it('refuses a key when it is full, says so, and takes it after one is removed', () => {
    const filter = new CuckooFilter({ capacity: 8, errorRate: 1e-6 }).addMany(range(0, 8));
    const full = 'does not fit: its buckets are full; the filter has 8 keys in 8 slots, made for 8 keys';
    expect(refusalOf(() => filter.add('a'))).toBe(`key ${full}`);
    expect(refusalOf(() => filter.addMany(['a']))).toBe(`keys[0] ${full}`);
    expect(refusalOf(() => filter.dedupe([3, 4, 'a', 5]))).toBe(`keys[2] ${full}`);
    expect(filter.hasMany(range(0, 8))).not.toContain(0);
    expect(filter.remove(5)).toBe(true);
    expect(filter.add('a')).toBe(true);
    expect([filter.has('a'), filter.has(5), filter.count]).toEqual([true, false, 8]);
    filter.clear();
    expect([filter.count, filter.fillRatio(), filter.has('a'), filter.add('a')]).toEqual([0, 0, false, true]);
    expect(filter.count).toBe(1);
  });

  it('a batch that is refused has added the keys before, states the position, and gives their flags', () => {
    const size = { buckets: 2000, fingerprintBits: 20 };
    const keys = range(0, 9000);
    const single = new CuckooFilter(size);
    const [first = -1] = refusedOf(single, keys.slice(0, 8001));
    expect(first).toBeGreaterThan(4096);
    for (const key of range(first + 1, 9000)) single.remove(key);
    const out = new Uint8Array(9000).fill(7);
    for (const given of [keys, Uint32Array.from(keys), new Set(keys)]) {
      const filter = new CuckooFilter(size);
      const flags = given instanceof Set ? undefined : out.fill(7);
      expect(refusalOf(() => filter.addMany(given, flags))).toMatch(
        new RegExp(
          `^keys\\[${first}\\] does not fit: its buckets are full; the filter has ${first} keys in 8000 slots, made for `,
        ),
      );
      expect(filter.count).toBe(first);
      expect(filter.hasMany(range(0, first))).not.toContain(0);
      if (flags) expect([...flags.subarray(0, first)]).toEqual(keys.slice(0, first).map(() => 1));
      const fresh = new CuckooFilter(size).addMany(keys.slice(0, first));
      expect(Buffer.compare(bodyOf(filter), bodyOf(fresh))).toBe(0);
    }
  });

  it('dedupe stores each key once', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(30), { maxLength: 30 }), { maxLength: 4 }), (batches) => {
        const filter = new CuckooFilter({ capacity: 50, errorRate: 1e-6 });
        const seen = new Set<number>();
        for (const keys of batches) {
          const fresh = [...new Set(keys)].filter((key) => !seen.has(key));
          expect(filter.dedupe(keys)).toEqual(fresh);
          for (const key of fresh) seen.add(key);
          expect(filter.count).toBe(seen.size);
        }
        expect(bodyOf(new CuckooFilter({ capacity: 50, errorRate: 1e-6 }).addMany([...seen]))).toEqual(bodyOf(filter));
        for (const key of seen) expect([filter.remove(key), filter.has(key)]).toEqual([true, false]);
      }),
    );
  });

  it('takes lines from streams, and says which does not fit', async () => {
    const text = range(0, 2000)
      .map((i) => `line ${i % 1000}\n`)
      .join('');
    const chunks = (): ReadableStream<Uint8Array<ArrayBuffer>> => new Blob([text]).stream();
    // Room to spare: the copies of a key have the same buckets, so the filter is full sooner.
    const filter = new CuckooFilter({ capacity: 3000, errorRate: 1e-6 });
    expect(await addLines(filter, chunks())).toEqual({ bytes: text.length, lines: 2000, kept: 2000 });
    expect([filter.count, filter.countOf('line 7')]).toEqual([2000, 2]);
    expect(await new Response(chunks().pipeThrough(pickLines(filter))).text()).toBe(text);
    const once = new CuckooFilter({ capacity: 1000, errorRate: 1e-6 });
    expect(await new Response(chunks().pipeThrough(dedupeLines(once))).text()).toBe(text.slice(0, text.length / 2));
    expect(once.count).toBe(1000);
    expect(await new Response(chunks().pipeThrough(omitLines(once))).text()).toBe('');
    const small = new CuckooFilter({ capacity: 8, errorRate: 1e-6 });
    await expect(addLines(small, chunks())).rejects.toThrow(
      /^keys\[8\] does not fit: its buckets are full; the filter has 8 keys in 8 slots/,
    );
    expect(small.hasMany(range(0, 8).map((i) => `line ${i}`))).not.toContain(0);
  });

  it.each(shapes)(
    'holds the keys of both after a union, or refuses and does not change: $buckets buckets, $fingerprintBits bits',
    (shape) => {
      const { buckets, fingerprintBits, seed } = shape;
      const someKeys = fc.array(fc.nat(6 * buckets), { maxLength: 4 * buckets });
      fc.assert(
        fc.property(someKeys, someKeys, (one, two) => {
          const [filter, other] = [new CuckooFilter(shape), new CuckooFilter(shape)];
          const [oracle, others] = [
            new Cuckoo(buckets, fingerprintBits, seed),
            new Cuckoo(buckets, fingerprintBits, seed),
          ];
          for (const key of one) if (oracle.store(key)) filter.add(key);
          for (const key of two) if (others.store(key)) other.add(key);
          const [before, otherBefore] = [filter.toBytes(), other.toBytes()];
          if (oracle.merge(others)) {
            const both = filter.union(other);
            expect(bodyOf(both)).toEqual(oracle.bytes());
            expect(both.count).toBe(oracle.count);
            expect(filter.toBytes()).toEqual(before);
            expect(filter.merge(other)).toBe(filter);
            expect(bodyOf(filter)).toEqual(oracle.bytes());
            expect(filter.count).toBe(oracle.count);
            for (const key of two) if (others.countOf(key) > 0) expect(filter.remove(key)).toBe(true);
          } else {
            expect(() => filter.union(other)).toThrow(/^other does not fit: /);
            expect(() => filter.merge(other)).toThrow(RangeError);
            expect(filter.toBytes()).toEqual(before);
            expect(filter.count).toBe(bodyCount(filter));
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
    const size = { buckets: 50_000, fingerprintBits: 17, seed: 1 };
    for (const { CuckooFilter: Other } of entries) {
      const filter = CuckooFilter.from(range(0, 80_000), size);
      const other = Other.from(range(70_000, 150_000), size);
      expect(filter.merge(other).count).toBe(160_000);
      expect(filter.hasMany(range(0, 150_000))).not.toContain(0);
      expect(filter.removeMany(range(70_000, 80_000)).hasMany(range(0, 150_000))).not.toContain(0);
      expect(filter.removeMany(range(0, 150_000)).fillRatio()).toBe(0);
    }
    const twice = CuckooFilter.from(['a', 'b'], { capacity: 100 });
    expect(twice.merge(twice)).toBe(twice);
    expect([twice.count, twice.countOf('a'), twice.countOf('b')]).toEqual([4, 2, 2]);
    const promised = new CuckooFilter({ capacity: 100, errorRate: 0.01 });
    const sized = new CuckooFilter({ buckets: promised.buckets, fingerprintBits: promised.fingerprintBits });
    expect(promised.union(sized)).toMatchObject({ capacity: 100, errorRate: 0.01 });
    class Sessions extends wasmEntry.CuckooFilter {}
    expect(new Sessions({ capacity: 100 }).union(promised)).toBeInstanceOf(Sessions);
  });

  it('says why two filters cannot be merged', () => {
    const filter = CuckooFilter.from(range(0, 1000));
    const body = bodyOf(filter);
    const full = 'no room for its 1000 keys beside 1000 in 1080 slots, made for 1000 keys';
    expect(() => filter.merge(CuckooFilter.from(range(1000, 2000)))).toThrow(
      new FilterFullError(`other does not fit: ${full}`, { code: 'FULL', reason: full, position: 0 }),
    );
    const copies = CuckooFilter.from(Array<string>(5).fill('a'), { capacity: 1000 });
    const many = 'a fingerprint would be stored more than 8 times, in all slots of its buckets';
    expect(() => copies.merge(copies)).toThrow(
      new FilterFullError(`other does not fit: ${many}`, { code: 'COPIES', reason: many, position: 0 }),
    );
    expect(copies.count).toBe(5);
    expect(() => filter.merge(new CuckooFilter({ capacity: 1000, errorRate: 0.0001 }))).toThrow(
      new RangeError('cellBits of other must be 10, got 17'),
    );
    expect(() => filter.union(new CuckooFilter({ capacity: 100 }))).toThrow(
      new RangeError('other must have 1080 slots for capacity 1000 at 0.01, got 128 slots for capacity 100 at 0.01'),
    );
    expect(() => filter.merge(new CuckooFilter({ capacity: 1000, seed: 1 }))).toThrow(
      new RangeError('seed of other must be 0, got 1'),
    );
    for (const [other, shown] of [
      [new BloomFilter({ capacity: 10 }), 'a BloomFilter'],
      [null, 'null'],
      [['a'], 'an object (Array)'],
    ] as const) {
      expect(() => filter.merge(other as never)).toThrow(`other must be a CuckooFilter, got ${shown}`);
    }
    expect(bodyOf(filter)).toEqual(body);
    const gone = new CuckooFilter({ capacity: 1000 });
    gone.dispose();
    expect(() => filter.merge(gone)).toThrow(/after dispose\(\)/);
    expect(() => gone.merge(filter)).toThrow(/after dispose\(\)/);
  });

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

  it('has the parameters that it was made with', () => {
    expect(new CuckooFilter({ capacity: 1_000_000, errorRate: 0.0001, seed: 7 })).toMatchObject({
      kind: 'cuckoo',
      engine: name,
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
      `CuckooFilter { capacity: 3788, errorRate: ${sized.errorRate}, buckets: 1002, fingerprintBits: 9, seed: 0, engine: '${name}', 'fillRatio()': 0 }`,
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
      expect(wasmEntry.optimalFingerprintBits(Math.floor(capacity), least)).toBe(32);
      expect(make({ capacity: Math.floor(capacity), errorRate: least * 0.98 })).toThrow(/^errorRate must be at least/);
    }
    expect(make({ capacity: 2 ** 32 })).toThrow(/^capacity must be an integer from 1 to 4080218912, got 4294967296$/);
    expect(make({ buckets: 2 ** 30, fingerprintBits: 32 })).toThrow(/too large/);
  });

  it('refuses what it cannot add or remove, and does not change', () => {
    const filter = new CuckooFilter({ capacity: 10 }).addMany(['a', 'b']);
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
});

it('cuckoo filters of both engines have the same bytes, and load each other', () => {
  for (const [capacity, errorRate] of [
    [10, 0.1],
    [5000, 0.01],
    [300_000, 1e-6],
  ] as const) {
    const keys = Uint32Array.from(range(0, capacity));
    const [a, b] = entries.map(({ CuckooFilter }) =>
      new CuckooFilter({ capacity, errorRate }).addMany(keys).removeMany(keys.subarray(capacity / 2)),
    ) as [wasmEntry.CuckooFilter, wasmEntry.CuckooFilter];
    expect(Buffer.compare(a.toBytes(), b.toBytes())).toBe(0);
    expect(jsEntry.CuckooFilter.fromBytes(a.toBytes()).hasMany(keys.subarray(0, capacity / 2))).not.toContain(0);
    expect(wasmEntry.CuckooFilter.fromBytes(b.toBytes()).count).toBe(a.count);
  }
});

describe('the size of a cuckoo filter', () => {
  it.each([
    [100, 0.01, 32, 10, 0.00609],
    [1000, 0.01, 270, 10, 0.00722],
    [1_000_000, 0.01, 263_164, 10, 0.00741],
    [1_000_000, 0.001, 263_164, 13, 0.000927],
    [1_000_000, 1e-6, 263_164, 23, 9.06e-7],
  ])('for %i keys at %f', (capacity, errorRate, buckets, bits, rate) => {
    expect([optimalBuckets(capacity), optimalFingerprintBits(capacity, errorRate)]).toEqual([buckets, bits]);
    expect(expectedCuckooErrorRate(capacity, buckets, bits) / rate).toBeCloseTo(1, 2);
  });

  it('is the smallest for the capacity that a size gives', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 2 ** 22 })), (half) => {
        const filter = {
          buckets: 2 * half,
          capacity: new wasmEntry.CuckooFilter({ buckets: 2 * half, fingerprintBits: 7 }).capacity,
        };
        expect(optimalBuckets(filter.capacity)).toBeLessThanOrEqual(filter.buckets);
        if (half > 3) expect(optimalBuckets(filter.capacity + 1)).toBeGreaterThan(filter.buckets);
      }),
      { numRuns: 50 },
    );
    expect(optimalBuckets(4_080_218_912)).toBe(2 ** 30);
  });
});
