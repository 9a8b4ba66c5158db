import { describe, expect, it } from 'vitest';
import { FEW } from '../../src/filters/batch.ts';
import { BloomFilter, column, type Key, KeyColumn, KeyLines, lines } from '../../src/index.ts';
import { range } from '../shared/integers.ts';
import { text } from '../shared/stream-tools.ts';

const integerTypes = [Uint32Array, Int32Array, BigUint64Array, BigInt64Array].map((Type) => ({
  Type: Type as object as typeof Uint32Array,
}));
const offsetTypes = integerTypes.filter(({ Type }) => Type.name !== 'BigUint64Array');

type ArrayType<A> = new (buffer: ArrayBuffer, byteOffset: number, length: number) => A;

function takeAway(array: ArrayBufferView): void {
  structuredClone(array.buffer, { transfer: [array.buffer as ArrayBuffer] });
}

/** An array whose memory was transferred away, as to a worker. */
function detached<A extends ArrayBufferView>(Type: ArrayType<A>): A {
  const array = new Type(new ArrayBuffer(32), 16, 2);
  takeAway(array);
  return array;
}

/** An array behind the end of its buffer, which was made smaller. */
function outOfBounds<A extends ArrayBufferView>(Type: ArrayType<A>): A {
  // TypeScript's library of this target does not know that buffers can be resized.
  const options: object = { maxByteLength: 32 };
  const buffer: ArrayBuffer & { resize?(length: number): void } = Reflect.construct(ArrayBuffer, [32, options]);
  const array = new Type(buffer, 16, 2);
  buffer.resize?.(16);
  expect(array.byteLength).toBe(0);
  return array;
}

const verbs = ['addMany', 'hasMany', 'pick', 'omit', 'dedupe'] as const;
/** The methods that take many keys, so that one can be chosen. */
type Verbs = Record<(typeof verbs)[number], (keys: Uint32Array) => unknown>;

describe('a key whose memory a later key takes away', () => {
  const COUNT = 3000;
  const bytesOf = (i: number): Uint8Array<ArrayBuffer> => text(`bytes ${i}`);
  /** Keys of which reading the one at `taker` takes away the memory of the one at `lost`. */
  function keysWith(lost: number, taker: number, keyAt: (i: number) => Key): Key[] {
    const keys = Array.from({ length: COUNT }, (_, i) => (i === lost ? bytesOf(i) : keyAt(i)));
    const taken = keys[lost] as Uint8Array<ArrayBuffer>;
    const value = keys[taker] as Key;
    return Object.defineProperty(keys, taker, {
      get() {
        if (taken.length > 0) takeAway(taken);
        return value;
      },
    });
  }

  it.each([
    ['the first, among bytes', 0, 1, bytesOf],
    ['among bytes', 500, 501, bytesOf],
    ['far behind, among bytes', 2000, 2200, bytesOf],
    ['among strings', 100, 700, (i: number) => `key ${i}`],
    ['among keys of all types', 1000, 1500, (i: number) => [`key ${i}`, i, BigInt(i), bytesOf(i)][i % 4] as Key],
  ])('is named, and the keys before it are processed: %s', (_, lost, taker, keyAt) => {
    const refuse = (call: () => unknown): void => {
      expect(call).toThrow(TypeError);
      expect(call).toThrow(new RegExp(`^keys\\[${lost}\\] must be a string, .* that is detached or out of bounds$`));
    };
    const make = (): BloomFilter => new BloomFilter({ capacity: 5000 });
    const wanted = make().addMany(Array.from({ length: lost }, (_, i) => keyAt(i)));
    for (const verb of ['addMany', 'dedupe'] as const) {
      const filter = make();
      refuse(() => filter[verb](keysWith(lost, taker, keyAt)));
      expect(filter.equals(wanted)).toBe(true);
    }
    const flags = new Uint8Array(COUNT).fill(7);
    refuse(() => wanted.hasMany(keysWith(lost, taker, keyAt), flags));
    expect(flags).toEqual(new Uint8Array(COUNT).fill(7).fill(1, 0, lost));
    for (const verb of ['pick', 'omit'] as const) refuse(() => wanted[verb](keysWith(lost, taker, keyAt)));
  });

  it('is named if it is long', () => {
    const long = new Uint8Array(200_000).fill(1);
    const get = () => (long.length > 0 ? takeAway(long) : 2);
    const keys = Object.defineProperty([0, long, ...range(2, FEW + 1)], 2, { get });
    const filter = new BloomFilter({ capacity: 10 });
    expect(() => filter.addMany(keys)).toThrow(/^keys\[1\] must be .* that is detached or out of bounds$/);
    expect(filter.equals(new BloomFilter({ capacity: 10 }).addMany([0]))).toBe(true);
  });
});

it.each([
  ['detached', detached],
  ['out of bounds after its buffer was resized', outOfBounds],
])('an array that is %s is refused', (_, lose) => {
  const filter = new BloomFilter({ capacity: 10 });
  const refuse = (call: () => unknown, wanted: string): void => {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(/ must be .+, got an object \(\w+Array\) that is detached or out of bounds$/);
    expect(call).toThrow(`${wanted}, got `);
  };
  const bytes = lose(Uint8Array);
  const key = 'must be a string, a Uint8Array, an integer or a bigint';
  refuse(() => filter.add(bytes), `key ${key}`);
  refuse(() => filter.has(bytes), `key ${key}`);
  refuse(() => filter.addMany(['a', bytes]), `keys[1] ${key}`);
  refuse(() => filter.addMany(new Set([bytes])), `keys[0] ${key}`);
  // When it is taken, and when it is read.
  refuse(() => lines(bytes), 'bytes must be a Uint8Array');
  refuse(() => filter.addMany(new KeyLines(bytes, true)), 'bytes must be a Uint8Array');
  refuse(() => filter.hasMany([], bytes), 'out must be a Uint8Array');
  for (const { Type } of offsetTypes) {
    const offsets = 'offsets must be an Int32Array, Uint32Array or BigInt64Array';
    refuse(() => column(text('abc'), lose(Type)), offsets);
    refuse(() => filter.addMany(new KeyColumn(text('abc'), lose(Type))), offsets);
    refuse(() => column(bytes, new Type(1)), 'data must be a Uint8Array');
    refuse(() => filter.addMany(new KeyColumn(bytes, new Type(1))), 'data must be a Uint8Array');
  }
  const keys = 'keys must be an array or iterable of keys, an integer array, lines(bytes) or column(data, offsets)';
  for (const { Type } of integerTypes) {
    for (const verb of verbs) refuse(() => (filter as Verbs)[verb](lose(Type)), keys);
    refuse(() => BloomFilter.from(lose(Type)), keys);
  }
});

it('an empty array is not taken for one without memory', () => {
  const filter = new BloomFilter({ capacity: 10 });
  expect(filter.hasMany(['', new Uint8Array()], new Uint8Array(2)).length).toBe(2);
  expect(filter.hasMany([], new Uint8Array()).length).toBe(0);
  for (const { Type } of integerTypes) expect(filter.hasMany(new Type()).length).toBe(0);
  for (const { Type } of offsetTypes) expect(filter.hasMany(column(text('abc'), new Type())).length).toBe(0);
});
