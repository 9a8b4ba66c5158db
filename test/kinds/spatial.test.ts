// What only the spatial filter has: labels. test/kinds/spatial-arguments.test.ts has what it takes and refuses.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SpatialBloomFilter, type SpatialBloomFilterOptions } from '../../src/entries/spatial.ts';
import { SpatialBloomFilter as Twin } from '../../src/entries/spatial-js.ts';
import { CELLS } from '../../src/filters/kind.ts';
import { hashKeys } from '../../src/hash.ts';
import { BloomFilter, column, type Key, lines } from '../../src/index.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';
import { range } from '../shared/integers.ts';
import { indicesOf, murmur3, Spatial } from '../shared/oracle.ts';

/** The offset of the body in a file. */
const BODY_AT = 128;

const bodyOf = (filter: SpatialBloomFilter): Uint8Array => filter.toBytes().subarray(BODY_AT);
const times = (count: number, size: number): number[] => Array.from({ length: count }, () => size);

type Options = SpatialBloomFilterOptions;

/**
 * What an independent program computed: of options, the cells, hashes and bits per cell; of as many keys for each label
 * from 1 on, which are 0, 1, 2 …, how many seem to have a higher label, how many of the next 2000 integers look present,
 * and h1 of the hash of the body.
 */
const vectors: readonly [Options, number[], sizes: number[], mistaken: number, positives: number, digest: string][] = [
  [{ cells: 64, hashes: 2, labels: 1 }, [64, 2, 1], [3], 0, 18, 'ef3a9f868add94e7'],
  [{ cells: 64, hashes: 2, labels: 3 }, [64, 2, 2], [3, 3, 3], 0, 174, '2620d54681d66cfd'],
  [{ cells: 64, hashes: 2, labels: 15 }, [64, 2, 4], [1, 2, 3, 4], 0, 191, 'c3ed64264955f45b'],
  [{ cells: 63, hashes: 3, labels: 255 }, [63, 3, 8], [3, 0, 3], 0, 17, 'cfc25238545079e9'],
  [{ cells: 63, hashes: 3, labels: 65_535 }, [63, 3, 16], [3, 0, 3], 0, 17, '9044773024a51ce6'],
  [{ capacity: 100, errorRate: 0.01, labels: 4 }, [961, 7, 4], [25, 25, 25, 25], 0, 17, '87a2bb12786c283b'],
  [{ capacity: 1000, errorRate: 0.01, labels: 3, seed: 7 }, [9586, 7, 2], [500, 300, 200], 0, 21, '9571d0e97fdf28e0'],
  [{ capacity: 1000, errorRate: 0.001, labels: 200 }, [14_378, 10, 8], times(200, 5), 0, 3, '78bf42ae64df5baa'],
  [{ capacity: 100, errorRate: 0.1, labels: 2 }, [481, 3, 2], [300, 300], 162, 1876, 'e02fc2feba0c7e3f'],
  [{ capacity: 1000, errorRate: 0.01, labels: 300 }, [9586, 7, 16], times(300, 3), 1, 8, '202b5fa99e40bfe2'],
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

describe('a spatial filter', () => {
  it.each(vectors)('has the cells of the specification: %j', (options, size, sizes, mistaken, positives, digest) => {
    const truth = sizes.flatMap((count, i) => times(count, i + 1));
    const keys = range(0, truth.length);
    const one = new SpatialBloomFilter(options);
    expect([one.cells, one.hashes, one.cellBits, one.labels]).toEqual([...size, options.labels]);
    for (const [i, label] of truth.entries()) one.add(i, label);
    const sets = sizes.map((_, i) => [i + 1, keys.filter((each) => truth[each] === i + 1)] as const);
    const all = [
      one,
      new SpatialBloomFilter(options).addMany(keys, truth),
      // The order does not matter.
      new SpatialBloomFilter(options).addMany(keys.toReversed(), Uint16Array.from(truth).reverse()),
      SpatialBloomFilter.from(sets, options),
      SpatialBloomFilter.from(new Map(sets.toReversed()), options),
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
      { seed: 9, numRuns: 120 },
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
      { seed: 4, numRuns: 80 },
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
        const [a, b, all] = [make(given.slice(0, cut)), make(given.slice(cut)), make(given)];
        const before = a.toBytes();
        expect([a.union(b).toBytes(), a.toBytes()]).toEqual([all.toBytes(), before]);
        const other = make(given.slice(cut), Twin as typeof SpatialBloomFilter);
        expect(a.clone().merge(other).equals(all)).toBe(true);
        expect(a.merge(b)).toBe(a);
        expect(a.equals(all)).toBe(true);
        expect(a.equals(b)).toBe(Buffer.compare(bodyOf(a), bodyOf(b)) === 0);
      }),
      { seed: 2, numRuns: 50 },
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

  it('sets and reads cells beyond 2^32', () => {
    // Of its 768 MiB, a few pages are touched.
    const shape = { cells: 2 ** 32 + 2 ** 31, hashes: 7, labels: 1, seed: 0 };
    using filter = new SpatialBloomFilter(shape);
    filter.add('a', 1);
    filter.addMany(['b'], 1);
    const { bytes } = filter[CELLS].region;
    for (const key of ['a', 'b']) {
      const far = indicesOf(key, shape.cells, 7, 0).filter((index) => index > 2 ** 32);
      expect(far.length).toBeGreaterThan(0);
      for (const index of far) {
        const [at, bit] = [Math.floor(index / 8), 1 << (index % 8)];
        expect(bytes[at]).toBe(bit);
        bytes[at] = 0;
        expect([filter.labelOf(key), ...filter.labelsOf([key])]).toEqual([0, 0]);
        bytes[at] = bit;
        expect([filter.labelOf(key), ...filter.labelsOf([key])]).toEqual([1, 1]);
      }
    }
  });

  it('refuses to combine filters that differ, and names the difference', () => {
    const filter = new SpatialBloomFilter({ capacity: 100, labels: 3 });
    const size = 'other must have 961 cells for capacity 100 at 0.01, got 481 cells for capacity 50 at 0.01';
    for (const [options, message] of [
      [{ labels: 2 }, 'labels of other must be 3, got 2'],
      [{ labels: 4 }, 'labels of other must be 3, got 4'],
      [{ seed: 1 }, 'seed of other must be 0, got 1'],
      [{ capacity: 50 }, size],
    ] as const) {
      const other = new SpatialBloomFilter({ capacity: 100, labels: 3, ...options });
      expect(() => filter.union(other)).toThrow(new RangeError(message));
      expect(() => filter.merge(other)).toThrow(new RangeError(message));
      expect(filter.equals(other)).toBe(false);
    }
    const classic = new BloomFilter({ capacity: 100 }) as never;
    for (const verb of ['union', 'merge', 'equals'] as const) {
      const message = 'other must be a SpatialBloomFilter, got a BloomFilter';
      expect(() => filter[verb](classic)).toThrow(new TypeError(message));
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

  it('has the bits of a BloomFilter if there is one label', () => {
    const keys = range(0, 1000);
    const bits = new BloomFilter({ capacity: 1000, errorRate: 1e-6 }).addMany(keys);
    const one = new SpatialBloomFilter({ capacity: 1000, errorRate: 1e-6, labels: 1 }).addMany(keys, 1);
    expect(bodyOf(one)).toEqual(bits.toBytes().subarray(64));
    expect([one.fillRatio(), one.estimateCount()]).toEqual([bits.fillRatio(), bits.estimateCount()]);
  });
});
