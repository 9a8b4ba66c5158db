// What a spatial filter takes for labels, sets and options, and what it refuses.

import { describe, expect, it } from 'vitest';
import { SpatialBloomFilter } from '../../src/entries/spatial.ts';
import { range } from '../shared/integers.ts';

describe('arguments of a spatial filter', () => {
  it.each([
    [255, Uint8Array],
    [256, Uint16Array],
  ])('returns labels as bytes, or as integers of 16 bits where a label may exceed 255: %i', (labels, Type) => {
    const filter = new SpatialBloomFilter({ capacity: 10, labels }).addMany(['a', 'b'], labels);
    for (const keys of [['b', 'a'], ['b', 'a'].values()])
      expect(filter.labelsOf(keys)).toEqual(Type.of(labels, labels));
    expect(filter.labelsOf([])).toEqual(new Type(0));
    for (const out of [new Uint16Array(new SharedArrayBuffer(10), 2, 3), Buffer.alloc(3)] as Uint16Array[]) {
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
    const ab = ['a', 'b'];
    for (const [filter, keys, out, Expected, message] of [
      [
        many,
        ab,
        new Uint8Array(2),
        TypeError,
        /^out must be a Uint16Array, for labels up to 256, got an object \(Uint8/,
      ],
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
    expect(() => filter.addMany(['a'].values(), [1])).toThrow(
      /^labels must be one label for all keys, because the number of keys is unknown, got /,
    );
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
    expect(() => filter?.addMany(more, [2])).toThrow(
      new RangeError('labels must have a label for each key, got 1 for more keys than that'),
    );
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
    expect(from([], { labelz: 3 })).toThrow('unknown option labelz; did you mean labels?');
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
