// What only the spatial filter has: labels.

import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as wasm from '../../src/entries/spatial.ts';
import * as js from '../../src/entries/spatial-js.ts';
import { hashKeys } from '../../src/hash.ts';
import { BloomFilter, column, type Key, lines } from '../../src/index.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';
import { murmur3, Spatial } from '../shared/oracle.ts';

/** The offset of the body in a file. */
const BODY_AT = 128;

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
const bodyOf = (filter: wasm.SpatialBloomFilter): Uint8Array => filter.toBytes().subarray(BODY_AT);
const times = (count: number, size: number): number[] => Array.from({ length: count }, () => size);

interface Vector {
  readonly options: wasm.SpatialBloomFilterOptions;
  readonly cells: number;
  readonly hashes: number;
  readonly cellBits: number;
  /** The number of keys of each label, from 1 on. The keys are 0, 1, 2 … */
  readonly sizes: readonly number[];
  /** The number of keys that seem to have a higher label. */
  readonly mistaken: number;
  /** How many of the next 2000 integers look present. */
  readonly positives: number;
  /** h1 of the hash of the body, seed 0. */
  readonly digest: string;
}

// Computed by an independent program.
const vectors: readonly Vector[] = [
  {
    options: { cells: 64, hashes: 2, labels: 1 },
    ...{ cells: 64, hashes: 2, cellBits: 1, sizes: [3] },
    ...{ mistaken: 0, positives: 18, digest: 'ef3a9f868add94e7' },
  },
  {
    options: { cells: 64, hashes: 2, labels: 3 },
    ...{ cells: 64, hashes: 2, cellBits: 2, sizes: [3, 3, 3] },
    ...{ mistaken: 0, positives: 174, digest: '2620d54681d66cfd' },
  },
  {
    options: { cells: 64, hashes: 2, labels: 15 },
    ...{ cells: 64, hashes: 2, cellBits: 4, sizes: [1, 2, 3, 4] },
    ...{ mistaken: 0, positives: 191, digest: 'c3ed64264955f45b' },
  },
  {
    options: { cells: 63, hashes: 3, labels: 255 },
    ...{ cells: 63, hashes: 3, cellBits: 8, sizes: [3, 0, 3] },
    ...{ mistaken: 0, positives: 17, digest: 'cfc25238545079e9' },
  },
  {
    options: { cells: 63, hashes: 3, labels: 65_535 },
    ...{ cells: 63, hashes: 3, cellBits: 16, sizes: [3, 0, 3] },
    ...{ mistaken: 0, positives: 17, digest: '9044773024a51ce6' },
  },
  {
    options: { capacity: 100, errorRate: 0.01, labels: 4 },
    ...{ cells: 961, hashes: 7, cellBits: 4, sizes: [25, 25, 25, 25] },
    ...{ mistaken: 0, positives: 17, digest: '87a2bb12786c283b' },
  },
  {
    options: { capacity: 1000, errorRate: 0.01, labels: 3, seed: 7 },
    ...{ cells: 9586, hashes: 7, cellBits: 2, sizes: [500, 300, 200] },
    ...{ mistaken: 0, positives: 21, digest: '9571d0e97fdf28e0' },
  },
  {
    options: { capacity: 1000, errorRate: 0.001, labels: 200 },
    ...{ cells: 14_378, hashes: 10, cellBits: 8, sizes: times(200, 5) },
    ...{ mistaken: 0, positives: 3, digest: '78bf42ae64df5baa' },
  },
  {
    options: { capacity: 100, errorRate: 0.1, labels: 2 },
    ...{ cells: 481, hashes: 3, cellBits: 2, sizes: [300, 300] },
    ...{ mistaken: 162, positives: 1876, digest: 'e02fc2feba0c7e3f' },
  },
  {
    options: { capacity: 1000, errorRate: 0.01, labels: 300 },
    ...{ cells: 9586, hashes: 7, cellBits: 16, sizes: times(300, 3) },
    ...{ mistaken: 1, positives: 8, digest: '202b5fa99e40bfe2' },
  },
];

