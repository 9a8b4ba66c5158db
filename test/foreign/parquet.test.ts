import { describe, expect, it } from 'vitest';
import { ParquetBloomFilter } from '../../src/entries/parquet.ts';
import { ParquetBloomFilter as JsParquetBloomFilter } from '../../src/entries/parquet-js.ts';
import type { ParquetNumbers } from '../../src/foreign/parquet.ts';
import { optimalBlocks, SavedFilterError } from '../../src/index.ts';
import { type KeyGroup, playVectors, readVectors, type Vector } from './vectors.ts';

interface ParquetVector extends Vector {
  readonly numBytes: number;
  readonly thriftHeaderHex: string;
}

interface File {
  readonly sizingParquetJava: readonly {
    readonly n: number;
    readonly p: number;
    readonly bitsetBytes: number | 'skip';
  }[];
  readonly vectors: readonly ParquetVector[];
}

const { sizingParquetJava, vectors } = readVectors<File>('parquet-sbbf');

const NUMBERS: Partial<Record<KeyGroup['type'], ParquetNumbers>> = {
  int32: 'int32',
  int64: 'int64',
  float32bits: 'float',
  float64bits: 'double',
};

const optionsOf = ({ keys: [group] }: ParquetVector) => ({ numbers: group && NUMBERS[group.type] });

const engines = [
  { name: 'wasm', Filter: ParquetBloomFilter },
  { name: 'js', Filter: JsParquetBloomFilter },
];

