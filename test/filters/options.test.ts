// The options of every kind, and of lines and streams: which there are, and which values are refused.

import { describe, expect, it } from 'vitest';
import { addLines, BloomFilter, type BloomFilterOptions, column, type LineOptions, lines } from '../../src/index.ts';
import { errorOf } from '../format/saved.ts';
import * as api from '../shared/api.ts';
import { type AnyClass, kinds } from '../shared/kinds.ts';
import { sourceOf, text } from '../shared/stream-tools.ts';
import { withOneValue } from '../shared/wrapped.ts';

const { FingerprintSet, RotatingBloomFilter: Rotating, ScalableBloomFilter: Scalable } = api;
const { ShardedFuseFilter, StableBloomFilter } = api;

type Range = readonly [least: number, most: number];
const ANY: Range = [1, Number.MAX_SAFE_INTEGER];
const HASHES: Range = [1, 255];
const SEED: Range = [0, 2 ** 32 - 1];

type Ranges = Readonly<Record<string, Range>>;
/**
 * The options of a class that are integers: those that give a size together, and others. Last, those without which no
 * filter can be made, besides a capacity or a size.
 */
type Row = readonly [Class: object & { readonly kind: string }, sizes: Ranges, others?: Ranges, needed?: object];

const capacity = ANY;
const rows: readonly Row[] = [
  [BloomFilter, { bits: ANY, hashes: HASHES }],
  [api.BlockedBloomFilter, { bits: [1, 256 * (2 ** 32 - 1)] }],
  [api.WideBlockedBloomFilter, { bits: [1, 512 * (2 ** 32 - 1)] }],
  [api.CountingBloomFilter, { counters: ANY, hashes: HASHES }],
  [api.CuckooFilter, { buckets: [2, 2 ** 30], fingerprintBits: [7, 32] }, { capacity: [1, 4_080_218_912] }],
  [api.DLeftCountingBloomFilter, { buckets: [1, 2 ** 27], remainderBits: [4, 30] }, { capacity: [1, 3_221_225_466] }],
  // There are as many decrements as cells at most, of which there is one here.
  [StableBloomFilter, { cells: ANY, hashes: HASHES, decrements: [1, 1] }, { capacity, cellBits: [1, 8] }],
  [api.SpatialBloomFilter, { cells: ANY, hashes: HASHES }, { capacity, labels: [1, 65_535] }, { labels: 3 }],
  [Rotating, {}, { capacity, generations: [2, 16], window: [1, 2 ** 45] }],
  [Scalable, {}, { capacity, growth: [2, 16] }],
  [api.BinaryFuseFilter, {}, { fingerprintBits: [1, 32] }],
  [api.FingerprintSet, {}, { capacity: [0, Number.MAX_SAFE_INTEGER] }],
  [ShardedFuseFilter, {}, { fingerprintBits: [1, 32], shards: [1, 256] }],
  [withOneValue(api.FuseMap as object as AnyClass), {}, { fingerprintBits: [0, 32], shards: [1, 256] }],
];

it('every kind has a row, unless its filters are made around others', () => {
  const names = kinds.filter(({ bases }) => bases.length === 0).map(({ kind }) => kind);
  expect(rows.map(([{ kind }]) => kind).sort()).toEqual(names.sort());
});

/** Makes a filter, of one key if its class has no constructor. */
function make(Class: object, options: object): unknown {
  const Any = Class as AnyClass;
  return 'add' in Any.prototype ? new Any(options) : Any.from(['a'], options);
}

