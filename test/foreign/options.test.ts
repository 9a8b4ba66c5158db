// The options and numbers that filters of other systems refuse, each with its message.

import { describe, expect, it } from 'vitest';
import { GoBloomFilter } from '../../src/entries/go.ts';
import { GuavaBloomFilter } from '../../src/entries/guava.ts';
import { ParquetBloomFilter } from '../../src/entries/parquet.ts';
import { RedisBloomDump } from '../../src/entries/redisbloom.ts';
import { SparkBloomFilter } from '../../src/entries/spark.ts';
import { expectedBlockedErrorRate, type Key, type Keys } from '../../src/index.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';
import type { ForeignClass } from './formats.ts';

type Refusal = readonly [options: unknown, error: typeof TypeError | typeof RangeError, message: string | RegExp];

const NO_SEED = 'seed must be undefined, because the hash has none, got 1';
const OPTIONS = { capacity: 100, errorRate: 0.01 };
const BOTH = 'options must give a capacity or';

const go: readonly Refusal[] = [
  [{ capacity: 10, seed: 1 }, TypeError, NO_SEED],
  [{ bits: 64, hashes: 2, seed: 1 }, TypeError, NO_SEED],
  [{ bits: 64 }, TypeError, 'hashes must be an integer from 1 to 65535, got undefined'],
  [{ hashes: 2 }, TypeError, 'bits must be an integer from 1 to 9007199254740991, got undefined'],
  [{ bits: 64, hashes: 2, capacity: 3 }, TypeError, BOTH],
  [{ bits: 0, hashes: 1 }, RangeError, 'bits must be an integer from 1 to'],
  [{ bits: 2 ** 53, hashes: 1 }, RangeError, 'bits must be an integer from 1 to'],
  [{ bits: 64, hashes: 0 }, RangeError, 'hashes must be an integer from 1 to 65535, got 0'],
  [{ bits: 64, hashes: 65_536 }, RangeError, 'hashes must be an integer from 1 to 65535, got 65536'],
  [{ capacity: 0 }, RangeError, 'capacity must be an integer from 1 to'],
  [{ capacity: 2 ** 53 - 1, errorRate: 0.001 }, RangeError, 'at errorRate 0.001 needs more than 2^53 - 1 bits'],
];

const guava: readonly Refusal[] = [
  [{ bits: 100, hashes: 3 }, RangeError, 'bits must be a multiple of 64, got 100'],
  [{ bits: 0, hashes: 3 }, RangeError, 'bits must be an integer from 64 to 137438953408, got 0'],
  [{ bits: 2 ** 37, hashes: 3 }, RangeError, 'bits must be an integer from 64 to 137438953408, got 137438953472'],
  [{ bits: 64, hashes: 256 }, RangeError, 'hashes must be an integer from 1 to 255, got 256'],
  [{ bits: 64 }, TypeError, 'hashes must be an integer from 1 to 255, got undefined'],
  [{ ...OPTIONS, seed: 1 }, TypeError, NO_SEED],
  [{ bits: 64, hashes: 1, seed: 1 }, TypeError, NO_SEED],
  [{ bits: 64, hashes: 1, sizing: 'guava-33.3' }, TypeError, 'options must give bits and hashes or sizing, got both'],
  [{ ...OPTIONS, sizing: 1 }, TypeError, 'sizing must be a string, got 1'],
  [{ ...OPTIONS, sizing: '33' }, RangeError, 'sizing must be one of "guava-33.4", "guava-33.3", got "33"'],
  [{ ...OPTIONS, strategy: 'MITZ_64' }, RangeError, /^strategy must be one of "MURMUR128_MITZ_32", .*, got "MITZ_64"$/],
  [{ ...OPTIONS, numbers: 'int64' }, RangeError, 'numbers must be one of "int", "long", got "int64"'],
  [{ ...OPTIONS, strings: true }, TypeError, 'strings must be a string, got true'],
  [{ ...OPTIONS, strings: 'utf16' }, RangeError, 'strings must be one of "utf8", "chars", got "utf16"'],
  [{ capacity: 10, errorRate: 1e-80 }, RangeError, 'errorRate 1e-80 needs 266 hashes, of 1 … 255'],
  [{ capacity: -1 }, RangeError, 'capacity must be an integer from 1'],
  [{ capacity: 2 ** 53 - 1 }, RangeError, / at errorRate 0.03 needs \d+ bits, of 1 … 137438953408$/],
  [{ capacity: 10, wrong: 1 }, TypeError, /^unknown option wrong; the options are /],
  [7, TypeError, 'options must be an object such as { capacity: 1000, errorRate: 0.01 }, got 7'],
];

