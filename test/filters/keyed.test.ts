// Filters with a secret: what differs from filters without one. The suites of all kinds test the rest.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import * as js from '../../src/entries/js.ts';
import { keyed as jsKeyed } from '../../src/entries/keyed-js.ts';
import { SpatialBloomFilter } from '../../src/entries/spatial.ts';
import { TombstoneFilter } from '../../src/entries/tombstone.ts';
import { hashKeys } from '../../src/hash.ts';
import * as api from '../../src/index.ts';
import type { Engine } from '../../src/kernel/region.ts';
import { generateSecret, keyed, keyedHashKeys } from '../../src/keyed.ts';
import { HashedKeys } from '../../src/keys/hashes.ts';
import type { LoadableClass } from '../../src/load.ts';
import { buildParallel } from '../../src/parallel.ts';
import { RedisBloomFilter, RotatingRedisBloomFilter } from '../../src/redis.ts';
import { SharedBloomFilter } from '../../src/shared.ts';
import { difference } from '../../src/views.ts';
import { errorOf } from '../format/saved.ts';
import { expectRate } from '../shared/binomial.ts';
import { range } from '../shared/integers.ts';
import { type KindOnEngine, kindOn, kinds } from '../shared/kinds.ts';
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
const Counting = keyed(api.CountingBloomFilter, SECRET);
const Fuse = keyed(BinaryFuseFilter, SECRET);
const Other = keyed(api.BloomFilter, OTHER);

describe('a secret', () => {
  it('is 16 random bytes', () => {
    const made = Array.from({ length: 200 }, generateSecret);
    expect(made.every((secret) => secret instanceof Uint8Array && secret.length === 16)).toBe(true);
    expect(new Set(made.map(String)).size).toBe(200);
    // Each of 128 bits is set in some, and not in others: 256 chances of 2^-200 to fail.
    const [all, any] = [
      made.reduce((a, b) => a.map((byte, i) => byte & (b[i] as number))),
      made.reduce((a, b) => a.map((byte, i) => byte | (b[i] as number))),
    ];
    expect([...all, ...any]).toEqual([...new Uint8Array(16), ...new Uint8Array(16).fill(255)]);
  });

  it.each([
    ['a text', 'sixteen letters!', TypeError, 'a value of type string'],
    ['undefined', undefined, TypeError, 'a value of type undefined'],
    ['null', null, TypeError, 'another object'],
    ['an array', [...SECRET], TypeError, 'another object'],
    ['a buffer', SECRET.buffer, TypeError, 'another object'],
    ['15 bytes', SECRET.subarray(1), RangeError, '15'],
    ['17 bytes', Uint8Array.of(1, ...SECRET), RangeError, '17'],
    ['nothing', new Uint8Array(0), RangeError, '0'],
    ['zeros', new Uint8Array(16), RangeError, '16 zeros'],
  ])('is refused unless it is that: %s', (_, secret, Expected, got) => {
    for (const call of [keyed.bind(null, api.BloomFilter), keyedHashKeys]) {
      const error = errorOf(() => call(secret as never));
      expect(error).toBeInstanceOf(Expected);
      expect(error.message).toMatch(new RegExp(`^secret must .*, got ${got}$`));
    }
  });

  it('has its true length, whatever a subclass says, and is read once', () => {
    class Sixteen extends Uint8Array {
      override get length(): number {
        return 16;
      }
    }
    class Short extends Uint8Array {
      override get length(): number {
        return 1;
      }
      override some(): boolean {
        return false;
      }
      override *[Symbol.iterator](): ArrayIterator<number> {
        yield* new Uint8Array(20_000).fill(7).values();
      }
    }
    const large = new Sixteen(20_000).fill(1);
    for (const call of [keyed.bind(null, api.BloomFilter), keyedHashKeys]) {
      expect(() => call(large)).toThrow(new RangeError('secret must have 16 bytes, got 20000'));
    }
    const Class = keyed(api.BloomFilter, Short.from(SECRET));
    expect(Class.from(names).toBytes()).toEqual(Bloom.from(names).toBytes());
  });

  it('is refused if its memory was transferred', () => {
    const given = SECRET.slice();
    structuredClone(given, { transfer: [given.buffer] });
    expect(() => keyed(api.BloomFilter, given)).toThrow(new RangeError('secret must have 16 bytes, got 0'));
  });

  it('may lie in a Buffer, and is copied', () => {
    const given = Buffer.from(SECRET);
    const Class = keyed(api.BloomFilter, given);
    given.fill(0xff);
    expect(Class.from(names).toBytes()).toEqual(Bloom.from(names).toBytes());
  });

  it('is identified by 32 bits of the hash of a constant', () => {
    expect(new Bloom({ capacity: 1 }).seed).toBe(seedUnder(SECRET));
    expect(new Other({ capacity: 1 }).seed).toBe(seedUnder(OTHER));
    expect(seedUnder(SECRET)).not.toBe(seedUnder(OTHER));
  });
});