describe.each(rows.map((row) => ({ row, kind: row[0].kind })))('options of a filter: $kind', ({ row }) => {
  const [Class, sizes, others = { capacity }, needed = {}] = row;
  const size = Object.fromEntries(Object.entries(sizes).map(([name, [least]]) => [name, least]));
  const usual = 'capacity' in others ? { capacity: 10, ...needed } : {};
  const wrong = (options: object): Error => errorOf(() => make(Class, options));
  const mustBe = (name: string, [least, most]: Range, shown: unknown): string =>
    `${name} must be an integer from ${least} to ${most}, got ${shown}`;

  it.each(Object.entries({ ...sizes, ...others, seed: SEED }))('%s is an integer in its range', (name, range) => {
    const given = name in sizes ? { ...needed, ...size } : usual;
    const [least, most] = range;
    for (const value of [least - 1, most + 1, least + 0.5, Number.NaN]) {
      expect(wrong({ ...given, [name]: value })).toEqual(new RangeError(mustBe(name, range, value)));
    }
    expect(wrong({ ...given, [name]: `${least}` })).toEqual(new TypeError(mustBe(name, range, `"${least}"`)));
    expect(wrong({ ...given, [name]: null })).toEqual(new TypeError(mustBe(name, range, null)));
    for (const value of range) {
      // Some are refused for another reason, such as their memory.
      const made = (): unknown => make(Class, { ...given, [name]: value });
      expect(made).not.toThrow(`${name} must be an integer`);
    }
  });

  it('have names, and may be undefined as if they were left out', () => {
    const [name = 'seed'] = Object.keys(sizes);
    const names = ['seed', name, ...(Class === api.FingerprintSet ? [] : ['errorRate'])];
    const left = Object.fromEntries(names.map((each) => [each, undefined]));
    expect(make(Class, { ...usual, ...left })).toBeDefined();
    expect(wrong({ ...usual, fpp: undefined }).message).toMatch(/^unknown option fpp; the options are .*seed/);
  });

  it.each(Object.entries(sizes))('%s gives a size with the others, without a capacity or a rate', (name, range) => {
    const both = new TypeError(`options must give a capacity or ${Object.keys(sizes).join(' and ')}, got both`);
    expect(wrong({ ...needed, capacity: 1, [name]: 8 })).toEqual(both);
    expect(wrong({ ...needed, ...size, errorRate: 0.1 })).toEqual(both);
    if (Object.keys(sizes).length === 1) return;
    const missing = new TypeError(mustBe(name, range, undefined));
    expect(wrong({ ...needed, ...size, [name]: undefined })).toEqual(missing);
  });
});

