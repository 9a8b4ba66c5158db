// What only the spatial filter has: labels.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashKeys } from '../../src/entries/hash.ts';
import { SpatialBloomFilter as Twin } from '../../src/entries/js/spatial.ts';
import { SpatialBloomFilter } from '../../src/entries/spatial.ts';
import { type Key, lines } from '../../src/index.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';
import { bodyOf } from '../format/saved.ts';
import { range } from '../shared/integers.ts';
import { digestOf } from '../shared/oracle.ts';
import vectors from '../vectors/spatial.json' with { type: 'json' };

/** The labels in a body, each of so many bits. */
function labelsIn(body: Uint8Array, cells: number, bits: number): number[] {
  return range(0, cells).map((cell) => {
    const word = (body[(cell * bits) >> 3] ?? 0) | ((body[((cell * bits) >> 3) + 1] ?? 0) << 8);
    return (word >> ((cell * bits) & 7)) & (2 ** bits - 1);
  });
}

const key: fc.Arbitrary<Key> = fc.oneof(fc.string({ unit: 'binary', maxLength: 6 }), fc.integer(), fc.uint8Array());
/** A number of labels of each width. */
const labels = fc.constantFrom(1, 2, 3, 4, 15, 16, 255, 256, 65_535);
const [cells, hashes] = [fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 9 })];
/** Small enough that cells are shared. */
const shapes = fc.record({ cells, hashes, labels, seed: fc.nat(2 ** 32 - 1) });

/** A shape, and keys with labels that it can have. */
const labeled = shapes.chain((shape) =>
  fc.record({
    shape: fc.constant(shape),
    given: fc.array(fc.tuple(key, fc.integer({ min: 1, max: shape.labels })), { maxLength: 60 }),
  }),
);

describe('a spatial filter', () => {
  // What an independent program computed: of options, the cells, hashes and bits per cell; of as many keys for each label
  // from 1 on, which are 0, 1, 2 …, how many seem to have a higher label, how many of the next 2000 integers look present,
  // and h1 of the hash of the body.
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
      expect(digestOf(bodyOf(filter))).toBe(digest);
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
    const absent = fc.array(key, { maxLength: 30 });
    const property = fc.property(labeled, absent, fc.nat(60), ({ shape, given }, others, cut) => {
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
    });
    fc.assert(property, { seed: 9, numRuns: 120 });
  });

  it('refuses to combine filters of other labels', () => {
    const filter = new SpatialBloomFilter({ capacity: 100, labels: 3 });
    const other = new SpatialBloomFilter({ capacity: 100, labels: 2 });
    for (const verb of ['union', 'merge'] as const) {
      expect(() => filter[verb](other)).toThrow(new RangeError('labels of other must be 3, got 2'));
    }
    expect(filter.equals(other)).toBe(false);
    const same = filter.clone();
    filter.dispose();
    for (const use of [() => filter.merge(same), () => same.merge(filter), () => filter.add('a', 1)]) {
      expect(use).toThrow('the filter was used after dispose()');
    }
  });

  it('takes labels across the boundaries of chunks and tiles, and in every shape of keys', () => {
    // One of them is longer than the scratch.
    const words = range(0, 2 * CHUNK_KEYS + 100).map((i) => (i === 7 ? 'long '.repeat(50_000) : `word ${i}`));
    const own = Uint8Array.from(words, (_, i) => 1 + (i % 200));
    const make = () => new SpatialBloomFilter({ capacity: words.length, errorRate: 1e-6, labels: 200 });
    const wanted = make();
    expect(words.some((word, i) => wanted.add(word, own[i] as number))).toBe(false);
    expect(wanted.labelsOf(words.values())).toEqual(own);
    expect(wanted.labelOf(words[7] as string)).toBe(own[7]);
    for (const form of [words, new Set(words), lines(Buffer.from(words.join('\r\n'))), hashKeys(words)]) {
      const out = new Uint8Array(words.length);
      const made = make().addMany(form as string[], own, out);
      expect(made.equals(wanted)).toBe(true);
      expect(out.some(Boolean)).toBe(false);
      expect(wanted.labelsOf(form as string[])).toEqual(own);
    }
    for (const each of [[...own], Uint16Array.from(own)]) expect(make().addMany(words, each).equals(wanted)).toBe(true);
  });

  it('says when its cells are too full for an estimate', () => {
    const filter = new SpatialBloomFilter({ cells: 3, hashes: 1, labels: 3 });
    expect([filter.estimateCount(), filter.estimateCount(2), filter.estimateErrorRate(2)]).toEqual([0, 0, 0]);
    filter.addMany(range(0, 100), 2);
    const counts = [undefined, 1, 2, 3].map((label) => filter.estimateCount(label));
    expect(counts).toEqual([Infinity, Number.NaN, Infinity, 0]);
    expect([1, 2, 3].map((label) => filter.estimateErrorRate(label))).toEqual([0, 1, 0]);
    filter.clear();
    expect([filter.fillRatio(), filter.fillRatio(3)]).toEqual([0, 0]);
  });
});

