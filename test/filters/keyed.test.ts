// Filters with a secret: what differs from filters without one. The suites of all kinds test the rest.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { hashKeys } from '../../src/entries/hash.ts';
import * as js from '../../src/entries/js/index.ts';
import { keyed as jsKeyed } from '../../src/entries/js/keyed.ts';
import { generateSecret, keyed, keyedHashKeys } from '../../src/entries/keyed.ts';
import { buildParallel } from '../../src/entries/parallel.ts';
import { SharedBloomFilter } from '../../src/entries/shared.ts';
import { TombstoneFilter } from '../../src/entries/tombstone.ts';
import { difference } from '../../src/entries/views.ts';
import * as api from '../../src/index.ts';
import { HashedKeys } from '../../src/keys/hashes.ts';
import { errorOf } from '../format/saved.ts';
import { range } from '../shared/integers.ts';
import { bytesOf } from '../shared/oracle.ts';
import { SECRET, seedUnder } from '../shared/secret.ts';
import { siphash13 } from '../shared/siphash.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const OTHER = Uint8Array.from(SECRET, (byte) => byte ^ 1);
const shownSeed = (secret: Uint8Array): string =>
  `a secret (${(seedUnder(secret) - 2 ** 32).toString(16).padStart(8, '0')})`;
const names = range(0, 300).map((i) => `name ${i}`);

const Bloom = keyed(api.BloomFilter, SECRET);
const Fuse = keyed(BinaryFuseFilter, SECRET);
const Other = keyed(api.BloomFilter, OTHER);

describe('a secret', () => {
  it('is 16 random bytes', () => {
    const made = Array.from({ length: 200 }, generateSecret);
    expect(made.every((secret) => secret instanceof Uint8Array && secret.length === 16)).toBe(true);
    expect(new Set(made.map(String)).size).toBe(200);
    // Each of 128 bits is set in some, and not in others: 256 chances of 2^-200 to fail.
    const all = made.reduce((a, b) => a.map((byte, i) => byte & (b[i] as number)));
    const any = made.reduce((a, b) => a.map((byte, i) => byte | (b[i] as number)));
    expect([new Set(all), new Set(any)]).toEqual([new Set([0]), new Set([255])]);
  });

  it.each([
    ['a text', 'sixteen letters!', TypeError, 'a value of type string'],
    ['null', null, TypeError, 'another object'],
    ['a buffer', SECRET.buffer, TypeError, 'another object'],
    ['15 bytes', SECRET.subarray(1), RangeError, '15'],
    ['zeros', new Uint8Array(16), RangeError, '16 zeros'],
    ['zeros that hide', Object.assign(new Uint8Array(16), { some: () => true }), RangeError, '16 zeros'],
  ])('is refused unless it is that: %s', (_, secret, Expected, got) => {
    for (const call of [keyed.bind(null, api.BloomFilter), keyedHashKeys]) {
      const error = errorOf(() => call(secret as never));
      expect(error).toBeInstanceOf(Expected);
      expect(error.message).toMatch(new RegExp(`^secret must .*, got ${got}$`));
    }
  });

  it('has its true length, whatever it says of itself, and is copied', () => {
    const sixteen = Object.defineProperty(new Uint8Array(20_000).fill(1), 'length', { value: 16 });
    for (const call of [keyed.bind(null, api.BloomFilter), keyedHashKeys]) {
      expect(() => call(sixteen)).toThrow('secret must have 16 bytes, got 20000');
    }
    const short = Object.defineProperties(Uint8Array.from(SECRET), {
      length: { value: 1 },
      [Symbol.iterator]: { value: () => new Uint8Array(20_000).fill(7).values() },
    });
    for (const given of [short, Buffer.from(SECRET)]) {
      const Class = keyed(api.BloomFilter, given);
      given.fill(0xff);
      expect(Class.from(names).toBytes()).toEqual(Bloom.from(names).toBytes());
    }
  });
});