describe('options of a filter', () => {
  it('may have getters', () => {
    class Config {
      readonly #capacity = 20;
      get capacity(): number {
        return this.#capacity;
      }
      get errorRate(): number {
        return 0.3;
      }
      get seed(): number {
        return 5;
      }
      get comment(): string {
        return 'not an own property, so not an option';
      }
    }
    expect(new BloomFilter(new Config()).capacity).toBe(20);
    expect(BloomFilter.from(['a'], new Config())).toMatchObject({ capacity: 20, errorRate: 0.3, seed: 5 });
    expect(new BloomFilter(Object.assign(Object.create(null), { capacity: 30 })).capacity).toBe(30);
    expect(new BloomFilter({ capacity: 40, ...{ [Symbol('mark')]: 1 } }).capacity).toBe(40);
  });

  const sized = { cells: 9, hashes: 1, decrements: 1 };
  const rare = { capacity: 1000, errorRate: 1e-10 };
  const between = 'must be a number between 0 and 1, both excluded, got';
  type Wrong = [Class: object, options: object, message: string];
  const power = 'shards must be a power of two, got';
  const share = `tightening ${between}`;
  it.each<Wrong>([
    [BloomFilter, { capacity: 100, errorRate: 1 }, `errorRate ${between} 1`],
    [BloomFilter, { capacity: 100, errorRate: 1e-80 }, 'errorRate must be at least 2^-255, got 1e-80'],
    [api.CuckooFilter, { buckets: 3, fingerprintBits: 9 }, 'buckets must be even, got 3'],
    [api.CuckooFilter, rare, 'at least 1.73e-9 with fingerprints of 32 bits, got 1e-10'],
    [api.CuckooFilter, { buckets: 2 ** 30, fingerprintBits: 32 }, 'a filter of 17.2 GB is too large'],
    [api.DLeftCountingBloomFilter, rare, 'at least 2.22e-8 with remainders of 30 bits, got'],
    ...[3, 5, 6, 7].flatMap((cellBits): Wrong[] => [
      [StableBloomFilter, { capacity: 9, cellBits }, `cellBits must be 1, 2, 4 or 8, got ${cellBits}`],
      [StableBloomFilter, { ...sized, cellBits }, `cellBits must be 1, 2, 4 or 8, got ${cellBits}`],
    ]),
    [StableBloomFilter, { capacity: 9, errorRate: 2 ** -256 }, 'errorRate must be at least 2^-255, got 8.64e-78'],
    [StableBloomFilter, { capacity: 1e15, errorRate: 1e-9 }, 'capacity 1000000000000000 at errorRate 1e-9 needs more'],
    [Rotating, { capacity: 9, errorRate: 0.00003 }, 'errorRate must be at least 0.00004 in 4 generations, got'],
    [Rotating, { capacity: 1e12 }, 'capacity must need at most 4294967295 blocks in each generation, got 1000000'],
    ...[0, 1, -1, 2, NaN].map((tightening): Wrong => [Scalable, { capacity: 1, tightening }, `${share} ${tightening}`]),
    [api.BinaryFuseFilter, { errorRate: 2 ** -33 }, 'errorRate must be at least 2^-32, which is 2.33e-10, got 1.16'],
    ...[3, 12, 255].map((shards): Wrong => [ShardedFuseFilter, { shards }, `${power} ${shards}`]),
  ])('are refused with a reason: %# %j', (Class, options, message) => {
    const error = errorOf(() => make(Class, options));
    expect(error).toBeInstanceOf(RangeError);
    expect(error.message).toContain(message);
  });

  it('may not be null', () => {
    const error = errorOf(() => make(Scalable, { capacity: 1, tightening: null }));
    expect(error).toEqual(new TypeError(`${share} null`));
  });

  it.each([api.BinaryFuseFilter, ShardedFuseFilter])('make a static filter only with its keys: %#', (Class) => {
    const both = 'options must give errorRate or fingerprintBits, got both';
    const options = { errorRate: 0.1, fingerprintBits: 8 };
    expect(errorOf(() => make(Class, options))).toEqual(new TypeError(both));
    const { name } = Class;
    const wanted = `a ${name} is made of all its keys at once: use ${name}.from(keys, options)`;
    for (const given of [undefined, { errorRate: 0.1 }]) {
      expect(errorOf(() => new (Class as object as AnyClass)(given as object))).toEqual(new TypeError(wanted));
    }
    expect('add' in Class.prototype).toBe(false);
  });

  const unknown = ['error_rate', 'Capacity', 'p', '', '0', '__proto__', 'constructor', 'capacity'.repeat(1e6)];
  it.each(unknown)('are listed for an unknown name: %#, %.20s', (name) => {
    const options = { capacity: 10, ...Object.fromEntries([[name, undefined]]) };
    const message = `unknown option ${name.slice(0, 40)}; the options are capacity, errorRate, bits, hashes, seed`;
    expect(() => new BloomFilter(options as never)).toThrow(new TypeError(message));
  });

  it('may be more in a subclass, which passes the rest on', () => {
    class Named extends BloomFilter {
      readonly name: string;
      constructor({ name = '', ...rest }: BloomFilterOptions & { name?: string }) {
        super(rest);
        this.name = name;
      }
    }
    expect(new Named({ capacity: 5, name: 'a' }).name).toBe('a');
    expect(Named.from(['x', 'y'], { name: 'b' })).toMatchObject({ name: 'b', capacity: 2 });
    expect(Named.from(['x', 'y'], { name: 'b', bits: 64, hashes: 2 })).toMatchObject({ name: 'b', bits: 64 });
    const misspelt: object = { nam: 'b' };
    expect(() => Named.from(['x'], misspelt)).toThrow(/^unknown option nam; the options are /);
  });

  it.each([
    BloomFilter,
    api.CuckooFilter,
    api.DLeftCountingBloomFilter,
    Scalable,
    Rotating,
    StableBloomFilter,
    FingerprintSet,
  ])('may have defaults in a subclass, for `from` too: %#', (Class) => {
    const defaults = { seed: 7, ...(Class === FingerprintSet ? {} : { errorRate: 0.001 }) };
    const orders = [
      (options: object) => ({ ...defaults, ...options }),
      (options: object) => ({ ...options, ...defaults }),
    ];
    for (const withDefaults of orders) {
      class Usual extends (Class as typeof BloomFilter) {
        constructor(options: BloomFilterOptions) {
          super(withDefaults(options) as BloomFilterOptions);
        }
      }
      for (const options of [undefined, { capacity: 9 }]) {
        const filter = Usual.from(['a', 'b', 'a'], options);
        expect(filter).toMatchObject(defaults);
        expect([...filter.hasMany(['a', 'b'])]).toEqual([1, 1]);
      }
    }
  });

  it('say what was meant if they are no object', () => {
    const from = (options: unknown) => () => BloomFilter.from(['a'], options as object);
    expect(from(0.01)).toThrow(new TypeError('options must be an object such as { errorRate: 0.01 }, got 0.01'));
    expect(from(['a'])).toThrow('options must be an object such as { errorRate: 0.01 }, got an object (Array)');
    const make = (options: unknown) => () => new BloomFilter(options as BloomFilterOptions);
    const wanted = 'options must be an object such as { capacity: 1000, errorRate: 0.01 }, got ';
    expect(make(1000)).toThrow(new TypeError(`${wanted}1000`));
    expect(make(undefined)).toThrow(new TypeError(`${wanted}undefined`));
    expect(make(new Uint8Array(2 ** 30))).toThrow(new TypeError(`${wanted}an object (Uint8Array)`));
  });
});

