// What only the fuse map has: values, and keys that may not have two.

import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FuseMap } from '../../src/entries/fuse-map.ts';
import { hashKeys } from '../../src/entries/hash.ts';
import { by } from '../../src/entries/items.ts';
import { FuseMap as JsFuseMap } from '../../src/entries/js/fuse-map.ts';
import { lines } from '../../src/index.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';
import { bodyOf, errorOf } from '../format/saved.ts';
import { expectRate } from '../shared/binomial.ts';
import { range } from '../shared/integers.ts';
import { underSecret } from '../shared/kinds.ts';
import { classOn, watched } from '../shared/open.ts';
import { bytesOf, murmur3 } from '../shared/oracle.ts';
import { ShardedFuse } from '../shared/oracle-fuse.ts';
import { randomFrom } from '../shared/random.ts';

const MOST = 2 ** 32 - 1;
const engines = Object.entries({ wasm: FuseMap, js: JsFuseMap as object as typeof FuseMap });

const key = fc.oneof(fc.string(), fc.integer(), fc.uint8Array(), fc.string({ minLength: 33, maxLength: 400 }));
/** Entries whose keys have different hashes, up to a largest value. */
const entriesOf = (largest: number): fc.Arbitrary<[string | number | Uint8Array, number][]> =>
  fc.uniqueArray(fc.tuple(key, fc.integer({ min: 0, max: largest })), {
    maxLength: 200,
    selector: ([each]) => bytesOf(each).toString(),
  });
/** The largest value, of any width, and a width of fingerprints beside it. */
const size = fc
  .tuple(fc.integer({ min: 1, max: 32 }), fc.nat(31))
  .map(([valueBits, bits]) => [2 ** valueBits - 1, Math.min(bits, 32 - valueBits)]);

/** What `Map.groupBy` gives, which Node has since 21. */
function grouped<K, V>(keys: readonly K[], values: readonly V[]): Map<V, K[]> {
  const groups = new Map<V, K[]>();
  for (const [i, key] of keys.entries()) groups.set(values[i] as V, [...(groups.get(values[i] as V) ?? []), key]);
  return groups;
}