describe('a class with a secret', () => {
  it('is like the class that it was made of', () => {
    expect([Bloom.name, Bloom.kind, Bloom.traits]).toEqual(['BloomFilter', 'classic', api.BloomFilter.traits]);
    const filter = new Bloom({ capacity: 100 });
    for (const Class of [Bloom, api.BloomFilter]) expect(filter).toBeInstanceOf(Class);
    expect(filter).not.toBeInstanceOf(Other);
    expect(filter.clone()).toBeInstanceOf(Bloom);
    expect(Object.prototype.toString.call(filter)).toBe('[object BloomFilter]');
  });

  it.each([0, 2 ** 32 - 1, seedUnder(OTHER), '5', Number.NaN] as number[])('has no other seed, such as %s', (seed) => {
    for (const use of [() => new Bloom({ capacity: 1, seed }), () => Fuse.from(names, { seed })]) {
      expect(errorOf(use)).toBeInstanceOf(TypeError);
      expect(use).toThrow(/^seed must be undefined under a secret, got /);
    }
  });

  it('has the seed that stands for its secret, which no class without a secret can have', () => {
    const seed = seedUnder(SECRET);
    expect(new Bloom({ capacity: 1, seed: undefined }).seed).toBe(seed);
    expect(seedUnder(OTHER)).not.toBe(seed);
    for (const use of [() => new api.BloomFilter({ capacity: 1, seed }), () => hashKeys(names, { seed })]) {
      expect(use).toThrow(RangeError);
    }
  });

  it('can have subclasses, and be made of one', () => {
    class Before extends api.BloomFilter {
      readonly mark = 'before';
    }
    class After extends Bloom {
      static readonly mark = 'after';
    }
    const before = new (keyed(Before, SECRET))({ capacity: 300 }).addMany(names);
    const after = After.from(names);
    expect([before.mark, After.mark, after instanceof After, before.engine]).toEqual(['before', 'after', true, 'wasm']);
    for (const each of [before, after, After.fromBytes(after.toBytes()), after.clone()]) {
      expect(each.toBytes()).toEqual(Bloom.from(names).toBytes());
    }
    expect(() => keyed(After, OTHER)).toThrow('Class must be without a secret, got a class that has one');
  });

  const otherEngine =
    /^Class must run on the engine wasm, got one that runs on js: import keyed from 'bloomery\/keyed\/js'$/;
  it.each([
    ...[undefined, null, 7, {}, class {}, SharedBloomFilter, new api.BloomFilter({ capacity: 1 })].map((Class) => [
      Class,
      /^Class must be a class of filters of one thread, got /,
    ]),
    [Bloom, /^Class must be without a secret, got a class that has one$/],
    [js.BloomFilter, otherEngine],
  ])('can be made only of a class of filters on the same engine, without a secret: %#', (Class, message) => {
    const error = errorOf(() => keyed(Class as never, SECRET));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(message as RegExp);
  });

  it('shares no memory with others, and gives its own back', async () => {
    const refs = range(0, 20).map((i) => {
      const secret = SECRET.map((byte) => byte ^ (i + 2));
      const Class = keyed(api.BloomFilter, secret);
      const filter = Class.from([`key ${i}`]);
      expect(filter.has(`key ${i}`)).toBe(true);
      return [new WeakRef(Class), new WeakRef(filter)] as const;
    });
    // A turn of the event loop clears what a WeakRef keeps.
    const alive = () => refs.flat().filter((ref) => ref.deref());
    for (let turn = 0; turn < 100 && alive().length > 0; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      collectGarbage();
    }
    expect(alive()).toEqual([]);
  });
});

