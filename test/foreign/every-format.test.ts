// What filters in the format of every other system do alike.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashKeys } from '../../src/entries/hash.ts';
import { by } from '../../src/entries/items.ts';
import { generateSecret, keyed } from '../../src/entries/keyed.ts';
import { loadAny } from '../../src/entries/load.ts';
import { records } from '../../src/entries/records.ts';
import { TombstoneFilter } from '../../src/entries/tombstone.ts';
import { difference } from '../../src/entries/views.ts';
import { BloomFilter, type Key, lines, SavedFilterError } from '../../src/index.ts';
import { keysOf } from '../format/saved.ts';
import { columnOf } from '../shared/columns.ts';
import { codeOf, formats } from './formats.ts';

const text = new TextEncoder();

const OPTIONS = { capacity: 100, errorRate: 0.01 };
const NUMBERS = [0, 1, -1, 7, 255, 65_536, 2 ** 31 - 1, -(2 ** 31), 2 ** 40, 123_456_789n];

/** Strings and bytes that every format takes. */
const plainKey: fc.Arbitrary<Key> = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.uint8Array({ maxLength: 60 }),
);

/** Yields bytes in parts that are overwritten later. */
function* overwritten(parts: readonly Uint8Array[]): Generator<Uint8Array> {
  const buffer = new Uint8Array(2000);
  for (const part of parts) {
    buffer.fill(0xff).set(part);
    yield buffer.subarray(0, part.length);
  }
}

const subjects = formats.flatMap(({ variants, ...format }) =>
  variants.map((variant) => ({ ...format, variant, shown: JSON.stringify(variant) })),
);