const parquet: readonly Refusal[] = [
  [{ bytes: 33 }, RangeError, 'bytes must be a multiple of 32, got 33'],
  [{ bytes: 0 }, RangeError, 'bytes must be an integer from 32 to 2147483616, got 0'],
  [{ bytes: 2 ** 31 }, RangeError, 'bytes must be an integer from 32 to 2147483616, got 2147483648'],
  [{ bytes: 64, sizing: 'exact' }, TypeError, 'options must give bytes or sizing, got both'],
  [{ bytes: 64, capacity: 1 }, TypeError, 'options must give a capacity or bytes, got both'],
  [{ bytes: 64, seed: 1 }, TypeError, NO_SEED],
  [{ capacity: 10, seed: 1 }, TypeError, NO_SEED],
  [{ capacity: 10, sizing: 'java' }, RangeError, /^sizing must be "power-of-two", .* "parquet-java", got "java"$/],
  [{ capacity: 0, sizing: 'parquet-java' }, RangeError, 'capacity must be an integer from 1'],
  [{ capacity: 1, errorRate: 1, sizing: 'parquet-java' }, RangeError, 'errorRate must be'],
  [{ capacity: 10, numbers: 'long' }, RangeError, /^numbers must be one of "int32", .*, got "long"$/],
  [{ capacity: 10, numbers: 64 }, TypeError, 'numbers must be a string, got 64'],
  [{ capacity: 2 ** 31 }, RangeError, /^capacity 2147483648 at .* needs \d+ bytes, of at most 2147483616$/],
];

const redisBloom: readonly Refusal[] = [
  [{}, TypeError, 'capacity must be'],
  [{ capacity: 10, seed: 1 }, TypeError, NO_SEED],
  [{ capacity: 10, growth: 2 }, TypeError, /^unknown option growth/],
  [{ capacity: 10, nonScaling: 1 }, TypeError, 'nonScaling must be a boolean, got 1'],
  [{ capacity: 0 }, RangeError, 'capacity must be an integer from 1'],
  [{ capacity: 10, errorRate: 0.3 }, RangeError, 'errorRate must be at most 0.25, got 0.3'],
  [{ capacity: 10, errorRate: 0 }, RangeError, 'errorRate must be'],
  [{ capacity: 10, expansion: -1 }, RangeError, 'expansion must be an integer from 0 to 4294967295, got -1'],
  [{ capacity: 10, expansion: 2 ** 32 }, RangeError, 'expansion must be an integer from 0 to 4294967295'],
  [{ capacity: 2 ** 53 - 1 }, RangeError, 'a link for 9007199254740991 keys at the error rate 0.005 is too large'],
];

const spark: readonly Refusal[] = [
  [{ bits: 100, hashes: 3 }, RangeError, 'bits must be a multiple of 64, got 100'],
  [{ bits: 64, hashes: 65 }, RangeError, 'hashes must be an integer from 1 to 64, got 65'],
  [{ bits: 2 ** 21, hashes: 2 ** 20 + 1 }, RangeError, 'hashes must be an integer from 1 to 1048576, got 1048577'],
  [{ hashes: 3 }, TypeError, 'bits must be an integer from 64 to 137438953408, got undefined'],
  [{ ...OPTIONS, version: 3 }, RangeError, 'version must be an integer from 1 to 2, got 3'],
  [{ ...OPTIONS, version: '2' }, TypeError, 'version must be an integer from 1 to 2, got "2"'],
  [{ ...OPTIONS, version: 1, seed: 0 }, TypeError, 'seed must be undefined, because version 1 has none, got 0'],
  [{ ...OPTIONS, seed: 2 ** 31 }, RangeError, 'seed must be an integer from -2147483648 to 2147483647, got 2147483648'],
  [{ ...OPTIONS, seed: -(2 ** 31) - 1 }, RangeError, 'seed must be an integer from -2147483648 to 2147483647'],
  [{ ...OPTIONS, numbers: 'int' }, TypeError, /^unknown option numbers; the options are /],
  [{ capacity: 3, errorRate: 0.9 }, RangeError, 'capacity 3 at errorRate 0.9 needs 0 bits, of 1 … 137438953408'],
];