describe('hashes under a secret', () => {
  const hashed = keyedHashKeys(SECRET)(names);

  it('are those of SipHash-1-3, and take the place of keys', () => {
    const expected = names.flatMap((name) => siphash13(bytesOf(name), SECRET));
    expect(new BigUint64Array(hashed.bytes.buffer)).toEqual(BigUint64Array.from(expected));
    expect(hashed.seed).toBe(seedUnder(SECRET));
    expect(Bloom.from(hashed).toBytes()).toEqual(Bloom.from(names).toBytes());
    expect(Bloom.from(names).omit(new HashedKeys(hashed.bytes, hashed.seed))).toMatchObject({ length: 0 });
  });

  it('are refused by filters of another secret, or none', () => {
    const unkeyed = hashKeys(names);
    for (const [Class, keys, wanted, got] of [
      [api.BloomFilter, hashed, '0', shownSeed(SECRET)],
      [Other, hashed, shownSeed(OTHER), shownSeed(SECRET)],
      [Bloom, unkeyed, shownSeed(SECRET), '0'],
      [Bloom, keyedHashKeys(OTHER)(names), shownSeed(SECRET), shownSeed(OTHER)],
    ] as const) {
      const filter = Class.from(['a']);
      for (const verb of ['addMany', 'hasMany', 'pick', 'omit', 'dedupe'] as const) {
        const error = errorOf(() => (filter[verb] as (given: HashedKeys) => unknown).call(filter, keys));
        expect(error).toEqual(new RangeError(`seed of the hashed keys must be ${wanted}, got ${got}`));
        expect(errorOf(() => Class.from(keys))).toEqual(error);
      }
    }
  });
});

describe('filters of different secrets', () => {
  it.each([
    ['another secret', Other, shownSeed(OTHER)],
    ['none', api.BloomFilter, '0'],
  ])('do not combine: %s', (_, Class, got) => {
    const [a, b] = [Bloom.from(names), Class.from(names)];
    const own = shownSeed(SECRET);
    for (const verb of ['union', 'intersection', 'merge', 'estimateUnion', 'estimateIntersection'] as const) {
      expect(errorOf(() => a[verb](b))).toEqual(new RangeError(`seed of other must be ${own}, got ${got}`));
      expect(errorOf(() => b[verb](a))).toEqual(new RangeError(`seed of other must be ${got}, got ${own}`));
    }
    expect([a.equals(b), b.equals(a)]).toEqual([false, false]);
    expect(() => difference(a, b)).toThrow(new RangeError(`seed of b must be ${own}, got ${got}`));
  });

  it('of one secret combine, whatever class and engine they have', () => {
    const Again = keyed(api.BloomFilter, SECRET);
    const Js = jsKeyed(js.BloomFilter, SECRET);
    const size = { capacity: 300 };
    const [a, b] = [Bloom.from(names.slice(0, 200), size), Again.from(names.slice(100), size)];
    expect(a.union(b).equals(Bloom.from(names, size))).toBe(true);
    expect(difference(a, b).omit(names).length).toBeGreaterThan(190);
    expect(Js.from(names, size).equals(a.union(b))).toBe(true);
    const bits = keyed(api.CountingBloomFilter, SECRET).from(names, size).toBloomFilter();
    expect([bits.equals(Bloom.from(names, size)), bits.omit(names)]).toEqual([true, []]);
  });
});

it('a tombstone filter must have the secret of its base', () => {
  const Tombstones = keyed(TombstoneFilter, SECRET);
  const filter = new Tombstones(Bloom.from(names)).removeMany(names.slice(0, 5));
  expect(filter.omit(names)).toEqual(names.slice(0, 5));
  expect(names.filter((name) => !filter.has(name))).toEqual(names.slice(0, 5));
  for (const [Base, got] of [
    [api.BloomFilter, '0'],
    [Other, shownSeed(OTHER)],
  ] as const) {
    const message = `seed of base must be ${shownSeed(SECRET)}, got ${got}`;
    expect(() => new Tombstones(Base.from(names))).toThrow(new RangeError(message));
  }
  const wanted = new RangeError(`base must be without a secret, got one under ${shownSeed(SECRET)}: see keyed`);
  expect(() => new TombstoneFilter(Bloom.from(names))).toThrow(wanted);
});

it('what threads share has no secret', async () => {
  const filter = Bloom.from(names);
  expect(() => SharedBloomFilter.fromFilter(filter)).toThrow(new TypeError('filter must be without a secret'));
  expect(errorOf(() => SharedBloomFilter.fromBytes(filter.toBytes()))).toMatchObject({ code: 'SECRET' });
  await expect(buildParallel(Bloom, [])).rejects.toThrow(new TypeError('Class must be without a secret'));
});