describe('a class with a secret', () => {
  it('is like the class that it was made of', () => {
    expect(Bloom.name).toBe('BloomFilter');
    expect(Bloom.kind).toBe('classic');
    expect(Bloom.traits).toEqual(api.BloomFilter.traits);
    const filter = new Bloom({ capacity: 100 });
    expect(filter).toBeInstanceOf(Bloom);
    expect(filter).toBeInstanceOf(api.BloomFilter);
    expect(filter).not.toBeInstanceOf(Other);
    expect(filter.clone()).toBeInstanceOf(Bloom);
    expect(Object.prototype.toString.call(filter)).toBe('[object BloomFilter]');
  });

  it('has no other seed', () => {
    const wrong = [0, 5, 2 ** 32 - 1, seedUnder(OTHER), '5', Number.NaN];
    for (const seed of wrong as number[]) {
      for (const call of [
        () => new Bloom({ capacity: 1, seed }),
        () => Bloom.from(names, { seed }),
        () => Fuse.from(names, { seed }),
      ]) {
        expect(call).toThrow(/^seed must be undefined under a secret, got /);
        expect(call).toThrow(TypeError);
      }
    }
    expect(new Bloom({ capacity: 1, seed: undefined }).seed).toBe(seedUnder(SECRET));
    expect(() => new api.BloomFilter({ capacity: 1, seed: seedUnder(SECRET) })).toThrow(RangeError);
    expect(() => hashKeys(names, { seed: seedUnder(SECRET) })).toThrow(RangeError);
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
    expect(before.mark).toBe('before');
    expect(After.mark).toBe('after');
    expect(after).toBeInstanceOf(After);
    for (const each of [before, after, After.fromBytes(after.toBytes()), after.clone()]) {
      expect(each.toBytes()).toEqual(Bloom.from(names).toBytes());
    }
    expect(() => keyed(After, OTHER)).toThrow('Class must be without a secret, got a class that has one');
  });

  it('can be made only of a class of filters on the same engine, without a secret', () => {
    const wrong = [undefined, null, 7, {}, class {}, SharedBloomFilter, new api.BloomFilter({ capacity: 1 })];
    for (const Class of wrong) {
      expect(() => keyed(Class as never, SECRET)).toThrow(TypeError);
      expect(() => keyed(Class as never, SECRET)).toThrow(/^Class must be a class of filters of one thread, got /);
    }
    expect(() => keyed(Bloom, SECRET)).toThrow(
      new TypeError('Class must be without a secret, got a class that has one'),
    );
    expect(() => keyed(js.BloomFilter, SECRET)).toThrow(
      new TypeError(
        "Class must run on the engine wasm, got one that runs on js: import keyed from 'bloomery/keyed/js'",
      ),
    );
  });

  it('can be prepared', async () => {
    const Prepared = keyed(api.BloomFilter, SECRET);
    await Prepared.prepare();
    expect(Prepared.from(names).toBytes()).toEqual(Bloom.from(names).toBytes());
  });

  it('shares no memory with others, and gives its own back', async () => {
    const refs = range(0, 20).map((i) => {
      const Class = keyed(
        api.BloomFilter,
        Uint8Array.from(SECRET, (byte) => byte ^ (i + 2)),
      );
      const filter = Class.from([`key ${i}`]);
      expect(filter.has(`key ${i}`)).toBe(true);
      return [new WeakRef(Class), new WeakRef(filter)] as const;
    });
    // A turn of the event loop clears what a WeakRef keeps.
    for (let turn = 0; turn < 10; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      collectGarbage();
    }
    expect(refs.flat().filter((ref) => ref.deref())).toEqual([]);
  });
});