describe('arguments of a spatial filter', () => {
  it.each([
    [255, Uint8Array],
    [256, Uint16Array],
  ])('returns labels as bytes, or as integers of 16 bits where a label may exceed 255: %i', (labels, Type) => {
    const filter = new SpatialBloomFilter({ capacity: 10, labels }).addMany(['a', 'b'], labels);
    for (const keys of [['b', 'a'], ['b', 'a'].values()])
      expect(filter.labelsOf(keys)).toEqual(Type.of(labels, labels));
    expect(filter.labelsOf([])).toEqual(new Type(0));
    const shared = Object.assign(new Uint16Array(new SharedArrayBuffer(10), 2, 3), { set: expect.unreachable });
    for (const out of [shared, Buffer.alloc(3)] as Uint16Array[]) {
      if (labels > 255 && out instanceof Uint8Array) continue;
      const view = filter.labelsOf(['a'], out.fill(9));
      expect([...out]).toEqual([labels, 9, 9]);
      expect([view.buffer, view.length]).toEqual([out.buffer, 1]);
    }
  });

  it('refuses an array that cannot hold the labels, before it adds anything', () => {
    const many = new SpatialBloomFilter({ capacity: 10, labels: 256 });
    const few = new SpatialBloomFilter({ capacity: 10, labels: 3 });
    const lost = new Uint16Array(4);
    structuredClone(lost, { transfer: [lost.buffer] });
    const short = /^out must have a length of 2 or more, got 1$/;
    const unknown = /^out needs a known number of keys, got an iterable$/;
    const narrow = /^out must be a Uint16Array, for labels up to 256, got an object \(Uint8/;
    const ab = ['a', 'b'];
    for (const [filter, keys, out, Expected, message] of [
      [many, ab, new Uint8Array(2), TypeError, narrow],
      ...[null, [], new Int16Array(2), new Uint8ClampedArray(2), 'a'].flatMap((out) => [
        [few, ab, out, TypeError, /^out must be a Uint8Array, got /],
        [many, ab, out, TypeError, /^out must be a Uint16Array, for /],
      ]),
      [many, ab, lost, TypeError, /detached or out of bounds/],
      [many, ab, new Uint16Array(1), RangeError, short],
      [few, ab, new Uint8Array(1), RangeError, short],
      [few, new Map([['a', 1]]).keys(), new Uint8Array(9), TypeError, unknown],
    ] as [SpatialBloomFilter, string[], never, typeof TypeError, RegExp][]) {
      for (const call of [() => filter.labelsOf(keys, out), () => filter.addMany(keys, 1, out)]) {
        expect(call).toThrow(Expected);
        expect(call).toThrow(message);
      }
    }
    expect([many.fillRatio(), few.fillRatio()]).toEqual([0, 0]);
  });

  it('refuses wrong labels, and names them', () => {
    const filter = new SpatialBloomFilter({ capacity: 10, labels: 3 });
    const verbs = ['fillRatio', 'estimateCount', 'estimateErrorRate'] as const;
    const refused = (Expected: typeof TypeError, wrong: never, got = String(wrong)): void => {
      for (const [name, call] of [
        ['label', () => filter.add('a', wrong)],
        ['labels[0]', () => filter.addMany(['a'], [wrong])],
        ...(wrong === undefined ? [] : verbs.map((verb) => ['label', () => filter[verb](wrong)] as const)),
      ] as const) {
        expect(call).toThrow(Expected);
        expect(call).toThrow(`${name} must be an integer from 1 to 3, got ${got}`);
      }
    };
    for (const wrong of [0, -1, 4, 1.5, Number.NaN, Infinity, 2 ** 32 + 1] as never[]) {
      refused(RangeError, wrong);
      const message = `labels must be an integer from 1 to 3, got ${String(wrong)}`;
      expect(() => filter.addMany(['a'], wrong)).toThrow(new RangeError(message));
    }
    for (const wrong of [undefined, null, '1', 1n, [1], {}] as never[]) refused(TypeError, wrong, '');
    const all = /^labels must be an integer from 1 to 3, or an array of them for all keys, got /;
    for (const wrong of [undefined, null, '1', 1n, {}, new Uint32Array(1), new Set([1])] as never[]) {
      expect(() => filter.addMany(['a'], wrong)).toThrow(all);
    }
    for (const own of [[1], [1, 1, 1]]) {
      const message = `labels must have a label for each of 2 keys, got ${own.length}`;
      expect(() => filter.addMany(['a', 'b'], own)).toThrow(new RangeError(message));
    }
    const unknown = /^labels must be one label for all keys, because the number of keys is unknown, got /;
    expect(() => filter.addMany(['a'].values(), [1])).toThrow(unknown);
    expect(() => filter.add({} as never, 1)).toThrow(/^key must be /);
    expect(filter.fillRatio()).toBe(0);
  });

  it('has added the keys before a wrong label or a wrong key, of which it names the first', () => {
    const make = () => new SpatialBloomFilter({ capacity: 10_000, errorRate: 1e-6, labels: 3 });
    const keys = range(0, 9000);
    for (const at of [0, 767, 768, 4096, 8999]) {
      const own = Uint8Array.from(keys, (i) => 1 + (i % 3));
      own[at] = 4;
      const out = new Uint8Array(keys.length).fill(9);
      const some = make();
      expect(() => some.addMany(keys, own, out)).toThrow(`labels[${at}] must be an integer from 1 to 3, got 4`);
      expect(some.equals(make().addMany(keys.slice(0, at), own.subarray(0, at)))).toBe(true);
      expect(out.subarray(0, at).some(Boolean)).toBe(false);
      // No label is told for the keys after it.
      expect(out.filter((each) => each > 0 && each < 9)).toHaveLength(0);
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
    const [filter, other] = [0, 1].map(() => new SpatialBloomFilter({ capacity: 10, errorRate: 1e-6, labels: 3 }));
    class Busy extends Set<string> {
      override *[Symbol.iterator](): SetIterator<string> {
        seen.push('keys');
        own.fill(99);
        for (const each of super[Symbol.iterator]()) {
          other?.add(each, 3);
          yield each;
        }
      }
    }
    filter?.addMany(new Busy(['a', 'b', 'c']), watched);
    expect(seen.at(-1)).toBe('keys');
    expect(filter?.labelsOf(['a', 'b', 'c'])).toEqual(Uint8Array.of(1, 2, 3));
    // A set that says that it has fewer keys than come.
    const more = Object.defineProperty(new Set(['d', 'e']), 'size', { value: 1 });
    const tooFew = new RangeError('labels must have a label for each key, got 1 for more keys than that');
    expect(() => filter?.addMany(more, [2])).toThrow(tooFew);
    expect([filter?.labelOf('d'), filter?.labelOf('e')]).toEqual([2, 0]);
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
    for (const [given, options, wanted] of [
      [sets, { labels: 65_535 }, { labels: 65_535, cellBits: 16 }],
      [sets, { cells: 100, hashes: 2 }, { cells: 100, hashes: 2, labels: 5 }],
      [sets, Object.create({ labels: 9 }) as object, { labels: 9 }],
      [[], {}, { capacity: 1, labels: 1 }],
    ] as [typeof sets, object, object][]) {
      expect(SpatialBloomFilter.from(given, options)).toMatchObject(wanted);
    }
    const unknown = (options?: object) =>
      SpatialBloomFilter.from([[1, ['a'].values() as object as string[]], ...sets], options);
    expect(() => unknown()).toThrow('options.capacity must be given, because the number of keys is unknown');
    expect(unknown({ capacity: 9 })).toMatchObject({ capacity: 9, labels: 5 });
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
      const second = new RangeError(`sets[1][0] must be an integer from 1 to 65535, got ${wrong}`);
      expect(from(new Map([[1, ['a']] as const, [wrong, ['b']] as const]))).toThrow(second);
    }
    expect(from([['1', ['a']]])).toThrow(TypeError);
    expect(from([[4, ['a']]], { labels: 3 })).toThrow('sets[0][0] must be an integer from 1 to 3, got 4');
    for (const labels of [0, 65_536, '2', null]) {
      expect(from([[1, ['a']]], { labels })).toThrow(/^labels must be an integer from 1 to 65535, got /);
    }
  });

  it('needs a number of labels, and has the narrowest cells for them', () => {
    const wanted = new TypeError('labels must be an integer from 1 to 65535, got undefined');
    for (const options of [{ capacity: 10 }, { cells: 10, hashes: 2 }] as never[]) {
      expect(() => new SpatialBloomFilter(options)).toThrow(wanted);
    }
    const widths = [1, 2, 3, 4, 15, 16, 255, 256, 65_535].map((labels) => {
      const { byteLength, cellBits } = new SpatialBloomFilter({ capacity: 1000, labels });
      expect(byteLength).toBe(Math.ceil((9586 * cellBits) / 8));
      return cellBits;
    });
    expect(widths).toEqual([1, 2, 2, 4, 4, 8, 8, 16, 16]);
  });
});