describe.each(subjects)('a filter in the format of another system: $name, $shown', (subject) => {
  const { name, classes, variant, loneSurrogate } = subject;
  const [Filter, Twin] = classes;
  const options = subject.readingOptions?.(variant) ?? {};
  const make = (Class = Filter) => new Class({ ...OPTIONS, ...variant });
  const numbers = NUMBERS.filter((key) => subject.isNumberKey(key, variant));
  const key = numbers.length === 0 ? plainKey : fc.oneof(plainKey, fc.constantFrom<Key>(...numbers));
  const anyKeys = fc.array(key, { maxLength: 50 });

  it('finds every key, gives batches and single keys the same answers, and engines the same bytes', () => {
    const property = fc.property(anyKeys, anyKeys, (added, others) => {
      const batch = make().addMany(added);
      const singles = make();
      for (const key of added) singles.add(key);
      const twin = make(Twin).addMany(added);
      expect(batch.toBytes()).toEqual(singles.toBytes());
      expect(twin.toBytes()).toEqual(batch.toBytes());
      expect(batch.hasMany(added).every(Boolean)).toBe(true);
      const flags = Array.from(batch.hasMany(others), Boolean);
      expect(others.map((key) => singles.has(key))).toEqual(flags);
      expect(others.map((key) => twin.has(key))).toEqual(flags);
      expect(batch.pick(others)).toEqual(others.filter((_, i) => flags[i]));
      expect(batch.omit(others)).toEqual(others.filter((_, i) => !flags[i]));
    });
    fc.assert(property, { numRuns: 40 });
  });

  it('takes keys from every collection', () => {
    const some = Array.from({ length: 80 }, (_, i) => (i % 20 === 7 ? '' : `wörd ${'漢x'.repeat(i % 25)}${i}`));
    // More than are read ahead.
    const words = Array.from({ length: 20 }, () => some).flat();
    const encoded = words.map((word) => text.encode(word));
    const expected = make().addMany(words).toBytes();
    const ofLines = lines(Buffer.from(`${words.join('\n')}\n`));
    for (const keys of [new Set(words), words.values(), encoded, ofLines, columnOf(encoded)]) {
      expect(make().addMany(keys).toBytes()).toEqual(expected);
    }
    const list = Array.from({ length: 80 }, (_, i) => Uint8Array.of(i, 7));
    const again = function* (): Generator<Uint8Array> {
      const buffer = new Uint8Array(2);
      for (const bytes of list) {
        buffer.set(bytes);
        yield buffer;
      }
    };
    expect(make().addMany(again()).toBytes()).toEqual(make().addMany(list).toBytes());
    expect(make().addMany(list).pick(again())).toEqual(list);
    const abc = make().addMany(['a', 'b', 'c']);
    expect([...abc.pick(records(text.encode('abxc'), 1)).bytes]).toEqual([...text.encode('abc')]);
    // Records of 4 and 8 bytes are hashed as integers are.
    const bytes = Uint8Array.from({ length: 240 }, (_, i) => i * 7);
    for (const width of [3, 4, 8]) {
      const keys = Array.from({ length: 240 / width }, (_, i) => bytes.subarray(width * i, width * (i + 1)));
      expect(make().addMany(records(bytes, width)).toBytes()).toEqual(make().addMany(keys).toBytes());
    }
  });

  it('flags and deduplicates keys, some of them the same', () => {
    const keys = ['a', 'b', 'a', text.encode('b'), 'c'];
    const out = new Uint8Array(5);
    make().addMany(keys, out);
    expect([...out]).toEqual([1, 1, 0, 0, 1]);
    expect([...make().hasMany(new Set(['d', 'a']), out)]).toEqual([0, 0]);
    expect(make().dedupe(keys)).toEqual(['a', 'b', 'c']);
  });

  it('picks, omits and deduplicates items by a key of each, of any kind of key that it has', () => {
    const property = fc.property(anyKeys, anyKeys, (added, asked) => {
      const filter = make().addMany(by(added, (key) => key));
      expect(filter.toBytes()).toEqual(make().addMany(added).toBytes());
      const items = asked.map((key, place) => ({ key, place }));
      const flags = filter.hasMany(asked);
      expect(filter.hasMany(by(items, ({ key }) => key))).toEqual(flags);
      expect(filter.pick(by(items, ({ key }) => key))).toEqual(items.filter(({ place }) => flags[place] === 1));
      const absent = items.filter(({ place }) => flags[place] === 0);
      expect(filter.omit(by(new Set(items), ({ key }) => key))).toEqual(absent);
      const isNew = new Uint8Array(asked.length);
      filter.clone().addMany(asked, isNew);
      expect(filter.dedupe(by(items, ({ key }) => key))).toEqual(items.filter(({ place }) => isNew[place] === 1));
    });
    fc.assert(property, { numRuns: 20 });
    const filter = make();
    const wrong = by(['a', 'b'], (word) => (word === 'b' ? (null as never) : word));
    expect(() => filter.pick(wrong)).toThrow(/^keys\[1\] must be /);
  });

  it('takes a lone surrogate as the system does', () => {
    for (const lone of ['\ud800', 'a\udc00b', `${'x'.repeat(100)}\ud800`, '\udc00\ud800']) {
      const same = make().addMany([lone.replace(/[\ud800-\udfff]/gu, loneSurrogate)]);
      expect(make().addMany([lone]).toBytes()).toEqual(same.toBytes());
      const single = make();
      expect(single.add(lone)).toBe(true);
      expect(single.toBytes()).toEqual(same.toBytes());
      expect(single.pick([lone])).toEqual([lone]);
    }
  });

  it('is saved and loaded whole, and in chunks', async () => {
    const filter = make().addMany(['a', 'b', 'c']);
    const bytes = filter.toBytes();
    expect(Filter.fromBytes(bytes, options).equals(filter)).toBe(true);
    expect(Filter.fromBytes(bytes.buffer, options).toBytes()).toEqual(bytes);
    expect(Buffer.concat([...filter.toChunks()])).toEqual(Buffer.from(bytes));
    const cut = [bytes.subarray(0, 3), bytes.subarray(3, 20), bytes.subarray(20)];
    expect(Filter.fromChunks(cut, options).equals(filter)).toBe(true);
    expect(Filter.fromChunks(overwritten(cut), options).toBytes()).toEqual(bytes);
    const later = (async function* () {
      yield* overwritten(cut);
    })();
    expect((await Filter.fromChunks(later, options)).equals(filter)).toBe(true);
    expect(Twin.fromBytes(bytes, options).toBytes()).toEqual(bytes);
    const copy = filter.clone();
    expect(copy.toBytes()).toEqual(bytes);
    copy.add('another');
    expect([copy.equals(filter), filter.has('another')]).toEqual([false, false]);
    expect(() => Filter.fromChunks(7 as never)).toThrow(/^chunks must be an iterable or an /);
  });

  it('refuses chunks that are none, and leaves their source', async () => {
    let open = 0;
    const wrong = function* () {
      open++;
      try {
        yield Uint8Array.of(1);
        yield 'text' as never;
      } finally {
        open--;
      }
    };
    const late = async function* () {
      yield* wrong();
    };
    const message = /^chunks\[1\] must be a Uint8Array/;
    expect(() => Filter.fromChunks(wrong(), options)).toThrow(message);
    await expect(Filter.fromChunks(late(), options)).rejects.toThrow(message);
    expect(open).toBe(0);
    // This error counts, whatever becomes of leaving the source.
    for (const cancel of [() => Promise.reject(new Error('from cancel')), () => new Promise<void>(() => {})]) {
      const stream = new ReadableStream({ start: (controller) => controller.enqueue('text'), cancel });
      await expect(Filter.fromChunks(stream, options)).rejects.toThrow(/^chunks\[0\] must be a Uint8Array/);
    }
  });

  it('is saved in chunks of at most 1 MiB', () => {
    const large = new Filter({ ...variant, capacity: 1_500_000, errorRate: 0.01 }).addMany(['a']);
    const chunks = Array.from(large.toChunks(), ({ length }) => length);
    expect(Math.max(...chunks)).toBe(2 ** 20);
    expect(Filter.fromBytes(large.toBytes(), options).equals(large)).toBe(true);
  });

  it('is combined with another one as if all keys had been added to one, and intersected bit by bit', () => {
    const one = make().addMany(['a', 'b', 'd']);
    const other = make(Twin).addMany(['b', 'c']);
    expect([one.union === undefined, one.intersection === undefined]).toEqual(Array(2).fill(name === 'redisbloom'));
    if (one.union === undefined || one.intersection === undefined) return;
    expect(one.union(other).toBytes()).toEqual(make().addMany(['a', 'b', 'c', 'd']).toBytes());
    expect(() => one.union?.(new BloomFilter(OPTIONS) as never)).toThrow(TypeError);
    const bytes = other.toBytes();
    expect(one.intersection(other).toBytes()).toEqual(one.toBytes().map((byte, i) => byte & (bytes[i] ?? 0)));
  });

  it('has the name of the system, an error rate of its size, and a least one', () => {
    const { leastErrorRate } = Filter.traits;
    const atLeast = (errorRate: number) => new Filter({ capacity: 9, errorRate });
    expect(make().kind).toBe(name);
    const rate = make().addMany(keysOf(100)).estimateErrorRate();
    expect([rate > 1e-5, rate < 0.02]).toEqual([true, true]);
    expect(atLeast(leastErrorRate(9)).errorRate).toBeLessThanOrEqual(leastErrorRate(9));
    expect(() => atLeast(leastErrorRate(9) / 2)).toThrow(RangeError);
  });

  it('refuses bytes that end too early, go on, or are something else', () => {
    const bytes = make().addMany(['a']).toBytes();
    for (let length = 0; length < bytes.length; length++) {
      // Nothing tells that no bytes at all are a filter of Parquet.
      const code = name === 'parquet' && length === 0 ? 'FOREIGN' : 'TRUNCATED';
      expect([length, codeOf(() => Filter.fromBytes(bytes.subarray(0, length), options))]).toEqual([length, code]);
    }
    expect(codeOf(() => Filter.fromBytes(Buffer.concat([bytes, Uint8Array.of(0)]), options))).toBe('DAMAGED');
    for (const wrong of [undefined, null, 'text', 7, [1, 2]]) {
      expect(() => Filter.fromBytes(wrong as never, options)).toThrow(/^bytes must be a Uint8Array/);
    }
  });

  it('refuses options that the system does not have', () => {
    expect(() => new Filter({ ...OPTIONS, ...variant, wrong: 1 })).toThrow(/^unknown option wrong; the options are /);
    expect(() => Filter.fromBytes(make().toBytes(), { wrong: 1 })).toThrow(TypeError);
    expect(() => Filter.fromChunks([make().toBytes()], { wrong: 1 })).toThrow(TypeError);
    expect(() => new Filter({ ...variant })).toThrow(/^capacity must be/);
    expect(() => new Filter({ ...variant, capacity: -1 })).toThrow(/^capacity must be/);
    expect(() => new Filter({ ...variant, capacity: 10, errorRate: 1 })).toThrow(/^errorRate must be/);
  });

  it('refuses hashes, secrets, views and files of our own', () => {
    const filter = make();
    expect(() => filter.addMany(hashKeys(['a']))).toThrow(/^keys must be keys, got .*: another system hashes them/);
    expect(() => keyed(Filter as never, generateSecret())).toThrow(
      `whose keys bloomery hashes, got an object (${Filter.name})`,
    );
    for (const other of [new BloomFilter(OPTIONS), make()]) {
      expect(() => difference(filter, other)).toThrow(/^a must be a filter that is not of another system/);
      expect(() => difference(new BloomFilter(OPTIONS), filter)).toThrow(/^b must be a filter that is not of another/);
    }
    expect(() => new TombstoneFilter(filter)).toThrow(/^base must be a filter that is not of another system/);
    expect(() => loadAny([Filter as never], new BloomFilter(OPTIONS).toBytes())).toThrow(SavedFilterError);
  });

  it('refuses what is no key, and adds those before it', () => {
    for (const wrong of [null, undefined, {}, [], true]) {
      const filter = make();
      expect(() => filter.add(wrong as never)).toThrow(TypeError);
      expect(() => filter.has(wrong as never)).toThrow(TypeError);
      expect(() => filter.addMany(['a', wrong as never, 'b'])).toThrow(/^keys\[1\] must be/);
      expect([filter.has('a'), filter.has('b')]).toEqual([true, false]);
    }
    const long = Array.from({ length: 100 }, (_, i) => String(i).padEnd(300));
    expect(() => make().addMany(long.with(90, Uint16Array.of(1) as never))).toThrow(/^keys\[90\] must be/);
    for (const wrong of ['abc', new Map()]) expect(() => make().addMany(wrong as never)).toThrow(TypeError);
    expect(() => make().addMany(text.encode('abc') as never)).toThrow(TypeError);
  });
});