describe('hashes under a secret', () => {
  const hashed = keyedHashKeys(SECRET)(names);

  it('are those of SipHash-1-3, and take the place of keys', () => {
    const expected = names.flatMap((name) => siphash13(bytesOf(name), SECRET));
    expect(new BigUint64Array(hashed.bytes.buffer)).toEqual(BigUint64Array.from(expected));
    expect(hashed.seed).toBe(seedUnder(SECRET));
    expect(Bloom.from(hashed).toBytes()).toEqual(Bloom.from(names).toBytes());
    const again = new HashedKeys(hashed.bytes, hashed.seed);
    expect(Bloom.from(names).omit(again)).toMatchObject({ length: 0 });
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
      const uses = [
        () => filter.addMany(keys),
        () => filter.hasMany(keys),
        () => filter.pick(keys),
        () => filter.omit(keys),
        () => filter.dedupe(keys),
        () => Class.from(keys),
      ];
      for (const use of uses) {
        const error = errorOf(use);
        expect(error).toBeInstanceOf(RangeError);
        expect(error.message).toBe(`seed of the hashed keys must be ${wanted}, got ${got}`);
      }
    }
  });

  it('have bits that look random and independent', () => {
    const COUNT = 10_000;
    const bits = new BigUint64Array(keyedHashKeys(generateSecret())(range(0, COUNT)).bytes.buffer);
    const bitOf = (key: number, bit: number): number =>
      Number(((bits[2 * key + (bit >> 6)] as bigint) >> BigInt(bit & 63)) & 1n);
    const table = range(0, 128).map((bit) => range(0, COUNT).map((key) => bitOf(key, bit)));
    // 128 + 8128 sums of COUNT fair coins: 6.5 standard deviations are exceeded in less than one of a million runs.
    const most = 6.5 * Math.sqrt(COUNT / 4);
    for (const [i, one] of table.entries()) {
      expect(Math.abs(one.reduce((sum, bit) => sum + bit, 0) - COUNT / 2), `bit ${i}`).toBeLessThan(most);
      for (const [j, other] of table.entries()) {
        if (j >= i) break;
        let same = 0;
        for (let key = 0; key < COUNT; key++) same += one[key] === other[key] ? 1 : 0;
        expect(Math.abs(same - COUNT / 2), `bits ${i} and ${j}`).toBeLessThan(most);
      }
    }
  });
});

describe('filters of different secrets', () => {
  it.each([
    ['another secret', Other],
    ['none', api.BloomFilter],
  ])('do not combine: %s', (_, Class) => {
    const a = Bloom.from(names);
    const b = Class.from(names);
    const got = Class === Other ? shownSeed(OTHER) : '0';
    for (const verb of ['union', 'intersection', 'merge', 'estimateUnion', 'estimateIntersection'] as const) {
      const error = errorOf(() => a[verb](b));
      expect(error).toBeInstanceOf(RangeError);
      expect(error.message).toBe(`seed of other must be ${shownSeed(SECRET)}, got ${got}`);
      expect(() => b[verb](a)).toThrow(new RangeError(`seed of other must be ${got}, got ${shownSeed(SECRET)}`));
    }
    expect([a.equals(b), b.equals(a)]).toEqual([false, false]);
    expect(() => difference(a, b)).toThrow(new RangeError(`seed of b must be ${shownSeed(SECRET)}, got ${got}`));
  });

  it('hold other cells', () => {
    const files = [api.BloomFilter, Bloom, Other].map((Class) => String(Class.from(names).toBytes().subarray(64)));
    expect(new Set(files).size).toBe(3);
  });

  it('of one secret combine, whatever class and engine they have', () => {
    const Again = keyed(api.BloomFilter, SECRET);
    const Js = jsKeyed(js.BloomFilter, SECRET);
    const [a, b] = [
      Bloom.from(names.slice(0, 200), { capacity: 300 }),
      Again.from(names.slice(100), { capacity: 300 }),
    ];
    expect(a.union(b).equals(Bloom.from(names, { capacity: 300 }))).toBe(true);
    expect(difference(a, b).omit(names).length).toBeGreaterThan(190);
    expect(Js.from(names, { capacity: 300 }).equals(a.union(b))).toBe(true);
    expect(
      Counting.from(names, { capacity: 300 })
        .toBloomFilter()
        .equals(Bloom.from(names, { capacity: 300 })),
    ).toBe(true);
  });
});

/** The static properties of a class, its own and those that it inherits, that are classes with an engine. */
function innerClasses(Class: object): (readonly [name: string, seed: number | undefined])[] {
  const names = new Set<string | symbol>();
  for (let each = Class; each !== Function.prototype; each = Object.getPrototypeOf(each) as object) {
    for (const name of Reflect.ownKeys(each)) names.add(name);
  }
  return [...names].flatMap((name) => {
    const value: unknown = Reflect.get(Class, name);
    const isClass = typeof value === 'function' && 'engine' in value;
    return isClass ? [[String(name), (value.engine as Engine).seed] as const] : [];
  });
}

describe('classes that a class with a secret holds', () => {
  const all: readonly (readonly [name: string, Class: object])[] = [
    ...kinds.filter(({ isKeyed }) => !isKeyed).map(({ name, Filter }) => [name, Filter] as const),
    ['RedisBloomFilter', RedisBloomFilter],
    ['RotatingRedisBloomFilter', RotatingRedisBloomFilter],
  ];

  it('are found', () => {
    expect(all.flatMap(([name, Class]) => innerClasses(Class).map(([at]) => `${name}: ${at}`))).toEqual([
      'wasm, counting: classic',
      'js, counting: classic',
      'RedisBloomFilter: local',
    ]);
  });

  it.each(all)('have the secret: %s', (name, Class) => {
    const make = name.startsWith('js') ? jsKeyed : keyed;
    const Keyed = make(Class as typeof api.BloomFilter, SECRET);
    expect(Keyed.engine.seed).toBe(seedUnder(SECRET));
    expect(innerClasses(Keyed).map(([at]) => at)).toEqual(innerClasses(Class).map(([at]) => at));
    for (const [at, seed] of innerClasses(Keyed)) expect(seed, at).toBe(seedUnder(SECRET));
  });
});