describe.each(engines)('a filter of Parquet: $name', ({ name, Filter }) => {
  describe('as parquet-java makes it', () => {
    playVectors(vectors, name === 'wasm', {
      make: (vector) => new Filter({ bytes: vector.numBytes, ...optionsOf(vector) }),
      load: (bytes, vector) => Filter.fromBitset(bytes, optionsOf(vector)),
      save: (filter) => [filter.toBitset()],
    });
  });

  it.each(vectors.map(({ id, numBytes, thriftHeaderHex }) => ({ id, numBytes, thriftHeaderHex })))(
    'has the header of the library: $id',
    ({ numBytes, thriftHeaderHex }) => {
      if (numBytes > 2 ** 20) return;
      const bytes = new Filter({ bytes: numBytes }).toBytes();
      expect(Buffer.from(bytes.subarray(0, bytes.length - numBytes)).toString('hex')).toBe(thriftHeaderHex);
      expect(Filter.fromBytes(bytes).toBytes()).toEqual(bytes);
    },
  );

  it.each(vectors.map(({ id, numBytes, thriftHeaderHex }) => ({ id, numBytes, thriftHeaderHex })))(
    'tells its length from its header, for files that do not: $id',
    ({ numBytes, thriftHeaderHex }) => {
      const header = Buffer.from(thriftHeaderHex, 'hex');
      const start = Buffer.concat([header, new Uint8Array(32)]);
      expect(Filter.lengthIn(start.subarray(0, 32))).toBe(header.length + numBytes);
      expect(Filter.lengthIn(header)).toBe(header.length + numBytes);
      for (let length = 0; length < header.length; length++) {
        expect(() => Filter.lengthIn(header.subarray(0, length))).toThrow(SavedFilterError);
      }
      expect(() => Filter.lengthIn(start.subarray(1))).toThrow(SavedFilterError);
    },
  );

  it('refuses to tell a length of something other than bytes', () => {
    expect(() => Filter.lengthIn('a' as never)).toThrow('start must be a Uint8Array, got "a"');
  });

  it.each(sizingParquetJava)('has the size that parquet-java chooses for $n keys at $p', ({ n, p, bitsetBytes }) => {
    if (bitsetBytes === 'skip') return;
    expect(new Filter({ capacity: n, errorRate: p, sizing: 'parquet-java' }).bytes).toBe(bitsetBytes);
  });

  it.each([1, 3, 100, 12_345, 1_000_000])(
    'has a size that every reader takes, or the smallest: %i keys',
    (capacity) => {
      const bytes = new Filter({ capacity }).bytes;
      const least = new Filter({ capacity, sizing: 'exact' }).bytes;
      expect(Math.log2(bytes) % 1).toBe(0);
      expect(bytes).toBeGreaterThanOrEqual(least);
      expect(bytes / 2).toBeLessThan(Math.max(least, 17));
      expect(least).toBe(32 * optimalBlocks(capacity, 0.01));
    },
  );

  const typed = [
    { numbers: 'float', array: Float32Array.of(0, -0, 1.5, -3.25, Number.NaN, Number.POSITIVE_INFINITY) },
    { numbers: 'double', array: Float64Array.of(0, -0, 0.1, 1e300, Number.NaN, 5e-324) },
    { numbers: 'int32', array: Int32Array.of(0, -1, 2 ** 31 - 1, -(2 ** 31)) },
    { numbers: 'int32', array: Uint32Array.of(0, 7, 2 ** 32 - 1) },
    { numbers: 'int64', array: BigInt64Array.of(0n, -1n, 2n ** 63n - 1n) },
    { numbers: 'int64', array: Int32Array.of(0, -1, 7) },
  ] as const;

  it.each(typed.map((each) => ({ ...each, type: each.array.constructor.name })))(
    'takes a $type as numbers of the type $numbers, and gives one back',
    ({ numbers, array }) => {
      // Their common type would be no type of keys.
      const keys = array as Float64Array;
      const filter = Filter.from(keys, { numbers });
      expect(filter.capacity).toBe(array.length);
      const singles = new Filter({ capacity: array.length, numbers });
      for (const key of keys) singles.add(key);
      expect(filter.toBytes()).toEqual(singles.toBytes());
      expect(new Filter({ capacity: array.length, numbers }).addMany([...keys]).toBytes()).toEqual(filter.toBytes());
      expect(filter.pick(keys)).toEqual(array);
      expect(filter.omit(keys)).toEqual(array.slice(0, 0));
      expect(filter.hasMany(keys)).toEqual(new Uint8Array(array.length).fill(1));
    },
  );

  it('tells 0 from −0, and a float from a double', () => {
    const doubles = new Filter({ capacity: 100, errorRate: 1e-5, numbers: 'double' }).addMany([0, 0.5]);
    expect([0, -0, 0.5].map((key) => doubles.has(key))).toEqual([true, false, true]);
    const floats = new Filter({ capacity: 100, errorRate: 1e-5, numbers: 'float' }).addMany([0.5]);
    expect(floats.toBitset()).not.toEqual(doubles.toBitset());
  });

  it('refuses numbers that the type does not have', () => {
    const add = (numbers: ParquetNumbers, key: number | bigint) => () => new Filter({ capacity: 1, numbers }).add(key);
    expect(add('int32', 2 ** 32)).toThrow(
      new RangeError('key must be an integer from -2^31 to 2^32 - 1, got 4294967296'),
    );
    expect(add('int32', 0.5)).toThrow(RangeError);
    expect(add('float', 0.1)).toThrow(new RangeError('key must be a float, such as Math.fround gives, got 0.1'));
    expect(add('int64', 0.5)).toThrow(RangeError);
    const filter = new Filter({ capacity: 10, numbers: 'int32' });
    expect(() => filter.addMany([1, 2 ** 40, 2])).toThrow(/^keys\[1\] must be an integer from -2\^31/);
    expect([filter.has(1), filter.has(2)]).toEqual([true, false]);
    for (const array of [new Float64Array(1), new Float32Array(1), new BigInt64Array(1), new Uint16Array(1)]) {
      expect(() => filter.addMany(array as Float64Array)).toThrow(/^keys must be Int32Array, Uint32Array or an array/);
    }
  });

  it.each([
    [{ bytes: 33 }, RangeError, 'bytes must be a multiple of 32, got 33'],
    [{ bytes: 0 }, RangeError, 'bytes must be an integer from 32 to 2147483616, got 0'],
    [{ bytes: 64, sizing: 'exact' }, TypeError, 'options must give bytes or sizing, got both'],
    [{ bytes: 64, capacity: 1 }, TypeError, 'options must give a capacity or bytes, got both'],
    [
      { capacity: 10, sizing: 'java' },
      RangeError,
      'sizing must be "power-of-two", "exact" or "parquet-java", got "java"',
    ],
    [{ capacity: 10, seed: 1 }, TypeError, 'seed must be undefined, because the hash has none, got 1'],
    [
      { capacity: 10, numbers: 'long' },
      RangeError,
      'numbers must be one of "int32", "int64", "float", "double", got "long"',
    ],
    [{ capacity: 10, numbers: 64 }, TypeError, 'numbers must be a string, got 64'],
    [
      { capacity: 2 ** 31 },
      RangeError,
      /^capacity 2147483648 at errorRate 0.01 needs \d+ bytes, of at most 2147483616$/,
    ],
  ])('refuses %j', (options, type, message) => {
    const make = () => new Filter(options as never);
    expect(make).toThrow(type);
    expect(make).toThrow(message);
  });

  it('refuses other headers than that of the specification', () => {
    const bytes = new Filter({ bytes: 64 }).toBytes();
    const changed = (at: number, value: number): Uint8Array => {
      const copy = bytes.slice();
      copy[at] = value;
      return copy;
    };
    // A filter that is compressed, as some writers make them, has another union in its last field.
    expect(() => Filter.fromBytes(changed(12, 0x2c))).toThrow(expect.objectContaining({ code: 'VERSION' }));
    expect(() => Filter.fromBytes(changed(0, 0x18))).toThrow(expect.objectContaining({ code: 'FOREIGN' }));
    expect(() => Filter.fromBytes(changed(1, 0x82))).toThrow(/its size is 65 bytes/);
    expect(() => Filter.fromBitset(bytes.subarray(0, 33))).toThrow(/^bitset.length must be a multiple of 32, got 33/);
    expect(() => Filter.fromBitset('' as never)).toThrow(/^bitset must be a Uint8Array/);
  });
});