describe.each(engines)('a fuse map, %s', (_, Class) => {
  it('has the same bytes and answers as the oracle, for any keys, values, width, seed and number of shards', () => {
    const seed = fc.integer({ min: 0, max: MOST });
    const given = size.chain(([largest = 0, fingerprintBits = 0]) =>
      fc.record({ entries: entriesOf(largest), fingerprintBits: fc.constant(fingerprintBits) }),
    );
    const shardCounts = fc.constantFrom(1, 2, 256);
    const property = fc.property(given, seed, shardCounts, ({ entries, fingerprintBits }, seed, shards) => {
      const map = Class.fromEntries(entries, { fingerprintBits, seed, shards });
      const valueBits = Math.max(1, ...entries.map(([, value]) => value.toString(2).length));
      expect(map).toMatchObject({ fingerprintBits, valueBits, shards, count: entries.length });
      const h1Of = (each: string | number | Uint8Array): bigint => murmur3(bytesOf(each), seed)[0];
      const values = new Map(entries.map(([each, value]) => [h1Of(each), value]));
      const all = new ShardedFuse([...values.keys()], shards, fingerprintBits + valueBits, values, valueBits);
      expect(Buffer.compare(bodyOf(map), all.bytes())).toBe(0);
      const asked = [...entries.map(([each]) => each), ...range(0, 50)];
      const wanted = asked.map(h1Of).map((h1) => all.of(h1).get(h1));
      expect(wanted.slice(0, entries.length)).toEqual(entries.map(([, value]) => value));
      expect(asked.map((each) => map.get(each))).toEqual(wanted);
      expect(asked.map((each) => map.has(each))).toEqual(wanted.map((value) => value !== undefined));
      expect([...map.getMany(asked)]).toEqual(wanted.map((value) => value ?? MOST));
      expect([...map.hasMany(asked)]).toEqual(wanted.map((value) => Number(value !== undefined)));
      expect([...map.groupByValue(asked)]).toEqual([...grouped(asked, wanted)]);
    });
    fc.assert(property, { seed: 7, numRuns: 60 });
  });

  it('has the value of every key, from every source of keys, under a secret, and after loading', () => {
    const random = randomFrom(3);
    for (const count of [1, 300, CHUNK_KEYS + 1, 20_000]) {
      const names = range(0, count).map((i) => `name ${random(2 ** 32)} ${i}`);
      const numbers = Uint32Array.from(names, (_, i) => 7 * i);
      const values = names.map(() => random(1000));
      const text = new TextEncoder().encode(`${names.join('\n')}\n`);
      for (const shards of [1, 8]) {
        const options = { errorRate: 0.001, shards };
        const made = [
          [Class.from(names, values, options), names],
          [Class.from(new Set(names), Uint16Array.from(values), options), names.values()],
          [Class.from(names.values(), values, options), lines(text)],
          [Class.from(lines(text), values, options), names],
          [Class.from(hashKeys(names), values, options), hashKeys(names)],
          [Class.from(numbers, values, options), [...numbers]],
        ] as [FuseMap, string[]][];
        for (const [map, asked] of made) expect([...Class.fromBytes(map.toBytes()).getMany(asked)]).toEqual(values);
        const Keyed = underSecret(Class as never) as object as typeof FuseMap;
        expect([...Keyed.from(names, values, options).getMany(names)]).toEqual(values);
        const [first] = made as [[FuseMap, string[]]];
        for (let i = 0; i < count; i += 97) expect(first[0].get(names[i] as string)).toBe(values[i]);
      }
    }
  });

  it('gives a value to a share of absent keys, which pick and omit tell apart from the others', () => {
    const names = range(0, 50_000).map((i) => `name ${i}`);
    const bytes = Uint8Array.from(names, (_, i) => i);
    const map = Class.from(names, bytes, { errorRate: 1 / 64 });
    const absent = range(0, 200_000).map((i) => `absent ${i}`);
    const values = map.getMany(absent);
    const hits = values.filter((value) => value !== Class.ABSENT);
    expectRate(hits.length, absent.length, 1 / 64);
    expect(hits.every((value) => value < 256)).toBe(true);
    expect(map.pick([...absent, ...names])).toHaveLength(hits.length + names.length);
    expect(map.omit(absent)).toEqual(absent.filter((_, i) => values[i] === Class.ABSENT));
    expect([map.errorRate, map.estimateErrorRate(), map.estimateCount()]).toEqual([1 / 64, 1 / 64, 50_000]);
  });

  it('gives every key a value if it has no fingerprints, but none if it has no keys', () => {
    const map = Class.from(['a', 'b'], [MOST, 7], { fingerprintBits: 0, shards: 2 });
    expect([map.get('a'), map.get('b'), map.fingerprintBits]).toEqual([MOST, 7, 0]);
    for (const key of ['a', 'a'.repeat(200_000)]) {
      expect(Class.from([key], [MOST], { fingerprintBits: 0 }).get(key)).toBe(MOST);
    }
    expect([...map.groupByValue(['b', 'a'])]).toEqual([
      [7, ['b']],
      [MOST, ['a']],
    ]);
    expect(map.hasMany(range(0, 1000)).every(Boolean)).toBe(true);
    expect([...map.getMany(range(0, 1000))]).toEqual(range(0, 1000).map((each) => map.get(each)));
    for (const shards of [1, 4]) {
      const none = Class.from([], [], { fingerprintBits: 0, shards });
      expect([none.get('a'), none.has('a'), none.errorRate]).toEqual([undefined, false, 0]);
      expect([...none.getMany(['a'])]).toEqual([Class.ABSENT]);
    }
  });
});

