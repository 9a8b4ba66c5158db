import { describe, expect, it } from 'vitest';
import { SparkBloomFilter } from '../../src/entries/spark.ts';
import { KIND } from '../../src/filters/kind.ts';
import { optimalHashes } from '../../src/index.ts';
import { playVectors, readVectors, type Vector } from './vectors.ts';

type SparkVector = Vector & Readonly<{ version: 1 | 2; seed?: number; numBits?: number }>;
type Size = Record<'n' | 'p' | 'numBits' | 'k', number>;
type File = Readonly<{ sizing: readonly Size[]; vectors: readonly SparkVector[] }>;

const files = [
  { version: 1 as const, file: readVectors<File>('spark-v1') },
  { version: 2 as const, file: readVectors<File>('spark-v2') },
];

type Filter = SparkBloomFilter;
const OPTIONS = { capacity: 100, errorRate: 0.01 };

describe.each(files)('a filter of version $version, as Spark makes it', ({ version, file: { vectors, sizing } }) => {
  playVectors(vectors, {
    make: ({ m, k, seed }) => new SparkBloomFilter({ bits: m, hashes: k, version, seed }),
    load: (bytes) => SparkBloomFilter.fromBytes(bytes),
    save: (filter) => filter.toChunks(),
  });

  it('has the sizes that Spark chooses', () => {
    for (const { n, p, numBits, k } of sizing) {
      const size = (): unknown => SparkBloomFilter[KIND].sizeFor?.(n, p, { version });
      if (numBits === 0) expect(size, `${n} keys at ${p}`).toThrow(/needs 0 bits, of 1 … /);
      else expect(size(), `${n} keys at ${p}`).toMatchObject({ cellCount: 64 * Math.ceil(numBits / 64), hashes: k });
    }
  });

  it('has the size that the documentation names for `create(n, numBits)`', () => {
    for (const { n, m, k, numBits } of vectors) {
      if (n === undefined || numBits === undefined) continue;
      expect([64 * Math.ceil(numBits / 64), optimalHashes(n, numBits)]).toEqual([m, k]);
    }
  });
});

describe('a filter of Spark', () => {
  it('has the error rate and the version of Spark unless others are given', () => {
    const { errorRate, bits, hashes, version, seed } = new SparkBloomFilter({ capacity: 1000 });
    expect([errorRate, bits, hashes, version, seed]).toEqual([0.03, 7360, 5, 2, 0]);
    expect(SparkBloomFilter.from(['a', 'b'], { seed: 5 })).toMatchObject({ errorRate: 0.03, seed: 5 });
  });

  it('has a seed with a sign in version 2', () => {
    for (const seed of [-(2 ** 31), -7, 0, 2 ** 31 - 1]) {
      const filter = new SparkBloomFilter({ ...OPTIONS, seed }).addMany(['a']);
      expect(filter.seed).toBe(seed);
      const bytes = filter.toBytes();
      expect(new DataView(bytes.buffer).getInt32(8)).toBe(seed);
      expect(SparkBloomFilter.fromBytes(bytes)).toMatchObject({ seed, version: 2 });
      expect(filter.has('a')).toBe(true);
    }
    const [one, two] = [-1, 1].map((seed) => new SparkBloomFilter({ ...OPTIONS, seed })) as [Filter, Filter];
    expect(() => one.union(two)).toThrow(new RangeError('seed of other must be -1, got 1'));
    const [old, usual] = [new SparkBloomFilter({ ...OPTIONS, version: 1 }), new SparkBloomFilter(OPTIONS)];
    expect(() => old.union(usual)).toThrow('version of other must be 1, got 2');
  });

  it('widens integers of any type', () => {
    const make = () => new SparkBloomFilter(OPTIONS);
    const expected = make().addMany([1, -1n, 7]).toBytes();
    for (const keys of [Int32Array.of(1, -1, 7), BigInt64Array.of(1n, -1n, 7n)]) {
      expect(make().addMany(keys).toBytes()).toEqual(expected);
    }
    expect(() => make().addMany(Float64Array.of(1) as never)).toThrow('Spark has integers only');
    expect(() => make().add(0.5)).toThrow(RangeError);
  });

  it('takes many hashes, as Spark does for few keys in many bits', () => {
    const filter = new SparkBloomFilter({ bits: 64 * 1000, hashes: 3000 }).addMany(['a', 'b']);
    const singles = new SparkBloomFilter({ bits: 64 * 1000, hashes: 3000 });
    expect([singles.add('a'), singles.add('b'), singles.has('a'), singles.has('c')]).toEqual([true, true, true, false]);
    expect(singles.toBytes()).toEqual(filter.toBytes());
    expect(SparkBloomFilter.fromBytes(filter.toBytes()).hashes).toBe(3000);
    // Of a full filter, half of the bits are set.
    expect(Math.log2(new SparkBloomFilter({ bits: 64 * 1000, hashes: 301 }).errorRate) / -301).toBeCloseTo(1, 1);
    // As many as the hashes of the two keys give, computed slowly.
    expect(Math.round(filter.fillRatio() * 64_000)).toBe(5861);
  });
});

// test/foreign/guava.slow.test.ts has the estimates that follow from it.
it('a filter of Spark is made for the bits that its version reaches', () => {
  using filter = new SparkBloomFilter({ bits: 2 ** 32, hashes: 4, version: 1 });
  expect(filter.capacity).toBe(Math.floor((2 ** 31 * Math.LN2) / 4));
  expect(filter.errorRate).toBeCloseTo(2 ** -4, 3);
});
