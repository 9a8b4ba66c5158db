// What only the spatial filter has: labels. test/kinds/spatial-arguments.test.ts has what it takes and refuses.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashKeys } from '../../src/entries/hash.ts';
import { SpatialBloomFilter as Twin } from '../../src/entries/js/spatial.ts';
import { SpatialBloomFilter, type SpatialBloomFilterOptions } from '../../src/entries/spatial.ts';
import { BloomFilter, type Key, lines } from '../../src/index.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';
import { range } from '../shared/integers.ts';
import { murmur3 } from '../shared/oracle.ts';

/** The offset of the body in a file. */
const BODY_AT = 128;

const bodyOf = (filter: SpatialBloomFilter): Uint8Array => filter.toBytes().subarray(BODY_AT);

/** The labels in a body, each of so many bits. */
function labelsIn(body: Uint8Array, cells: number, bits: number): number[] {
  return range(0, cells).map((cell) => {
    const word = (body[(cell * bits) >> 3] ?? 0) | ((body[((cell * bits) >> 3) + 1] ?? 0) << 8);
    return (word >> ((cell * bits) & 7)) & (2 ** bits - 1);
  });
}

/**
 * What an independent program computed: of options, the cells, hashes and bits per cell; of as many keys for each label
 * from 1 on, which are 0, 1, 2 …, how many seem to have a higher label, how many of the next 2000 integers look present,
 * and h1 of the hash of the body.
 */
interface Vector extends Record<'mistaken' | 'positives', number> {
  readonly options: SpatialBloomFilterOptions;
  readonly size: readonly number[];
  readonly sizes: readonly number[];
  readonly digest: string;
}

const vectors = JSON.parse(readFileSync('test/vectors/spatial.json', 'utf8')) as readonly Vector[];

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
  it.each(vectors)('has the cells of the specification: %#', (vector) => {
    const { options, size, sizes, mistaken, positives, digest } = vector;
    const truth = sizes.flatMap((count, i) => new Array<number>(count).fill(i + 1));
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

  it('does the same one by one, in batches and in a union, for any keys, labels and size', () => {
    fc.assert(
      fc.property(labeled, fc.array(key, { maxLength: 30 }), fc.nat(60), ({ shape, given }, others, cut) => {
        using one = new SpatialBloomFilter(shape);
        const before = given.map(([each, label]) => {
          const found = one.labelOf(each);
          expect(one.add(each, label)).toBe(found);
          return found;
        });
        const [keys, own] = [given.map(([each]) => each), given.map(([, label]) => label)];
        const out = new Uint16Array(given.length);
        using many = new SpatialBloomFilter(shape).addMany(keys, own, out);
        expect([...out]).toEqual(before);
        expect(many.toBytes()).toEqual(one.toBytes());
        const all = [...keys, ...others];
        const found = all.map((each) => one.labelOf(each));
        expect([...one.labelsOf(all)]).toEqual(found);
        expect([...one.hasMany(all)]).toEqual(found.map((label) => Number(label > 0)));
        expect(all.map((each) => one.has(each))).toEqual(found.map((label) => label > 0));
        // Never lower than any label that a key was added with.
        for (const [i, label] of own.entries()) expect(found[i]).toBeGreaterThanOrEqual(label);

        const [a, b] = [[0, cut] as const, [cut] as const].map((part) =>
          new SpatialBloomFilter(shape).addMany(keys.slice(...part), own.slice(...part)),
        ) as [SpatialBloomFilter, SpatialBloomFilter];
        const first = a.toBytes();
        expect(a.equals(b)).toBe(Buffer.compare(bodyOf(a), bodyOf(b)) === 0);
        expect([a.union(b).toBytes(), a.toBytes()]).toEqual([one.toBytes(), first]);
        const twin = new Twin(shape).addMany(keys.slice(cut), own.slice(cut)) as object as SpatialBloomFilter;
        expect(a.clone().merge(twin).equals(one)).toBe(true);
        expect(a.merge(b)).toBe(a);
        expect(a.equals(one)).toBe(true);

        const { hashes, cells } = shape;
        const held = labelsIn(bodyOf(one), cells, one.cellBits);
        const share = (least: number): number => held.filter((label) => label >= least).length / cells;
        const count = (least: number): number => (-cells / hashes) * Math.log1p(-share(least));
        expect([one.fillRatio(), one.estimateCount()]).toEqual([share(1), count(1)]);
        expect(one.estimateErrorRate()).toBe(share(1) ** hashes);
        for (const label of new Set([1, shape.labels, ...own])) {
          expect(one.fillRatio(label)).toBe(share(label));
          expect(one.estimateErrorRate(label)).toBe(share(label) ** hashes - share(label + 1) ** hashes);
          expect(one.estimateCount(label)).toBe(count(label) - count(label + 1));
        }
      }),
      { seed: 9, numRuns: 120 },
    );
  });

  it.each([
    [{ labels: 2 }, 'labels of other must be 3, got 2'],
    [{ labels: 4 }, 'labels of other must be 3, got 4'],
    [{ seed: 1 }, 'seed of other must be 0, got 1'],
    [{ capacity: 50 }, 'other must have 961 cells for capacity 100 at 0.01, got 481 cells for capacity 50 at 0.01'],
  ])('refuses to combine filters that differ, and names the difference: %j', (options, message) => {
    const filter = new SpatialBloomFilter({ capacity: 100, labels: 3 });
    const other = new SpatialBloomFilter({ capacity: 100, labels: 3, ...options });
    expect(() => filter.union(other)).toThrow(new RangeError(message));
    expect(() => filter.merge(other)).toThrow(new RangeError(message));
    expect(filter.equals(other)).toBe(false);
    for (const verb of ['union', 'merge'] as const) {
      expect(() => filter[verb](new BloomFilter({ capacity: 100 }) as never)).toThrow(
        new TypeError('other must be a SpatialBloomFilter, got a BloomFilter'),
      );
    }
    other.dispose();
    const same = filter.clone();
    filter.dispose();
    for (const use of [() => filter.merge(same), () => same.merge(filter), () => filter.add('a', 1)]) {
      expect(use).toThrow('the filter was used after dispose()');
    }
  });

  it('takes labels across the boundaries of chunks and tiles, and in every shape of keys', () => {
    const words = range(0, 2 * CHUNK_KEYS + 100).map((i) => `word ${i}`);
    const own = Uint8Array.from(words, (_, i) => 1 + (i % 200));
    const make = () => new SpatialBloomFilter({ capacity: words.length, errorRate: 1e-6, labels: 200 });
    const wanted = make();
    for (const [i, word] of words.entries()) wanted.add(word, own[i] as number);
    expect(wanted.labelsOf(words.values())).toEqual(own);
    for (const form of [words, new Set(words), lines(Buffer.from(words.join('\r\n'))), hashKeys(words)]) {
      const out = new Uint8Array(words.length);
      expect(
        make()
          .addMany(form as string[], own, out)
          .equals(wanted),
      ).toBe(true);
      expect(out.some(Boolean)).toBe(false);
      expect(wanted.labelsOf(form as string[])).toEqual(own);
    }
    for (const each of [[...own], Uint16Array.from(own)]) expect(make().addMany(words, each).equals(wanted)).toBe(true);
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
});
