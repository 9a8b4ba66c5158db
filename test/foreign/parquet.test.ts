import { describe, expect, it } from 'vitest';
import { ParquetBloomFilter } from '../../src/entries/parquet.ts';
import type { ParquetNumbers } from '../../src/foreign/parquet/filter.ts';
import { BlockedBloomFilter, optimalBlocks } from '../../src/index.ts';
import { codeOf } from './formats.ts';
import { type KeyGroup, playVectors, readVectors, type Vector } from './vectors.ts';

type ParquetVector = Vector & Readonly<{ numBytes: number; thriftHeaderHex: string }>;

type Size = Readonly<Record<'n' | 'p', number>>;

interface File {
  readonly sizingParquetJava: readonly (Size & { readonly bitsetBytes: number | 'skip' })[];
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

playVectors(vectors, {
  make: (vector) => new ParquetBloomFilter({ bytes: vector.numBytes, ...optionsOf(vector) }),
  load: (bytes, vector) => ParquetBloomFilter.fromBitset(bytes, optionsOf(vector)),
  save: (filter) => [filter.toBitset()],
});

describe('a filter of Parquet', () => {
  it('has the header of the library, which tells its length', () => {
    const headers = new Map(vectors.map(({ numBytes, thriftHeaderHex }) => [numBytes, thriftHeaderHex]));
    for (const [numBytes, thriftHeaderHex] of headers) {
      const header = Buffer.from(thriftHeaderHex, 'hex');
      const start = Buffer.concat([header, new Uint8Array(32)]);
      expect(ParquetBloomFilter.lengthIn(start.subarray(0, 32))).toBe(header.length + numBytes);
      expect(ParquetBloomFilter.lengthIn(header)).toBe(header.length + numBytes);
      // Cut anywhere, also within the number.
      for (let length = 1; length < header.length; length++) {
        const code = codeOf(() => ParquetBloomFilter.lengthIn(header.subarray(0, length)));
        expect([numBytes, length, code]).toEqual([numBytes, length, 'TRUNCATED']);
      }
      expect(codeOf(() => ParquetBloomFilter.lengthIn(start.subarray(1)))).toBe('FOREIGN');
      if (numBytes > 2 ** 20) continue;
      const bytes = new ParquetBloomFilter({ bytes: numBytes }).toBytes();
      expect(Buffer.from(bytes.subarray(0, bytes.length - numBytes))).toEqual(header);
      expect(ParquetBloomFilter.fromBytes(bytes).toBytes()).toEqual(bytes);
    }
    expect(() => ParquetBloomFilter.lengthIn('a' as never)).toThrow('start must be a Uint8Array, got "a"');
    expect(codeOf(() => ParquetBloomFilter.lengthIn(new Uint8Array(0)))).toBe('FOREIGN');
  });

  it('has the size that parquet-java chooses', () => {
    for (const { n: capacity, p: errorRate, bitsetBytes } of sizingParquetJava) {
      if (bitsetBytes === 'skip') continue;
      const { bytes } = new ParquetBloomFilter({ capacity, errorRate, sizing: 'parquet-java' });
      expect([capacity, errorRate, bytes]).toEqual([capacity, errorRate, bitsetBytes]);
    }
    expect(new ParquetBloomFilter({ capacity: 2 ** 40, sizing: 'parquet-java' }).bytes).toBe(2 ** 27);
  });

  const counts = [1, 3, 100, 12_345, 1_000_000];
  it.each(counts)('has a size that every reader takes, or the smallest: %i keys', (capacity) => {
    const bytes = new ParquetBloomFilter({ capacity }).bytes;
    const least = new ParquetBloomFilter({ capacity, sizing: 'exact' }).bytes;
    expect(Math.log2(bytes) % 1).toBe(0);
    expect(bytes).toBeGreaterThanOrEqual(least);
    expect(bytes / 2).toBeLessThan(Math.max(least, 17));
    expect(least).toBe(32 * optimalBlocks(capacity, 0.01));
  });

  const typed = [
    { numbers: 'float', array: Float32Array.of(0, -0, 1.5, -3.25, Number.NaN, Number.POSITIVE_INFINITY) },
    { numbers: 'double', array: Float64Array.of(9, 0, -0, 0.1, 1e300, Number.NaN, 5e-324).subarray(1) },
    { numbers: 'int32', array: Int32Array.of(0, -1, 2 ** 31 - 1, -(2 ** 31)) },
    { numbers: 'int32', array: Uint32Array.of(0, 7, 2 ** 32 - 1) },
    { numbers: 'int64', array: BigInt64Array.of(0n, -1n, 2n ** 63n - 1n) },
    { numbers: 'int64', array: Int32Array.of(0, -1, 7) },
  ] as const;

  it.each(typed)('takes an array as numbers of the type $numbers, and gives one back: %#', ({ numbers, array }) => {
    // Their common type would be no type of keys.
    const keys = array as Float64Array;
    const filter = ParquetBloomFilter.from(keys, { numbers });
    expect(filter.capacity).toBe(array.length);
    const singles = new ParquetBloomFilter({ capacity: array.length, numbers });
    for (const key of keys) singles.add(key);
    expect(filter.toBytes()).toEqual(singles.toBytes());
    const list = new ParquetBloomFilter({ capacity: array.length, numbers }).addMany([...keys]);
    expect(list.toBytes()).toEqual(filter.toBytes());
    expect(filter.pick(keys)).toEqual(array);
    expect(filter.omit(keys)).toEqual(array.slice(0, 0));
    expect(filter.hasMany(keys)).toEqual(new Uint8Array(array.length).fill(1));
  });

  it('tells 0 from −0, and a float from a double', () => {
    const doubles = new ParquetBloomFilter({ capacity: 100, errorRate: 1e-5, numbers: 'double' }).addMany([0, 0.5]);
    expect([0, -0, 0.5].map((key) => doubles.has(key))).toEqual([true, false, true]);
    const floats = new ParquetBloomFilter({ capacity: 100, errorRate: 1e-5, numbers: 'float' }).addMany([0.5]);
    expect(floats.toBitset()).not.toEqual(doubles.toBitset());
  });

  it('refuses numbers that the type does not have', () => {
    const add = (numbers: ParquetNumbers, key: number | bigint) => () =>
      new ParquetBloomFilter({ capacity: 1, numbers }).add(key);
    const tooLarge = new RangeError('key must be an integer from -2^31 to 2^32 - 1, got 4294967296');
    expect(add('int32', 2 ** 32)).toThrow(tooLarge);
    for (const key of [-(2 ** 31) - 1, 0.5, 2n ** 32n]) expect(add('int32', key)).toThrow(RangeError);
    expect(add('float', 0.1)).toThrow(new RangeError('key must be a float, such as Math.fround gives, got 0.1'));
    expect(add('int64', 0.5)).toThrow(RangeError);
    // Not rounded.
    const tooLong = 'must be a double, such as Number gives, got 9007199254740993n';
    expect(add('double', 2n ** 53n + 1n)).toThrow(new RangeError(`key ${tooLong}`));
    const doubles = new ParquetBloomFilter({ capacity: 9, numbers: 'double' });
    expect(() => doubles.addMany([2n ** 60n, 2n ** 53n + 1n])).toThrow(new RangeError(`keys[1] ${tooLong}`));
    for (const numbers of ['float', 'double'] as const)
      for (const key of [2n ** 60n + 1n, -(2n ** 1024n)]) expect(add(numbers, key)).toThrow(RangeError);
    const filter = new ParquetBloomFilter({ capacity: 10, numbers: 'int32' });
    expect(() => filter.addMany([1, 2 ** 40, 2])).toThrow(/^keys\[1\] must be an integer from -2\^31/);
    expect([filter.has(1), filter.has(2)]).toEqual([true, false]);
    const lost = new Int32Array(1);
    structuredClone(lost, { transfer: [lost.buffer] });
    for (const array of [new Float64Array(1), new Float32Array(1), new BigInt64Array(1), new Uint16Array(1), lost]) {
      expect(() => filter.addMany(array as Float64Array)).toThrow(
        /^keys must be Int32Array, Uint32Array or an array of .*: the option numbers is 'int32', 'int64', 'float' or/,
      );
    }
  });

  it('is combined with errors like those of a BlockedBloomFilter, which sets as many bits of the same words', () => {
    const keys = Array.from({ length: 20_000 }, (_, i) => `${i}`);
    const [parquet, blocked] = [new ParquetBloomFilter({ bytes: 2 ** 16 }), new BlockedBloomFilter({ bits: 2 ** 19 })];
    const errors = [parquet, blocked].map(
      (filter) => filter.addMany(keys).estimateUnion(filter as never).standardError,
    );
    expect((errors[0] as number) / (errors[1] as number)).toBeCloseTo(1, 1.6);
  });

  it('is made of its bits alone, as whole blocks, and gives a copy of them', () => {
    const load = (bitset: unknown, options?: object) => () => ParquetBloomFilter.fromBitset(bitset as never, options);
    expect(load(new Uint8Array(33))).toThrow(/^bitset.length must be a multiple of 32, got 33/);
    expect(load('')).toThrow(/^bitset must be a Uint8Array/);
    expect(load(new Uint8Array(32), { nmbers: 1 })).toThrow(/^unknown option nmbers/);
    const filter = ParquetBloomFilter.fromBitset(new Uint8Array(32));
    filter.toBitset().fill(255);
    expect(filter.fillRatio()).toBe(0);
  });
});
