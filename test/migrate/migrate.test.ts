// Filters that the packages themselves have saved are answered for as these answer. What is refused, and what else migrated
// filters have.

import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { fromBloomFilters, fromBloomfilter, type MigratedFilter } from '../../src/entries/migrate.ts';
import { BitCells } from '../../src/migrate/bit-cells.ts';

/** Filters that a package has made, and what it answered: see test/vectors/migrate/README.md. */
interface Vectors {
  readonly strings: readonly string[];
  /** Keys in hexadecimal digits. */
  readonly bytes: readonly string[];
  readonly filters: readonly {
    readonly saved: object;
    readonly hashes?: number;
    /** How many of the strings, the last ones, were added. */
    readonly members: number;
    /** An answer for each key: 1 or 0. */
    readonly strings: string;
    readonly bytes: string;
  }[];
}

function readVectors(name: string): Vectors {
  return JSON.parse(readFileSync(`test/vectors/migrate/${name}.json`, 'utf8')) as Vectors;
}

const binary = (flags: Iterable<number>): string => [...flags].join('');

function casesOf(name: string) {
  const vectors = readVectors(name);
  return vectors.filters.map((filter, index) => ({ name, vectors, index, filter }));
}

/** Checks all answers about the strings, one by one and in a batch. */
function expectStrings(filter: MigratedFilter<string>, { strings }: Vectors, answers: string): void {
  expect(binary(strings.map((key) => Number(filter.has(key))))).toBe(answers);
  expect(binary(filter.hasMany(strings))).toBe(answers);
}

describe.each(['bloom-filters-2.0.0', 'bloom-filters-3.0.4'])('fromBloomFilters, of %s', (name) => {
  it.each(casesOf(name))('answers as $name, filter $index', ({ vectors, filter: { saved, strings, bytes } }) => {
    const filter = fromBloomFilters(saved as { type: string });
    expectStrings(filter, vectors, strings);
    const keys = vectors.bytes.map((key) => Buffer.from(key, 'hex'));
    expect(binary(filter.hasMany(keys))).toBe(bytes);
    expect(binary(keys.map((key) => Number(filter.has(new Uint8Array(key)))))).toBe(bytes);
  });
});

const fromAny = fromBloomfilter as (...saved: unknown[]) => MigratedFilter<string>;

describe.each(['bloomfilter-0.0.21', 'bloomfilter-1.1.0'])('fromBloomfilter, of %s', (name) => {
  it.each(casesOf(name))('answers as $name, filter $index', ({ vectors, filter: { saved, hashes, strings } }) => {
    expectStrings(fromAny(saved, hashes), vectors, strings);
  });
});

const { filters } = readVectors('bloom-filters-3.0.4');
/** A copy of a saved filter of a type, with other fields. */
function changed(type: string, change: object): never {
  const { saved } = filters.findLast((each) => (each.saved as { type: string }).type === type) as { saved: object };
  return { ...structuredClone(saved), ...change } as never;
}
const classic = (change: object): never => changed('BloomFilter', change);
const counting = (filter: unknown): never => changed('CountingBloomFilter', { _filter: filter });
const sliced = (change: object): never => changed('PartitionedBloomFilter', change);
const slices = (...contents: string[]): never =>
  sliced({ _nbHashes: contents.length, _m: 8, _filter: contents.map((content) => ({ size: 8, content })) });
/** A filter of 4099 bits with other bits. */
const filled = (content: unknown, size = 4104): never => classic({ _filter: { size, content } });
const zeros = (bytes: number): string => Buffer.alloc(bytes).toString('base64');

const error = (name: string, message: string) =>
  expect.objectContaining({ name, message: expect.stringContaining(message) }) as never;