describe('kinds that work on others', () => {
  it('a counting filter gives a Bloom filter with the same secret', () => {
    const bits = Counting.from(names).toBloomFilter();
    expect(bits.seed).toBe(seedUnder(SECRET));
    expect(bits.omit(names)).toEqual([]);
    expect(bits.add(names[0] as string)).toBe(false);
    expect(bits.toBytes()).toEqual(Bloom.from(names, { capacity: 300 }).toBytes());
  });

  it('a spatial filter keeps labels', () => {
    const filter = keyed(SpatialBloomFilter, SECRET).from(
      new Map([
        [1, names.slice(0, 100)],
        [2, names.slice(100)],
      ]),
    );
    expect(filter.labelOf(names[0] as string)).toBe(1);
    expect(filter.labelOf(names[200] as string)).toBe(2);
    expect(filter.seed).toBe(seedUnder(SECRET));
  });

  it('a tombstone filter must have the secret of its base', () => {
    const Tombstones = keyed(TombstoneFilter, SECRET);
    const filter = new Tombstones(Bloom.from(names));
    expect(filter.remove(names[0] as string)).toBe(true);
    filter.removeMany(names.slice(1, 5));
    expect(filter.omit(names)).toEqual(names.slice(0, 5));
    expect(names.filter((name) => !filter.has(name))).toEqual(names.slice(0, 5));
    const wrong = [
      [Tombstones, api.BloomFilter, shownSeed(SECRET), '0'],
      [Tombstones, Other, shownSeed(SECRET), shownSeed(OTHER)],
    ] as const;
    for (const [Class, Base, wanted, got] of wrong) {
      const error = errorOf(() => new Class(Base.from(names)));
      expect(error).toBeInstanceOf(RangeError);
      expect(error.message).toBe(`seed of base must be ${wanted}, got ${got}`);
    }
    expect(() => new TombstoneFilter(Bloom.from(names))).toThrow(
      new RangeError(`base must be without a secret, got one under ${shownSeed(SECRET)}: see keyed`),
    );
  });
});

describe('what threads share', () => {
  it('has no secret', async () => {
    const filter = Bloom.from(names);
    expect(() => SharedBloomFilter.fromFilter(filter)).toThrow(new TypeError('filter must be without a secret'));
    expect(errorOf(() => SharedBloomFilter.fromBytes(filter.toBytes()))).toMatchObject({ code: 'SECRET' });
    await expect(buildParallel(Bloom, [])).rejects.toThrow(new TypeError('Class must be without a secret'));
  });
});

const onBoth = kinds.filter(({ isKeyed, engine }) => isKeyed && engine.name === 'wasm');

describe.each(onBoth)('under a secret: $name', ({ Filter, Twin, anyOptions, kind }: KindOnEngine) => {
  it('both engines make the same bytes', () => {
    const keys = fc.uniqueArray(fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array(), fc.maxSafeInteger()), {
      maxLength: 300,
      selector: String,
    });
    fc.assert(
      fc.property(keys, anyOptions, (given, options) => {
        const [one, other] = [Filter.from(given, options), Twin.from(given, options)];
        expect([one.engine, other.engine]).toEqual(['wasm', 'js']);
        // The random numbers of stable filters begin with the seed, so they have these too.
        expect(other.toBytes()).toEqual(one.toBytes());
        for (const each of [one, other]) each.dispose();
      }),
      { numRuns: 30 },
    );
  });

  it('is not the filter without one', () => {
    const unkeyed = kinds.find((each) => each.kind === kind && !each.isKeyed) as KindOnEngine;
    const [one, other] = [Filter, unkeyed.Filter].map((Class) => Class.from(names).toBytes().subarray(64));
    expect(one).not.toEqual(other);
  });
});

describe('error rates under a secret', () => {
  it.each(['classic', 'blocked', 'counting', 'wide', 'cuckoo'])('are as promised: %s', (kind) => {
    const { Filter } = kindOn(kind, 'wasm');
    const Class = keyed(Filter as object as LoadableClass, generateSecret()) as object as typeof Filter;
    const COUNT = 50_000;
    const filter = new Class({ capacity: COUNT, errorRate: 0.01 }).addMany(range(0, COUNT));
    const trials = 1_000_000;
    const hits = filter.pick(Uint32Array.from({ length: trials }, (_, i) => COUNT + i)).length;
    expectRate(hits, trials, filter.estimateErrorRate(), 1.05, 0.0105);
  });
});
