import { describe, expect, it } from 'vitest';
import { ParquetBloomFilter } from '../../src/entries/parquet.ts';
import { ParquetBloomFilter as JsParquetBloomFilter } from '../../src/entries/parquet-js.ts';
import type { ParquetNumbers } from '../../src/foreign/parquet.ts';
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
      save: (filter) => filter.toBitset(),
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

  it.each(sizingParquetJava)('has the size that parquet-java chooses for $n keys at $p', ({ n, p, bitsetBytes }) => {
    if (bitsetBytes === 'skip') return;
    expect(new Filter({ capacity: n, errorRate: p, sizing: 'parquet-java' }).bytes).toBe(bitsetBytes);
  });
});