describe('fromBloomFilters refuses', () => {
  it.each([
    ['TypeError', 'json must be an object, got "{}": pass JSON.parse(text)', '{}'],
    ['TypeError', 'json must be an object, got an object (Array)', []],
    ['SavedFilterError', 'json must be saved by bloom-filters 2 or 3: its type must be BloomFilter, ', {}],
    ['SavedFilterError', 'it is a XorFilter, which is not read', { type: 'XorFilter' }],
    ['RangeError', 'json._nbHashes must be an integer from 1 to 65535, got 0', classic({ _nbHashes: 0 })],
    ['RangeError', 'json._nbHashes must be an integer from 1 to 65535', classic({ _nbHashes: 65_536 })],
    ['TypeError', 'json._seed must be a number, got null', classic({ _seed: null })],
    ['RangeError', 'json._seed must be a finite number', classic({ _seed: Infinity })],
    ['RangeError', 'json._size must be an integer from 1 to 4294967296', classic({ _size: 0 })],
    ['RangeError', 'json._size must be an integer from', classic({ _size: 2 ** 32 + 1 })],
    ['SavedFilterError', 'json._filter must be saved', classic({ _size: 2 ** 32 })],
    ['TypeError', 'json._filter must be an object, got null', classic({ _filter: null })],
    ['SavedFilterError', 'it is of an older version', classic({ _filter: [0, 1] })],
    ['SavedFilterError', 'it has 8 of 4104 bits', filled('', 8)],
    ['SavedFilterError', 'it has 4112 of 4104 bits', filled(zeros(513), 4112)],
    ['TypeError', 'json._filter.content must be a string', filled(undefined)],
    ['SavedFilterError', 'it has 680 of 684 characters', filled(zeros(510))],
    ['SavedFilterError', 'character 1 is not base64', filled(`A-${zeros(513).slice(2)}`)],
    ['SavedFilterError', 'character 0 is not base64', filled(`漢${zeros(513).slice(1)}`)],
    ['SavedFilterError', 'character 3 is not base64', classic({ _size: 8, _filter: { size: 8, content: 'AA=A' } })],
    ['SavedFilterError', 'padding bits are not zero', filled(Buffer.alloc(513, 255).toString('base64'))],
    ['TypeError', 'json._filter must be an array', counting({})],
    ['SavedFilterError', 'it has 1 of 640 elements', counting([[0, 0]])],
    ['TypeError', 'json._filter[0] must be an array', counting(new Array(640))],
    ['SavedFilterError', 'it has 1 of 2 elements', counting(Array(640).fill([0]))],
    ['RangeError', 'json._filter[0][0] must be an integer from 0 to 1, got 2', counting(Array(640).fill([2, 2]))],
    ['SavedFilterError', 'it has 0 of 8 elements', sliced({ _filter: [] })],
    ['TypeError', 'json._filter[0] must be an object, got undefined', sliced({ _filter: new Array(8) })],
    ['RangeError', 'json._m must be an integer from 1 to 536870912', sliced({ _m: 2 ** 30 })],
    [
      'SavedFilterError',
      'json._filter[1] must be saved by bloom-filters 2 or 3: character 1 is',
      slices('/w==', 'A-=='),
    ],
    [
      'SavedFilterError',
      'json._filter[1] must be saved by bloom-filters 2 or 3: it has 8 of 4',
      slices('/w==', 'AAAAAAA='),
    ],
  ])('%#: %s: %s', (name, message, json) => {
    expect(() => fromBloomFilters(json as never)).toThrow(error(name, message));
  });

  it.each([
    [{ type: 'CuckooFilter' }, 'KIND', 'CuckooFilter'],
    [{ type: 'Other' }, 'FOREIGN', undefined],
    [classic({ _filter: [0] }), 'VERSION', undefined],
    [filled(''), 'TRUNCATED', undefined],
    [filled(zeros(600)), 'DAMAGED', undefined],
  ])('with the code of the reason: %#', (json, code, kind) => {
    expect(() => fromBloomFilters(json as never)).toThrow(expect.objectContaining({ code, kind }) as never);
  });
});

it.each([
  ['TypeError', 'got "[]": pass JSON.parse(text)', ['[]', 3]],
  ['TypeError', 'saved must be buckets', [null, 3]],
  ['TypeError', 'saved must be buckets', [new Uint8Array(4), 3]],
  ['RangeError', 'hashes must be an integer from 1 to 65535, got 0', [[1], 0]],
  ['TypeError', 'buckets must be an array of one bucket or more', [[], 3]],
  ['RangeError', 'buckets.length must be an integer from 1 to 134217728', [new Array(2 ** 28), 3]],
  ['TypeError', 'buckets[0] must be an integer from -2147483648 to 4294967295', [new Array(2 ** 27), 3]],
  ['RangeError', 'buckets[1] must be an integer', [[1, 0.5], 3]],
  ['RangeError', 'buckets[0] must be an integer', [[2 ** 32], 3]],
  ['RangeError', 'saved.k must be an integer from 1 to 65535, got 0', [{ buckets: [1], k: 0 }]],
  ['TypeError', 'hashes must be undefined, because saved.k has it', [{ buckets: [1], k: 3 }, 0]],
  ['RangeError', 'hashes must be an integer from 1 to 65535, got 65536', [[1], 65_536]],
  ['RangeError', 'saved.m must be 32, got 64', [{ buckets: [1], k: 3, m: 64 }]],
  ['RangeError', 'saved.m must be 32, got 31', [{ buckets: [1], k: 3, m: 31 }]],
  ['TypeError', 'saved.buckets must be an array', [{ buckets: 'a', k: 3 }]],
  ['SavedFilterError', 'saved.version must be 1, got 2', [{ version: 2, buckets: [1], k: 3 }]],
])('fromBloomfilter refuses %#: %s: %s', (name, message, args) => {
  expect(() => fromAny(...args)).toThrow(error(name, message));
});