const key: fc.Arbitrary<Key> = fc.oneof(fc.string({ unit: 'binary', maxLength: 6 }), fc.integer(), fc.uint8Array());
/** A number of labels of each width. */
const labels = fc.constantFrom(1, 2, 3, 4, 15, 16, 255, 256, 65_535);
/** Small enough that cells are shared. */
const shapes = fc.record({
  cells: fc.integer({ min: 1, max: 300 }),
  hashes: fc.integer({ min: 1, max: 9 }),
  labels,
  seed: fc.nat(2 ** 32 - 1),
});

/** A shape, and keys with labels that it can have. */
const labeled = shapes.chain((shape) =>
  fc.record({
    shape: fc.constant(shape),
    given: fc.array(fc.tuple(key, fc.integer({ min: 1, max: shape.labels })), { maxLength: 60 }),
  }),
);

describe.each([
  { name: 'wasm', api: wasm, Twin: js.SpatialBloomFilter },
  { name: 'js', api: js, Twin: wasm.SpatialBloomFilter },
])('a spatial filter: $name', ({ name, api: { SpatialBloomFilter }, Twin }) => {
  it.each(vectors)('has the cells of the specification: $digest', (vector) => {
    const { options, cells, hashes, cellBits, sizes, mistaken, positives, digest } = vector;
    const truth = sizes.flatMap((size, i) => times(size, i + 1));
    const keys = range(0, truth.length);
    const one = new SpatialBloomFilter(options);
    expect(one).toMatchObject({ cells, hashes, cellBits, labels: options.labels });
    for (const [i, label] of truth.entries()) one.add(i, label);
    const sets = sizes.map((size, i) => {
      const from = sizes.slice(0, i).reduce((sum, each) => sum + each, 0);
      return [i + 1, range(from, from + size)] as const;
    });
    const { labels, ...size } = options;
    const all = [
      one,
      new SpatialBloomFilter(options).addMany(keys, truth),
      // The order does not matter.
      new SpatialBloomFilter(options).addMany(keys.toReversed(), Uint16Array.from(truth).reverse()),
      SpatialBloomFilter.from(sets, options),
      SpatialBloomFilter.from(new Map(sets.toReversed()), { ...size, labels }),
    ];
    for (const filter of all) {
      expect(murmur3(bodyOf(filter), 0)[0].toString(16).padStart(16, '0')).toBe(digest);
      const found = filter.labelsOf(keys);
      expect([...found]).toEqual(keys.map((each) => filter.labelOf(each)));
      expect(found.filter((label, i) => label < (truth[i] as number))).toHaveLength(0);
      expect(found.filter((label, i) => label > (truth[i] as number))).toHaveLength(mistaken);
      const others = range(keys.length, keys.length + 2000);
      expect(filter.pick(others)).toHaveLength(positives);
      expect(others.filter((each) => filter.has(each))).toHaveLength(positives);
    }
  });

  it('does what the oracle does, for any keys, labels and size, one by one and in batches', () => {
    fc.assert(
      fc.property(labeled, fc.array(key, { maxLength: 30 }), ({ shape, given }, others) => {
        const oracle = new Spatial(shape.cells, shape.hashes, shape.labels, shape.seed);
        const before = given.map(([each, label]) => oracle.add(each, label));
        using one = new SpatialBloomFilter(shape);
        expect(given.map(([each, label]) => one.add(each, label))).toEqual(before);
        const keys = given.map(([each]) => each);
        const out = new Uint16Array(given.length);
        const own = given.map(([, label]) => label);
        using many = new SpatialBloomFilter(shape).addMany(keys, own, out);
        expect([...out]).toEqual(before);
        expect(bodyOf(one)).toEqual(oracle.bytes());
        expect(many.toBytes()).toEqual(one.toBytes());
        expect(new Twin(shape).addMany(keys, own).toBytes()).toEqual(one.toBytes());
        const all = [...keys, ...others];
        const found = all.map((each) => oracle.labelOf(each));
        expect(all.map((each) => one.labelOf(each))).toEqual(found);
        expect([...one.labelsOf(all)]).toEqual(found);
        expect([...one.hasMany(all)]).toEqual(found.map((label) => Number(label > 0)));
        expect(all.map((each) => one.has(each))).toEqual(found.map((label) => label > 0));
        // Never lower than any label that a key was added with.
        for (const [i, label] of own.entries()) expect(found[i]).toBeGreaterThanOrEqual(label);
      }),
      { seed: 9, numRuns: 300 },
    );
  });

  it('counts cells by label, and estimates from them', () => {
    fc.assert(
      fc.property(labeled, ({ shape, given }) => {
        const oracle = new Spatial(shape.cells, shape.hashes, shape.labels, shape.seed);
        for (const [each, label] of given) oracle.add(each, label);
        const keys = given.map(([each]) => each);
        using filter = new SpatialBloomFilter(shape).addMany(
          keys,
          given.map(([, label]) => label),
        );
        const share = (least: number): number =>
          oracle.cells.filter((label) => label >= least).length / oracle.cells.length;
        const { hashes, cells } = shape;
        const count = (least: number): number => (-cells / hashes) * Math.log1p(-share(least));
        expect(filter.fillRatio()).toBe(share(1));
        expect(filter.estimateErrorRate()).toBe(share(1) ** hashes);
        expect(filter.estimateCount()).toBe(count(1));
        for (const label of new Set([1, shape.labels, ...given.map((pair) => pair[1])])) {
          expect(filter.fillRatio(label)).toBe(share(label));
          expect(filter.estimateErrorRate(label)).toBe(share(label) ** hashes - share(label + 1) ** hashes);
          expect(filter.estimateCount(label)).toBe(count(label) - count(label + 1));
        }
      }),
      { seed: 4, numRuns: 200 },
    );
  });

  it('gives a union that equals the filter of all keys', () => {
    fc.assert(
      fc.property(labeled, fc.nat(60), ({ shape, given }, cut) => {
        const make = (pairs: typeof given, Class = SpatialBloomFilter) => {
          const filter = new Class(shape);
          for (const [each, label] of pairs) filter.add(each, label);
          return filter;
        };
        const [left, right, all] = [given.slice(0, cut), given.slice(cut), make(given)];
        const [a, b] = [make(left), make(right)];
        expect(a.union(b).toBytes()).toEqual(all.toBytes());
        expect(b.union(a).equals(all)).toBe(true);
        expect(a.toBytes()).toEqual(make(left).toBytes());
        expect(
          a
            .clone()
            .merge(make(right, Twin as typeof SpatialBloomFilter))
            .equals(all),
        ).toBe(true);
        expect(a.merge(b)).toBe(a);
        expect(a.equals(all)).toBe(true);
        expect(a.equals(b)).toBe(bodyOf(a).every((byte, i) => byte === bodyOf(b)[i]));
      }),
      { seed: 2, numRuns: 100 },
    );
  });

  it('combines large filters, each in its own memory', () => {
    const shape = { cells: 2 ** 23 + 5, hashes: 3, labels: 65_535 };
    const keys = range(0, 3000);
    const make = (from: number, label: number) => new SpatialBloomFilter(shape).addMany(keys.slice(from), label);
    const both = make(0, 7).merge(make(1000, 65_535)).merge(make(2000, 300));
    expect(both.byteLength).toBeGreaterThan(2 ** 24);
    expect(both.equals(make(0, 7).addMany(keys.slice(1000), 65_535))).toBe(true);
    expect([both.labelOf(0), both.labelOf(1500), both.labelOf(2500)]).toEqual([7, 65_535, 65_535]);
  });

  it('refuses to combine filters that differ, and names the difference', () => {
    const filter = new SpatialBloomFilter({ capacity: 100, labels: 3 });
    const refuse = (options: object, message: string) => {
      const other = new SpatialBloomFilter({ capacity: 100, labels: 3, ...options });
      for (const verb of ['union', 'merge'] as const) {
        expect(() => filter[verb](other)).toThrow(new RangeError(message));
      }
      expect(filter.equals(other)).toBe(false);
    };
    refuse({ labels: 2 }, 'labels of other must be 3, got 2');
    refuse({ labels: 4 }, 'labels of other must be 3, got 4');
    refuse({ seed: 1 }, 'seed of other must be 0, got 1');
    refuse(
      { capacity: 50 },
      'other must have 961 cells for capacity 100 at 0.01, got 481 cells for capacity 50 at 0.01',
    );
    const classic = new BloomFilter({ capacity: 100 }) as never;
    for (const verb of ['union', 'merge', 'equals'] as const) {
      expect(() => filter[verb](classic)).toThrow(
        new TypeError('other must be a SpatialBloomFilter, got a BloomFilter'),
      );
    }
  });

  it('takes labels across the boundaries of chunks and windows, and in every shape of keys', () => {
    const count = 2 * CHUNK_KEYS + 100;
    const words = range(0, count).map((i) => `word ${i}`);
    const bytes = words.map((word) => Buffer.from(word));
    let end = 0;
    const offsets = [0, ...bytes.map(({ length }) => (end += length))];
    const own = Uint8Array.from(words, (_, i) => 1 + (i % 200));
    const make = () => new SpatialBloomFilter({ capacity: count, errorRate: 1e-6, labels: 200 });
    const wanted = make();
    for (const [i, word] of words.entries()) wanted.add(word, own[i] as number);
    const forms = [
      words,
      new Set(words),
      bytes,
      lines(Buffer.from(words.map((word) => `${word}\r\n`).join(''))),
      column(Buffer.concat(bytes), Int32Array.from(offsets)),
      hashKeys(words),
    ];
    for (const form of forms) {
      const out = new Uint8Array(count);
      const filter = make().addMany(form as string[], own, out);
      expect(filter.equals(wanted)).toBe(true);
      expect(out.filter(Boolean)).toHaveLength(0);
      expect(filter.labelsOf(form as string[])).toEqual(own);
    }
    expect(wanted.labelsOf(words.values())).toEqual(own);
    for (const each of [[...own], Uint16Array.from(own)]) expect(make().addMany(words, each).equals(wanted)).toBe(true);
    const integers = Uint32Array.from({ length: count }, (_, i) => i);
    const numbered = make().addMany(integers, own);
    expect(numbered.labelsOf([...integers])).toEqual(own);
  });

  it('takes keys that do not fit the scratch', () => {
    const filter = new SpatialBloomFilter({ capacity: 10, errorRate: 1e-6, labels: 300 });
    const long = 'ö'.repeat(200_001);
    const bytes = new Uint8Array(400_000).fill(7);
    expect([filter.add(long, 300), filter.add(long, 2), filter.add(bytes, 4)]).toEqual([0, 300, 0]);
    expect([filter.labelOf(long), filter.labelOf(bytes), filter.has(long)]).toEqual([300, 4, true]);
    expect(filter.labelsOf(['a', long, bytes])).toEqual(Uint16Array.of(0, 300, 4));
  });

  it('returns labels as bytes, or as integers of 16 bits where a label may exceed 255', () => {
    for (const [labels, Type] of [
      [255, Uint8Array],
      [256, Uint16Array],
    ] as const) {
      const filter = new SpatialBloomFilter({ capacity: 10, labels }).addMany(['a', 'b'], labels);
      expect(filter.labelsOf(['b', 'a'])).toEqual(Type.of(labels, labels));
      expect(filter.labelsOf(['b', 'a'].values())).toEqual(Type.of(labels, labels));
      expect(filter.labelsOf([])).toEqual(new Type(0));
      const out = new Uint16Array(new SharedArrayBuffer(10), 2, 3).fill(9);
      const view = filter.labelsOf(['a'], out);
      expect([...out]).toEqual([labels, 9, 9]);
      expect(view.buffer).toBe(out.buffer);
      expect(view).toHaveLength(1);
    }
    const few = new SpatialBloomFilter({ capacity: 10, labels: 2 }).addMany(['a'], 2);
    const out = Buffer.alloc(2);
    expect([...few.labelsOf(['a', 'b'], out)]).toEqual([2, 0]);
    expect([...out]).toEqual([2, 0]);
  });

  it('refuses an array that cannot hold the labels, before it adds anything', () => {
    const filter = new SpatialBloomFilter({ capacity: 10, labels: 256 });
    const few = new SpatialBloomFilter({ capacity: 10, labels: 3 });
    const none = function* (): Generator<string> {
      yield 'a';
    };
    const narrow = /^out must be a Uint16Array, for labels up to 256, got an object \(Uint8Array\)$/;
    expect(() => filter.labelsOf(['a'], new Uint8Array(1))).toThrow(narrow);
    expect(() => filter.addMany(['a'], 1, new Uint8Array(1))).toThrow(narrow);
    for (const out of [null, [], new Int16Array(1), new Uint8ClampedArray(1), 'a']) {
      expect(() => few.labelsOf(['a'], out as never)).toThrow(/^out must be a Uint8Array, got /);
      expect(() => filter.labelsOf(['a'], out as never)).toThrow(/^out must be a Uint16Array, /);
      expect(() => few.addMany(['a'], 1, out as never)).toThrow(TypeError);
    }
    const short = 'out must have a length of 2 or more, got 1';
    expect(() => filter.labelsOf(['a', 'b'], new Uint16Array(1))).toThrow(new RangeError(short));
    expect(() => filter.addMany(['a', 'b'], 1, new Uint16Array(1))).toThrow(new RangeError(short));
    expect(() => few.addMany(['a', 'b'], 1, new Uint8Array(1))).toThrow(/^out must have a length of 2 or more, got 1$/);
    expect(() => few.addMany(none(), 1, new Uint8Array(9))).toThrow(
      /^out needs a known number of keys, got an iterable$/,
    );
    expect(() => few.labelsOf(none(), new Uint8Array(9))).toThrow(TypeError);
    const lost = new Uint16Array(4);
    structuredClone(lost, { transfer: [lost.buffer] });
    expect(() => filter.labelsOf(['a'], lost)).toThrow(/detached or out of bounds/);
    expect([filter.fillRatio(), few.fillRatio()]).toEqual([0, 0]);
  });

  it('refuses wrong labels, with their position in a batch, and has added the keys before', () => {
    const make = () => new SpatialBloomFilter({ capacity: 10_000, errorRate: 1e-6, labels: 3 });
    const filter = make();
    for (const wrong of [0, -1, 4, 1.5, Number.NaN, Infinity, 2 ** 32 + 1]) {
      const message = (argument: string) => `${argument} must be an integer from 1 to 3, got ${wrong}`;
      expect(() => filter.add('a', wrong)).toThrow(new RangeError(message('label')));
      expect(() => filter.addMany(['a'], wrong)).toThrow(new RangeError(message('labels')));
      expect(() => filter.addMany(['a'], [wrong])).toThrow(new RangeError(message('labels[0]')));
      for (const verb of ['fillRatio', 'estimateCount', 'estimateErrorRate'] as const) {
        expect(() => filter[verb](wrong)).toThrow(new RangeError(message('label')));
      }
    }
    for (const wrong of [undefined, null, '1', 1n, [1], {}] as never[]) {
      expect(() => filter.add('a', wrong)).toThrow(/^label must be an integer from 1 to 3, got /);
      expect(() => filter.add('a', wrong)).toThrow(TypeError);
      expect(() => filter.addMany(['a'], [wrong])).toThrow(/^labels\[0\] must be an integer from 1 to 3, got /);
    }
    for (const wrong of [undefined, null, '1', 1n, {}, new Uint32Array(1), new Set([1])] as never[]) {
      expect(() => filter.addMany(['a'], wrong)).toThrow(
        /^labels must be an integer from 1 to 3, or an array of them for all keys, got /,
      );
    }
    expect(() => filter.addMany(['a', 'b'], [1])).toThrow(
      new RangeError('labels must have a label for each of 2 keys, got 1'),
    );
    expect(() => filter.addMany(['a'].values(), [1])).toThrow(
      /^labels must be one label for all keys, because the number of keys is unknown, got /,
    );
    expect(() => filter.add({} as never, 1)).toThrow(/^key must be /);
    expect(filter.fillRatio()).toBe(0);
    const keys = range(0, 9000);
    for (const at of [0, 1, 767, 768, 4095, 4096, 8999]) {
      const own = Uint8Array.from(keys, (i) => 1 + (i % 3));
      own[at] = 4;
      const out = new Uint8Array(keys.length).fill(9);
      const some = make();
      expect(() => some.addMany(keys, own, out)).toThrow(`labels[${at}] must be an integer from 1 to 3, got 4`);
      expect(some.equals(make().addMany(keys.slice(0, at), own.subarray(0, at)))).toBe(true);
      expect(out.subarray(0, at).some(Boolean)).toBe(false);
      // Where the first wrong label comes after a wrong key, the key is named.
      const bad = [...keys.slice(0, at), null as never, ...keys];
      const more = make();
      expect(() => more.addMany(bad, [...bad.map(() => 1), 4].slice(1))).toThrow(`keys[${at}] must be`);
      expect(more.equals(make().addMany(keys.slice(0, at), 1))).toBe(true);
    }
  });

  it('reads labels before keys, and never again', () => {
    const own = [1, 2, 3];
    const seen: PropertyKey[] = [];
    const watched = new Proxy(own, {
      get: (target, name) => {
        seen.push(name);
        return Reflect.get(target, name) as unknown;
      },
    });
    const other = new SpatialBloomFilter({ capacity: 10, errorRate: 1e-6, labels: 3 });
    class Busy extends Set<string> {
      override *[Symbol.iterator](): SetIterator<string> {
        seen.push('keys');
        own.fill(99);
        for (const each of super[Symbol.iterator]()) {
          other.add(each, 3);
          yield each;
        }
      }
    }
    const filter = new SpatialBloomFilter({ capacity: 10, errorRate: 1e-6, labels: 3 });
    filter.addMany(new Busy(['a', 'b', 'c']), watched);
    expect(seen.slice(seen.indexOf('keys') + 1)).toEqual([]);
    expect([...filter.labelsOf(['a', 'b', 'c'])]).toEqual([1, 2, 3]);
    // A set that says that it has fewer keys than come.
    class More extends Set<string> {
      override get size(): number {
        return 1;
      }
    }
    const some = new SpatialBloomFilter({ capacity: 10, labels: 3 });
    expect(() => some.addMany(new More(['a', 'b']), [2])).toThrow(
      new RangeError('labels must have a label for each key, got 1 for more keys than that'),
    );
    expect([some.labelOf('a'), some.labelOf('b')]).toEqual([2, 0]);
  });

  it('is made from pairs of a label and keys', () => {
    const sets: [number, string[]][] = [
      [2, ['a', 'b']],
      [5, ['c']],
      [2, ['d', 'a']],
    ];
    const filter = SpatialBloomFilter.from(sets, { errorRate: 1e-6 });
    expect(filter).toMatchObject({ capacity: 5, errorRate: 1e-6, labels: 5, cellBits: 4 });
    expect([...filter.labelsOf(['a', 'b', 'c', 'd', 'e'])]).toEqual([2, 2, 5, 2, 0]);
    const generated = function* (): Generator<[number, Set<string>]> {
      for (const [label, keys] of sets) yield [label, new Set(keys)];
    };
    expect(SpatialBloomFilter.from(generated(), { errorRate: 1e-6 }).equals(filter)).toBe(true);
    expect(SpatialBloomFilter.from(sets, { labels: 65_535 })).toMatchObject({ labels: 65_535, cellBits: 16 });
    expect(SpatialBloomFilter.from(sets, { cells: 100, hashes: 2 })).toMatchObject({
      cells: 100,
      hashes: 2,
      labels: 5,
    });
    expect(SpatialBloomFilter.from([])).toMatchObject({ capacity: 1, labels: 1 });
    const unknown = (options?: object) =>
      SpatialBloomFilter.from(
        [
          [1, ['a'].values() as object as string[]],
          [2, ['b']],
        ],
        options,
      );
    expect(() => unknown()).toThrow('options.capacity must be given, because the number of keys is unknown');
    expect(unknown({ capacity: 9 })).toMatchObject({ capacity: 9, labels: 2 });
    class Options {
      get labels(): number {
        return 9;
      }
    }
    expect(SpatialBloomFilter.from(sets, new Options()).labels).toBe(9);
  });

  it('is made of nothing but pairs, labels and keys', () => {
    const from = (sets: unknown, options?: object) => () => SpatialBloomFilter.from(sets as [], options);
    for (const wrong of [undefined, null, 7, 'ab', { 1: ['a'] }]) {
      expect(from(wrong)).toThrow(/^sets must be a Map or another iterable of pairs of a label and keys, got /);
    }
    for (const wrong of ['a', 'ab', ['a'], [1, ['a'], 2], { 0: 1 }]) {
      expect(from([[1, ['b']], wrong])).toThrow(/^sets\[1\] must be a pair of a label and keys, got /);
    }
    expect(from([[1, 'a']])).toThrow(/^keys must be an array or iterable/);
    expect(from([[1, ['a', null]]])).toThrow(/^keys\[1\] must be/);
    for (const wrong of [0, 65_536, 0.5]) {
      expect(
        from([
          [1, ['a']],
          [wrong, ['b']],
        ]),
      ).toThrow(new RangeError(`sets[1][0] must be an integer from 1 to 65535, got ${wrong}`));
    }
    expect(from([['1', ['a']]])).toThrow(TypeError);
    expect(from([[4, ['a']]], { labels: 3 })).toThrow('sets[0][0] must be an integer from 1 to 3, got 4');
    for (const wrong of [0, 65_536, -1, 1.5, '2', null]) {
      expect(from([[1, ['a']]], { labels: wrong })).toThrow(/^labels must be an integer from 1 to 65535, got /);
    }
    expect(from([], { labelz: 3 })).toThrow('unknown option labelz; did you mean labels?');
  });

  it('needs a number of labels, and has the narrowest cells for them', () => {
    const make = (options: object) => () => new SpatialBloomFilter(options as never);
    expect(make({ capacity: 10 })).toThrow(new TypeError('labels must be an integer from 1 to 65535, got undefined'));
    expect(make({ cells: 10, hashes: 2 })).toThrow(/^labels must be/);
    expect(make({ cells: 10, labels: 2 })).toThrow(/^hashes must be/);
    expect(make({ cells: 10, hashes: 2, labels: 2, capacity: 9 })).toThrow(/a capacity or cells and hashes, got both/);
    const widths = [1, 2, 3, 4, 15, 16, 255, 256, 65_535].map((labels) => {
      const filter = new SpatialBloomFilter({ capacity: 1000, labels });
      expect(filter).toMatchObject({ cellCount: 9586, cells: 9586, hashes: 7, labels, cellName: 'cells' });
      expect(filter.byteLength).toBe(Math.ceil((9586 * filter.cellBits) / 8));
      return filter.cellBits;
    });
    expect(widths).toEqual([1, 2, 2, 4, 4, 8, 8, 16, 16]);
  });

  it('says when its cells are too full for an estimate', () => {
    const filter = new SpatialBloomFilter({ cells: 3, hashes: 1, labels: 3 });
    expect([filter.estimateCount(), filter.estimateCount(2), filter.estimateErrorRate(2)]).toEqual([0, 0, 0]);
    filter.addMany(range(0, 100), 2);
    expect([filter.estimateCount(), filter.estimateCount(1), filter.estimateCount(2), filter.estimateCount(3)]).toEqual(
      [Infinity, Number.NaN, Infinity, 0],
    );
    expect([1, 2, 3].map((label) => filter.estimateErrorRate(label))).toEqual([0, 1, 0]);
    filter.clear();
    expect([filter.fillRatio(), filter.fillRatio(3)]).toEqual([0, 0]);
  });

  it('is printed with what it has', () => {
    const filter = new SpatialBloomFilter({ capacity: 100, labels: 3 });
    const shown = `capacity: 100, 'errorRate at capacity': 0.01, cells: 961, hashes: 7, labels: 3, seed: 0, engine: '${name}'`;
    const options = { breakLength: Infinity };
    expect(inspect(filter, options)).toBe(
      `SpatialBloomFilter { ${shown}, 'fillRatio()': 0, 'estimateErrorRate()': 0 }`,
    );
    filter.dispose();
    expect(inspect(filter, options)).toBe(`SpatialBloomFilter { ${shown}, disposed: true }`);
    for (const use of [
      () => filter.add('a', 1),
      () => filter.addMany(['a'], 1),
      () => filter.labelOf('a'),
      () => filter.labelsOf(['a']),
      () => filter.fillRatio(2),
      () => filter.merge(filter),
      () => filter.clear(),
    ]) {
      expect(use).toThrow('the filter was used after dispose()');
    }
  });

  it('has the bits of a BloomFilter if there is one label', () => {
    for (const [capacity, errorRate] of [
      [1000, 0.01],
      [2000, 1e-6],
    ] as const) {
      const keys = range(0, 1000);
      const bits = new BloomFilter({ capacity, errorRate }).addMany(keys);
      const one = new SpatialBloomFilter({ capacity, errorRate, labels: 1 }).addMany(keys, 1);
      expect(bodyOf(one)).toEqual(bits.toBytes().subarray(64));
      expect([one.capacity, one.fillRatio()]).toEqual([capacity, bits.fillRatio()]);
      expect(one.estimateCount()).toBe(bits.estimateCount());
    }
  });

  it('has no methods that would need to lower cells', () => {
    for (const verb of ['remove', 'removeMany', 'intersection', 'dedupe']) {
      expect(verb in SpatialBloomFilter.prototype).toBe(false);
    }
  });
});