describe('options of lines and streams', () => {
  const filter = BloomFilter.from(['a']);

  it.each([
    [{ signal: undefined }, 'unknown option signal; the options are crlf'],
    [false, 'options must be an object such as { crlf: false }, got false'],
  ])('are known to lines: %j', (options, message) => {
    expect(() => lines(text('a\nb'), options as never)).toThrow(new TypeError(message));
    // Lines have properties that are no options.
    expect(filter.pick(lines(text('a\nb'), { crlf: false })).crlf).toBe(false);
  });

  it('are known to streams', async () => {
    const options = { encoding: undefined } as LineOptions;
    const expected = new TypeError('unknown option encoding; the options are crlf, onProgress, signal');
    for (const stream of [api.pickLines, api.omitLines, api.dedupeLines]) {
      expect(() => stream(filter, options)).toThrow(expected);
    }
    await expect(addLines(filter, sourceOf([text('a')]), options)).rejects.toThrow(expected);
  });
});

it('from uses the number of keys as the capacity, unless options give a size', () => {
  const lengths: readonly (readonly [filter: BloomFilter, capacity: number])[] = [
    [BloomFilter.from(['a', 'b', 'c']), 3],
    [BloomFilter.from(new Set(['a', 'b'])), 2],
    [BloomFilter.from(new Uint32Array(7)), 7],
    [BloomFilter.from(lines(text('a\nb\n\nc'))), 4],
    [BloomFilter.from(column(new Uint8Array(3), Int32Array.of(0, 1, 3))), 2],
    [BloomFilter.from([]), 1],
    [BloomFilter.from(['a'], { capacity: 50 }), 50],
  ];
  for (const [filter, capacity] of lengths) expect(filter.capacity).toBe(capacity);
  expect(BloomFilter.from(['a'], { bits: 64, hashes: 2 })).toMatchObject({ bits: 64, hashes: 2 });
});