describe('a migrated filter', () => {
  const text = fromBloomFilters(changed('BloomFilter', {}));
  const buckets = fromBloomfilter(new Uint32Array([0, 0xff, 0, 0]), 2);

  it('refuses what is not a key, and says where it is', () => {
    expect(() => text.has(7 as never)).toThrow('key must be a string or a Uint8Array, got 7: bloom-filters hashes all');
    expect(() => text.has(new ArrayBuffer(2) as never)).toThrow(': pass new Uint8Array(key)');
    expect(() => text.hasMany(['a', null] as never)).toThrow('keys[1] must be a string or a Uint8Array, got null');
    const lost = new Uint8Array(2);
    structuredClone(lost.buffer, { transfer: [lost.buffer] });
    expect(() => text.has(lost)).toThrow('that is detached or out of bounds');
    const wanted = 'key must be a string, a number or a bigint, got an object (Object): ';
    expect(() => buckets.has({} as never)).toThrow(wanted);
    expect(() => buckets.pick(['a', undefined] as never)).toThrow('keys[1] must be a string, a number or a bigint');
  });

  it.each([
    ['"a", which is one key', 'a'],
    ['an object (Uint8Array), which is one key', new Uint8Array(2)],
    ['7', 7],
    ['null', null],
  ])('refuses one key as many: %s', (got, keys) => {
    for (const filter of [text, buckets] as MigratedFilter<string>[]) {
      for (const method of ['hasMany', 'pick', 'omit'] as const) {
        expect(() => filter[method](keys as never)).toThrow(
          new TypeError(`keys must be an array or iterable of keys, got ${got}`),
        );
      }
    }
  });

  it('picks and omits keys of any iterable', () => {
    const keys = Array.from({ length: 50 }, (_, i) => `key ${i}`);
    const present = keys.filter((key) => buckets.has(key));
    expect(buckets.pick(new Set(keys))).toEqual(present);
    expect([...present, ...buckets.omit(keys.values())].sort()).toEqual([...keys].sort());
    expect(buckets.hasMany([])).toEqual(new Uint8Array(0));
  });

  it('of bloomfilter takes a number for the string that it is printed as', () => {
    const keys = [0, -0, 1, -1.5, 1e21, 1e-7, Number.NaN, Infinity, 2 ** 53, 7n, -(2n ** 70n)];
    const half = fromBloomfilter([0x0f0f0f0f, 0x0f0f0f0f], 1);
    const answers = [...half.hasMany(keys.map(String))];
    expect(new Set(answers)).toEqual(new Set([0, 1]));
    expect([...half.hasMany(keys)]).toEqual(answers);
  });

  it('tells its size and how full it is', () => {
    expect([buckets.bits, buckets.hashes]).toEqual([128, 2]);
    expect(buckets.fillRatio()).toBe(8 / 128);
    expect(buckets.estimateErrorRate()).toBe((8 / 128) ** 2);
    const slices = fromBloomFilters({
      type: 'PartitionedBloomFilter',
      ...{ _nbHashes: 2, _m: 16, _seed: 1 },
      _filter: ['AQE=', 'DwA='].map((content) => ({ size: 16, content })),
    } as { type: string });
    expect([slices.bits, slices.hashes, slices.fillRatio()]).toEqual([32, 2, 6 / 32]);
    expect(slices.estimateErrorRate()).toBe((2 / 16) * (4 / 16));
  });

  it('has bits beyond 2^31', () => {
    const cells = new BitCells({ modulus: 2 ** 31 + 64, hashes: 2, isSliced: false });
    cells.words.fill(1, 2 ** 26);
    expect([cells.holds(2 ** 31, 32), cells.holds(2 ** 31, 31)]).toEqual([true, false]);
  });

  it('is a copy', () => {
    const words = new Int32Array(4).fill(-1);
    const full = fromBloomfilter(words, 3);
    words.fill(0);
    expect(full.has('a')).toBe(true);
  });
});

it('a filter is printed with its size and its error rate', () => {
  const shown = `bits: 32, hashes: 2, 'fillRatio()': 0.125, 'estimateErrorRate()': 0.0156`;
  const filter = fromBloomfilter([15], 2);
  expect(inspect(filter, { breakLength: Infinity })).toBe(`MigratedFilter { ${shown} }`);
  expect(inspect([[[filter]]], { depth: 2 })).toContain('[MigratedFilter]');
  expect(inspect([[filter]], { depth: 2 })).toContain('bits: 32');
});
