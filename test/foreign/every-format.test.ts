// What filters in the format of every other system do alike.

import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyed as jsKeyed } from '../../src/entries/keyed-js.ts';
import { TombstoneFilter } from '../../src/entries/tombstone.ts';
import { hashKeys } from '../../src/hash.ts';
import { BloomFilter, column, type Key, type Keys, lines, SavedFilterError } from '../../src/index.ts';
import { by } from '../../src/items.ts';
import { generateSecret, keyed } from '../../src/keyed.ts';
import { loadAny } from '../../src/load.ts';
import { records } from '../../src/records.ts';
import { difference } from '../../src/views.ts';
import { numberKeys, type Subject, subjects } from './formats.ts';

const text = new TextEncoder();

/** Strings and bytes that every format takes. */
const plainKey: fc.Arbitrary<Key> = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.uint8Array({ maxLength: 60 }),
);

/** Keys of a subject: also numbers, if it has any. */
function keysFor(subject: Subject): fc.Arbitrary<Key[]> {
  const numbers = numberKeys(subject, [0, 1, -1, 7, 255, 65_536, 2 ** 31 - 1, -(2 ** 31), 2 ** 40, 123_456_789n]);
  const key = numbers.length === 0 ? plainKey : fc.oneof(plainKey, fc.constantFrom(...numbers));
  return fc.array(key, { maxLength: 50 });
}

const OPTIONS = { capacity: 100, errorRate: 0.01 };

/** The bytes of a key in a column; only strings and bytes have any. */
const bytesOf = (key: Key): Uint8Array => (typeof key === 'string' ? text.encode(key) : (key as Uint8Array));

/** The offsets of a column of keys. */
function offsetsOf(keys: readonly Key[]): Int32Array {
  let end = 0;
  return Int32Array.of(0, ...keys.map((key) => (end += bytesOf(key).length)));
}

const wellFormed = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }).filter((key) => !/[\n\r]/.test(key)),
    fc.stringMatching(/^[a-z]{0,30}$/),
  ),
  { minLength: 1, maxLength: 60 },
);