describe.each([
  ['go', GoBloomFilter, go],
  ['guava', GuavaBloomFilter, guava],
  ['parquet', ParquetBloomFilter, parquet],
  ['redisbloom', RedisBloomDump, redisBloom],
  ['spark', SparkBloomFilter, spark],
] as const)('a filter of %s', (_, Filter, refused) => {
  it.each(refused)('is refused with the options %j', (options, error, message) => {
    const make = (): unknown => new (Filter as object as ForeignClass)(options as object);
    expect(make).toThrow(error);
    expect(make).toThrow(message);
  });
});

it.each([
  [GoBloomFilter, { bits: 1, hashes: 1 }],
  [GoBloomFilter, { bits: 64, hashes: 65_535 }],
  [GoBloomFilter, { capacity: 1, errorRate: 5e-324 }],
  [GuavaBloomFilter, { bits: 64, hashes: 255 }],
  [ParquetBloomFilter, { bytes: 32, numbers: 'int32' }],
  [RedisBloomDump, { capacity: 1, errorRate: 0.25, expansion: 2 ** 32 - 1 }],
  [SparkBloomFilter, { bits: 64, hashes: 64, seed: -(2 ** 31) }],
  [SparkBloomFilter, { bits: 2 ** 21, hashes: 2 ** 20, seed: 2 ** 31 - 1 }],
] as const)('limits belong to what is taken: %o, %o', (Class, options) => {
  const Filter = Class as object as ForeignClass;
  const filter = new Filter(options);
  expect(filter.add('a') && filter.has('a')).toBe(true);
  expect(Filter.fromBytes(filter.toBytes()).hashes).toBe(filter.hashes);
  for (const [name, value] of Object.entries(options)) expect(filter).toHaveProperty(name, value);
});

it('the error rate of a filter whose size was given is that of its capacity', () => {
  const { capacity, errorRate } = new GoBloomFilter({ bits: 1000, hashes: 5 });
  expect(errorRate).toBeCloseTo((1 - Math.exp((-5 * capacity) / 1000)) ** 5, 12);
  const parquet = new ParquetBloomFilter({ bytes: 1024 });
  expect(parquet.errorRate).toBe(expectedBlockedErrorRate(parquet.capacity, 8 * 1024));
});

describe.each([
  ['go', GoBloomFilter, 'Go has no integer keys, so pass the bytes'],
  ['redisbloom', RedisBloomDump, 'in Redis every key is a string, so pass String(key)'],
] as const)('numbers in a filter of %s, which has none', (_, Class, advice) => {
  const Filter = Class as object as ForeignClass;

  it('are refused, and the error says what to pass', () => {
    const filter = new Filter({ capacity: 10 });
    const refused = /^keys(\[0\] must be a string or a Uint8Array| must be strings or Uint8Arrays), got /;
    for (const keys of [[1], [2n], new Uint32Array(2), new BigInt64Array(1), new Float64Array(1)]) {
      expect(() => filter.addMany(keys as Keys)).toThrow(advice);
      expect(() => filter.addMany(keys as Keys)).toThrow(refused);
      expect(() => Filter.from(keys as Keys, { capacity: 10 })).toThrow(advice);
    }
    expect(() => filter.add(1)).toThrow(TypeError);
    expect(() => filter.has(1n)).toThrow(advice);
    expect(filter.fillRatio()).toBe(0);
  });

  // Of an iterable, 768 keys are read ahead.
  it.each([0, 1, 767, 768, 1 + CHUNK_KEYS])('do not keep the %i keys before them from being added', (count) => {
    const keys: Key[] = Array.from({ length: count }, (_, i) => (i % 3 ? `k${i}` : Uint8Array.of(i, i >> 8)));
    const expected = new Filter({ capacity: 5000 }).addMany(keys).toBytes();
    const withNumber = [...keys, 7, 'after'];
    for (const collection of [withNumber, new Set(withNumber), withNumber.values()]) {
      const filter = new Filter({ capacity: 5000 });
      const message = `keys[${count}] must be a string or a Uint8Array, got 7: ${advice}`;
      expect(() => filter.addMany(collection)).toThrow(message);
      expect(filter.toBytes()).toEqual(expected);
    }
  });
});