describe('a fuse map', () => {
  it('takes a key twice with one value, and names both positions if it has two', () => {
    const keys = [...range(0, 10_000), 4321, 17];
    const values = keys.map((each) => each % 100);
    const once = FuseMap.from(range(0, 10_000), values.slice(0, 10_000));
    expect(FuseMap.from(keys, values).toBytes()).toEqual(once.toBytes());
    const twice = values.with(10_000, 22);
    const saying = /^keys\[10000\] must have the value 21 of keys\[4321\], .*, got 22$/;
    for (const shards of [1, 16]) {
      const error = errorOf(() => FuseMap.from(keys, twice, { shards }));
      expect(error.message).toMatch(saying);
      expect(error).toMatchObject({ positions: [4321, 10_000] });
      const thrice = errorOf(() => FuseMap.from([...keys, 4321], [...values, 22], { shards }));
      expect(thrice).toMatchObject({ positions: [4321, 10_002], values: [21, 22] });
    }
  });

  it('has the same bytes, in whatever order its keys came', () => {
    const entries = range(0, 5000).map((i): [string, number] => [`key ${i}`, i]);
    expect(FuseMap.fromEntries(new Map(entries)).toBytes()).toEqual(FuseMap.fromEntries(entries.reverse()).toBytes());
  });

  it('copies the keys of entries, which may use one buffer again', () => {
    const buffer = new Uint8Array(2);
    const entries = function* (): Generator<[Uint8Array, number]> {
      for (let i = 0; i < 300; i++) yield [buffer.fill(i % 256).fill(i >> 8, 1), i];
    };
    const map = FuseMap.fromEntries(entries());
    expect([...map.getMany(Array.from(entries(), ([key]) => key.slice()))]).toEqual(range(0, 300));
  });

  it('writes values to an array that is given, and refuses others', () => {
    const map = FuseMap.from(['a', 'b'], [3, 4]);
    const out = new Uint32Array(5);
    expect(map.getMany(['b', 'a'], out)).toEqual(Uint32Array.of(4, 3));
    expect([...out]).toEqual([4, 3, 0, 0, 0]);
    expect(() => map.getMany(range(0, 5000), new Uint32Array(1))).toThrow(
      'out must have a length of 5000 or more, got 1',
    );
    expect(() => map.getMany(['a'], new Uint16Array(1) as never)).toThrow(/^out must be a Uint32Array/);
    const foreign = runInNewContext('new Uint32Array(2)') as Uint32Array;
    expect([...map.getMany(['a', 'b'], foreign)]).toEqual([3, 4]);
    expect(() => map.getMany(new Set(['a']).values(), out)).toThrow(/^out needs a known number of keys/);
    structuredClone(out.buffer, { transfer: [out.buffer] });
    expect(() => map.getMany([], out)).toThrow(/^out must be a Uint32Array, got .* that is detached or out of bounds$/);
    expect(() => FuseMap.from([], out)).toThrow(/^values must be an array of integers, got .* that is detached or out/);
    expect(() => map.getMany('a' as never)).toThrow(TypeError);
    expect(() => map.get(null as never)).toThrow(/^key must be/);
  });

  it('groups keys by their values, as pick returns them, from every source that has them one by one', () => {
    const numbers = Uint32Array.from({ length: 3 * CHUNK_KEYS + 1 }, (_, i) => i);
    const present = numbers.subarray(0, 2 * CHUNK_KEYS);
    const thirds = present.map((each) => each % 3);
    const map = FuseMap.from(present, thirds, { errorRate: 1e-6, shards: 4 });
    const wanted = [...numbers].map((each) => map.get(each));
    const groups = map.groupByValue(numbers);
    expect([...groups.keys()]).toEqual([0, 1, 2, undefined]);
    expect(groups.get(2)).toEqual(present.filter((each) => each % 3 === 2));
    const lists = [...grouped([...numbers], wanted)];
    expect([...groups]).toEqual(lists.map(([value, some]) => [value, Uint32Array.from(some)]));
    for (const keys of [[...numbers], new Set(numbers), new Set(numbers).values()]) {
      expect([...map.groupByValue(keys)]).toEqual(lists);
    }
    expect([...map.groupByValue(BigInt64Array.of(1n, -1n, 4n))]).toEqual([
      [1, BigInt64Array.of(1n, 4n)],
      [undefined, BigInt64Array.of(-1n)],
    ]);
    const items = [{ id: 5 }, { id: -7 }, { id: 8 }];
    expect([...map.groupByValue(by(items, ({ id }) => id))]).toEqual([
      [2, [items[0], items[2]]],
      [undefined, [items[1]]],
    ]);
    expect(map.groupByValue([])).toEqual(new Map());
  });

  it.each<[string, unknown, RegExp]>([
    ['lines', lines(Buffer.from('a\n')), /^keys must be .* or by\(items, keyOf\), got .*KeyLines.*: getMany gives the/],
    ['hashes', hashKeys(['a']), /got .*HashedKeys.*: getMany gives the values of these$/],
    ['a string', 'ab', /^keys must be .* got "ab", which is one key$/],
    ['a Map', new Map([['a', 1]]), /, which gives pairs/],
    ['what is not a key', ['a', null], /^keys\[1\] must be/],
  ])('refuses to group %s', (_, keys, saying) => {
    expect(() => FuseMap.from(['a'], [1]).groupByValue(keys as string[])).toThrow(saying);
  });

  const tooWide = /^errorRate must be at least 2\^-24 with values of 8 bits, got a fingerprint of 25 bits: together/;
  it.each([
    [['a'], [-1], {}, /^values\[0\] must be an integer from 0 to 4294967295, got -1$/],
    [['a', 'b'], [1, '2'], {}, /^values\[1\] must be a number, got "2"$/],
    [['a'], new BigInt64Array(1), {}, /^values\[0\] must be a number, got 0n$/],
    [['a'], 'x', {}, /^values must be an array of integers, got "x"$/],
    [['a'], new DataView(new ArrayBuffer(1)), {}, /^values must be an array of integers/],
    [['a', 'b'], [1], {}, /^values must have one for each key, got 1 for 2 keys or more$/],
    [['a'], [1, 2], {}, /^values must have one for each key, got 2 for 1 keys$/],
    [['a', null], [1, 2], {}, /^keys\[1\] must be/],
    [['a'], [255], { errorRate: 2 ** -25 }, tooWide],
    [['a'], [1], { shards: 3 }, /^shards must be a power of two, got 3$/],
    [['a'], [1], { errorRate: 0.1, fingerprintBits: 3 }, /^options must give errorRate or fingerprintBits, got both$/],
    [['a'], [1], { fingerprintBits: 32 }, /^errorRate must be at least 2\^-31 with .*, got a fingerprint of 32 bits/],
    [['a'], [MOST], {}, /^fingerprintBits must be 0 with values of 32 bits, got a fingerprint of 7 bits/],
    [['a'], [1], { fingerprintBits: -1 }, /^fingerprintBits must be an integer from 0/],
  ])('refuses wrong keys, values and options: %#', (keys, values, options, saying) => {
    expect(() => FuseMap.from(keys as string[], values as number[], options as object)).toThrow(saying);
  });

  it.each([
    [7, /^entries must be an iterable of pairs, got 7$/],
    [[['a', 1], ['b']], /^entries\[1\] must be a pair of a key and a value/],
    [['ab'], /^entries\[0\] must be a pair/],
    [new Map([[1.5, 1]]), /^keys\[0\] must be a safe integer/],
    [Object.entries({ a: 1, b: 'x' }), /^entries\[1\]\[1\] must be an integer from 0 to 4294967295, got "x"$/],
  ])('refuses entries %j', (entries, saying) => {
    expect(() => FuseMap.fromEntries(entries as never)).toThrow(saying);
    expect(() => new (FuseMap as unknown as new () => FuseMap)()).toThrow(/^a FuseMap is made of all its keys at once/);
  });

  it('tells its size, and gives back all memory but its cells', () => {
    const { engine, left } = watched(FuseMap.engine);
    const Watched = classOn(FuseMap, engine);
    const keys = range(0, 40_000);
    const map = Watched.from(keys, keys, { errorRate: 0.01, shards: 4 });
    expect(left()).toHaveLength(4);
    expect(left().reduce((sum, length) => sum + length, 0)).toBe(map.byteLength);
    const { cellBits, byteLength, shards } = FuseMap.sizeFor(40_000, { largest: 39_999, errorRate: 0.01, shards: 4 });
    expect({ cellBits, shards }).toEqual({ cellBits: 16 + 7, shards: 4 });
    expect(Math.abs(byteLength / map.byteLength - 1)).toBeLessThan(0.05);
    map.dispose();
    expect(() => Watched.from(keys, keys.with(7, -1))).toThrow(RangeError);
    expect(() => Watched.from([...keys, 7], [...keys, 8])).toThrow(RangeError);
    expect(left()).toEqual([]);
    expect(() => classOn(FuseMap, { ...engine, maxBytes: 100_000 }).from(keys, keys)).toThrow(/keys are too many/);
    expect(left()).toEqual([]);
    expect(() => FuseMap.sizeFor(1, { errorRate: 0.1 } as never)).toThrow(/^largest must be/);
    expect(FuseMap.sizeFor(1, { largest: 1, fingerprintBits: 0 }).cellBits).toBe(1);
  });
});