describe.each(subjects)('a filter in the format of another system: $name', (subject) => {
  const { Filter, Twin, variant, options, loneSurrogate } = subject;
  const make = (Class = Filter) => new Class({ ...OPTIONS, ...variant });

  it('finds every key, gives batches and single keys the same answers, and engines the same bytes', () => {
    fc.assert(
      fc.property(keysFor(subject), keysFor(subject), (added, others) => {
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
      }),
      { numRuns: 60 },
    );
  });

  it('takes keys from every collection', () => {
    fc.assert(
      fc.property(wellFormed, (keys) => {
        const expected = make().addMany(keys).toBytes();
        const joined = Buffer.concat(keys.map(bytesOf));
        const offsets = offsetsOf(keys);
        const collections: Keys[] = [
          new Set(keys),
          keys.map(bytesOf),
          lines(Buffer.from(`${keys.join('\n')}\n`)),
          column(new Uint8Array(joined), offsets),
        ];
        for (const collection of collections) expect(make().addMany(collection).toBytes()).toEqual(expected);
        const generator = (function* () {
          yield* keys;
        })();
        expect(make().addMany(generator).toBytes()).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });

  it('flags and deduplicates keys, some of them the same', () => {
    const keys = ['a', 'b', 'a', text.encode('b'), 'c'];
    const out = new Uint8Array(5);
    make().addMany(keys, out);
    expect([...out]).toEqual([1, 1, 0, 0, 1]);
    expect(make().dedupe(keys)).toEqual(['a', 'b', 'c']);
    expect([
      ...make()
        .addMany(keys)
        .pick(records(text.encode('abxc'), 1)).bytes,
    ]).toEqual([...text.encode('abc')]);
  });

  it('picks, omits and deduplicates items by a key of each, of any kind of key that it has', () => {
    fc.assert(
      fc.property(keysFor(subject), keysFor(subject), (added, asked) => {
        const filter = make().addMany(by(added, (key) => key));
        expect(filter.toBytes()).toEqual(make().addMany(added).toBytes());
        const items = asked.map((key, place) => ({ key, place }));
        const flags = filter.hasMany(asked);
        expect(filter.hasMany(by(items, ({ key }) => key))).toEqual(flags);
        expect(filter.pick(by(items, ({ key }) => key))).toEqual(items.filter(({ place }) => flags[place] === 1));
        expect(filter.omit(by(new Set(items), ({ key }) => key))).toEqual(
          items.filter(({ place }) => flags[place] === 0),
        );
        const isNew = new Uint8Array(asked.length);
        filter.clone().addMany(asked, isNew);
        expect(filter.dedupe(by(items, ({ key }) => key))).toEqual(items.filter(({ place }) => isNew[place] === 1));
      }),
      { numRuns: 40 },
    );
    const words = Array.from({ length: 2000 }, (_, i) => `wörd ${i}`);
    const filter = make().addMany(by(words.slice(0, 90).values(), (word) => word));
    expect(filter.pick(by(words, (word) => word))).toEqual(filter.pick(words));
    expect(() => filter.pick(by(['a', 'b'], (word) => (word === 'b' ? (null as never) : word)))).toThrow(
      /^keys\[1\] must be /,
    );
  });

  it('takes a lone surrogate as the system does', () => {
    for (const lone of ['\ud800', 'a\udc00b', `${'x'.repeat(100)}\ud800`, '\udc00\ud800']) {
      const same = lone.replace(/[\ud800-\udfff]/gu, loneSurrogate);
      expect(make().add(lone)).toBe(true);
      expect(make().addMany([lone]).toBytes()).toEqual(make().addMany([same]).toBytes());
      const single = make();
      single.add(lone);
      expect(single.toBytes()).toEqual(make().addMany([same]).toBytes());
      expect(single.pick([lone])).toEqual([lone]);
    }
  });

  it('takes keys of any length', () => {
    const long = 'an é in a long key, '.repeat(12_000);
    const bytes = text.encode(long);
    const one = make().addMany([long, 'short']);
    const others: Keys[] = [
      [bytes, 'short'],
      lines(Buffer.from(`${long}\nshort`)),
      column(Buffer.concat([bytes, text.encode('short')]), Int32Array.of(0, bytes.length, bytes.length + 5)),
    ];
    for (const keys of others) expect(make().addMany(keys).toBytes()).toEqual(one.toBytes());
    const singles = make();
    expect([singles.add(long), singles.add('short'), singles.add(bytes), singles.has(long)]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect(singles.toBytes()).toEqual(one.toBytes());
    expect(make(Twin).addMany([long, 'short']).toBytes()).toEqual(one.toBytes());
  });

  it('is saved and loaded whole, and in chunks', async () => {
    const filter = make().addMany(['a', 'b', 'c']);
    const bytes = filter.toBytes();
    expect(Filter.fromBytes(bytes, options).equals(filter)).toBe(true);
    expect(Filter.fromBytes(bytes.buffer, options).toBytes()).toEqual(bytes);
    expect(Buffer.concat([...filter.toChunks()])).toEqual(Buffer.from(bytes));
    const cut = [bytes.subarray(0, 3), bytes.subarray(3, 20), bytes.subarray(20)];
    expect(Filter.fromChunks(cut, options).toBytes()).toEqual(bytes);
    const later = async function* () {
      yield* cut;
    };
    expect((await Filter.fromChunks(later(), options)).toBytes()).toEqual(bytes);
    expect(Twin.fromBytes(bytes, options).toBytes()).toEqual(bytes);
    expect(filter.clone().toBytes()).toEqual(bytes);
  });

  it('is combined with another one, as if all keys had been added to one', () => {
    const one = make().addMany(['a', 'b']);
    if (one.union === undefined) return;
    const other = make(Twin).addMany(['b', 'c']);
    expect(one.union(other).toBytes()).toEqual(make().addMany(['a', 'b', 'c']).toBytes());
  });

  it('refuses bytes that end too early, go on, or are something else', () => {
    const bytes = make().addMany(['a']).toBytes();
    for (let length = 0; length < bytes.length; length += length < 40 ? 1 : 37) {
      expect(() => Filter.fromBytes(bytes.subarray(0, length), options), `${length} bytes`).toThrow(SavedFilterError);
    }
    expect(() => Filter.fromBytes(Buffer.concat([bytes, Uint8Array.of(0)]), options)).toThrow(SavedFilterError);
    expect(() => Filter.fromBytes(new BloomFilter(OPTIONS).toBytes(), options)).toThrow(SavedFilterError);
    for (const wrong of [undefined, null, 'text', 7, [1, 2]]) {
      expect(() => Filter.fromBytes(wrong as never, options)).toThrow(/^bytes must be a Uint8Array/);
    }
  });

  it.each([
    ['a gzipped file', gzipSync('a filter of another system')],
    ['a serialized Java object', Uint8Array.of(0xac, 0xed, 0, 5, 0x73, 0x72, 0, 0x2a)],
    ['a ZIP archive', text.encode('PK\x03\x04')],
    ['HTML or XML', text.encode('<!DOCTYPE html><title>Not found</title>')],
    ['a Git LFS pointer', text.encode('version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab')],
    ['a JSON object', text.encode('{"m":1000,"k":7}')],
    ['a JSON array', text.encode('[1, 2, 3]')],
    ["a filter in the package's own format", new BloomFilter(OPTIONS).toBytes()],
  ])('says of bytes that it refuses what they look like: %s', (form, bytes) => {
    for (const load of [() => Filter.fromBytes(bytes, options), () => Filter.fromChunks([bytes], options)]) {
      expect(load).toThrow(new RegExp(`^bytes must be a saved filter: not a filter of .*; they look like ${form}`));
      expect(load).toThrow(SavedFilterError);
    }
  });

  it('refuses options that the system does not have', () => {
    expect(() => new Filter({ ...OPTIONS, ...variant, wrong: 1 })).toThrow(TypeError);
    expect(() => Filter.fromBytes(make().toBytes(), { wrong: 1 })).toThrow(TypeError);
    expect(() => new Filter({ ...variant })).toThrow(TypeError);
    expect(() => new Filter({ ...variant, capacity: -1 })).toThrow(RangeError);
    expect(() => new Filter({ ...variant, capacity: 10, errorRate: 1 })).toThrow(RangeError);
  });

  it('refuses hashes, secrets, views and files of our own', () => {
    const filter = make();
    expect(() => filter.addMany(hashKeys(['a']))).toThrow(/another system/);
    const keyedOn = filter.engine === 'js' ? jsKeyed : keyed;
    expect(() => keyedOn(Filter as never, generateSecret())).toThrow(
      /^Class must be a class whose keys bloomery hashes/,
    );
    for (const other of [new BloomFilter(OPTIONS), make()]) {
      expect(() => difference(filter, other)).toThrow(/^a must be a filter that is not of another system/);
      expect(() => difference(new BloomFilter(OPTIONS), filter)).toThrow(/^b must be a filter that is not of another/);
    }
    expect(() => new TombstoneFilter(filter)).toThrow(/^base must be a filter that is not of another system/);
    expect(() => loadAny([Filter as never], new BloomFilter(OPTIONS).toBytes())).toThrow(SavedFilterError);
    if (filter.union) expect(() => filter.union?.(new BloomFilter(OPTIONS) as never)).toThrow(TypeError);
  });

  it('refuses what is no key, and adds those before it', () => {
    for (const wrong of [null, undefined, {}, [], true]) {
      const filter = make();
      expect(() => filter.add(wrong as never)).toThrow(TypeError);
      expect(() => filter.has(wrong as never)).toThrow(TypeError);
      expect(() => filter.addMany(['a', wrong as never, 'b'])).toThrow(/^keys\[1\] must be/);
      expect([filter.has('a'), filter.has('b')]).toEqual([true, false]);
    }
    expect(() => make().addMany('abc' as never)).toThrow(TypeError);
    expect(() => make().addMany(text.encode('abc') as never)).toThrow(TypeError);
  });
});
