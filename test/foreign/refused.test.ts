// What filters of other systems refuse: bytes that are not a whole filter of the system, with a code and a reason, and
// options and numbers, each with its message.

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { GoBloomFilter } from '../../src/entries/go.ts';
import { GuavaBloomFilter } from '../../src/entries/guava.ts';
import { ParquetBloomFilter } from '../../src/entries/parquet.ts';
import { RedisBloomDump } from '../../src/entries/redisbloom.ts';
import { SparkBloomFilter } from '../../src/entries/spark.ts';
import { BloomFilter, expectedBlockedErrorRate, type Key, type Keys } from '../../src/index.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';
import { all, type Change, f64, u8, u32, u64 } from '../format/refusal.ts';
import { viewOf } from '../format/saved.ts';
import { codeOf, type ForeignClass, formats } from './formats.ts';

type Damage = readonly [what: string, bytes: ArrayLike<number>, code: string, reason: string];
type Changed = readonly [what: string, code: string, reason: string, ...changes: readonly Change[]];

/** An integer, highest byte first. */
const u64be =
  (at: number, value: bigint): Change =>
  (view) =>
    view.setBigUint64(at, value);

function damagesOf(whole: Uint8Array, changes: readonly Changed[]): Damage[] {
  return changes.map(([what, code, reason, ...each]) => {
    const bytes = whole.slice();
    all(...each)(viewOf(bytes));
    return [what, bytes, code, reason];
  });
}

const FAR = 2n ** 50n;
const ofGo = new GoBloomFilter({ bits: 100, hashes: 3 }).addMany(['a', 'b']).toBytes();
const unset = Buffer.from('000000000000000100000000000000010000000000000000', 'hex');
const goDamages: readonly Damage[] = [
  ...damagesOf(ofGo, [
    ['of no bits', 'FOREIGN', 'its number of bits is 0', u64be(0, 0n)],
    ['of 2^53 bits', 'FOREIGN', 'its number of bits is 9007199254740992', u64be(0, 2n ** 53n)],
    ['of another number of bits', 'DAMAGED', 'its bit set has 100 bits, of 101', u64be(0, 101n)],
    ['of another length', 'DAMAGED', 'its bit set has 99 bits, of 100', u64be(16, 99n)],
    ['of an empty bit set', 'DAMAGED', 'its bit set has 0 bits, of 100', u64be(16, 0n)],
    ['of no hashes', 'DAMAGED', 'its number of hashes is 0', u64be(8, 0n)],
    ['of too many hashes', 'DAMAGED', 'its number of hashes is 65536', u64be(8, 65_536n)],
    ['with a bit behind the last one', 'DAMAGED', 'its padding bits are not zero', u8(32, 0x10)],
    ['with such a bit, little-endian', 'DAMAGED', 'its padding bits are not zero', u64(16, 100n), u64(32, 1n << 36n)],
    ['of far more bits than bytes', 'TRUNCATED', 'it has 16 of 140737488355328 bytes', u64be(0, FAR), u64be(16, FAR)],
  ]),
  ['of New(0, 0), and more', Buffer.concat([unset, new Uint8Array(8)]), 'DAMAGED', 'its bit set is empty, and bytes'],
];

const guavaDamages: readonly Damage[] = [
  ['of nothing', [], 'TRUNCATED', 'there are none'],
  ['of an unknown strategy', [2, 1, 0, 0, 0, 1], 'VERSION', 'its strategy is 2'],
  ['of a negative strategy', [255, 1, 0, 0, 0, 1], 'VERSION', 'its strategy is -1'],
  ['of half a header', [1, 1, 0, 0, 0], 'TRUNCATED', 'they end in the header'],
  ['of no hashes', [1, 0, 0, 0, 0, 1], 'DAMAGED', 'its number of hashes is 0'],
  ['of no words', [1, 1, 0, 0, 0, 0], 'DAMAGED', 'its number of words is 0'],
  ['of a negative number of words', [1, 1, 255, 255, 255, 255], 'DAMAGED', 'its number of words is -1'],
  ['of missing words', [1, 1, 127, 255, 255, 255], 'TRUNCATED', 'it has 0 of 17179869176 bytes of cells'],
  ['of too many words', [1, 1, 0, 0, 0, 1, ...new Uint8Array(9)], 'DAMAGED', 'it has 9 of 8 bytes of cells'],
];

/** Integers of 32 bits, highest byte first. */
const ints = (...values: number[]): number[] =>
  values.flatMap((each) => [24, 16, 8, 0].map((by) => (each >> by) & 255));

const sparkDamages: readonly Damage[] = [
  ['of nothing', [], 'TRUNCATED', 'they end in the header'],
  ['of half a version', [0, 0, 0], 'TRUNCATED', 'they end in the header'],
  ['of an unknown version', ints(3, 1, 1), 'VERSION', 'its version is 3'],
  ['of a negative version', ints(-1, 1, 1), 'VERSION', 'its version is -1'],
  ['of half a header', ints(2, 1, 0), 'TRUNCATED', 'they end in the header'],
  ['of no hashes', ints(1, 0, 1), 'DAMAGED', 'its number of hashes is 0, for 64 bits'],
  ['of too many hashes', ints(1, 2 ** 20 + 1, 2 ** 15), 'DAMAGED', 'hashes is 1048577, for 2097152 bits'],
  ['of more hashes than bits', ints(1, 65, 1), 'DAMAGED', 'its number of hashes is 65, for 64 bits'],
  ['of no words', ints(1, 1, 0), 'DAMAGED', 'its number of words is 0'],
  ['of a negative number of words', ints(2, 1, 0, -5), 'DAMAGED', 'its number of words is -5'],
  ['of missing words', ints(2, 1, 0, 2 ** 31 - 1), 'TRUNCATED', 'it has 0 of 17179869176 bytes of cells'],
  ['of too many words', [...ints(1, 1, 1), ...new Uint8Array(9)], 'DAMAGED', 'it has 9 of 8 bytes of cells'],
];

const ofParquet = new ParquetBloomFilter({ bytes: 64 }).toBytes();
const FORM = 'its algorithm, hash or compression is not that of the specification';
const parquetDamages: readonly Damage[] = [
  ...damagesOf(ofParquet, [
    // Some writers compress the filter: then the last field has another union.
    ['that are compressed', 'VERSION', FORM, u8(12, 0x2c)],
    ['of another header', 'FOREIGN', 'they do not begin with the field numBytes', u8(0, 0x18)],
    ['of half a block', 'DAMAGED', 'its size is 65 bytes', u8(1, 0x82)],
    ['of a size that does not end', 'DAMAGED', 'its size is NaN bytes', u64be(1, 2n ** 64n - 1n)],
  ]),
  ['of no blocks', Uint8Array.of(0x15, 0, ...ofParquet.subarray(3)), 'DAMAGED', 'its size is 0 bytes'],
  // The varint of 128 in six bytes.
  ['of a size that is too long', Uint8Array.of(0x15, 128, 129, 128, 128, 128, 0), 'DAMAGED', 'its size is NaN bytes'],
  // The varint of 2^32.
  ['of 2^31 bytes', Uint8Array.of(0x15, 0x80, 0x80, 0x80, 0x80, 0x10, 0), 'DAMAGED', 'its size is 2147483648 bytes'],
];

// Of three links.
const dump = new RedisBloomDump({ capacity: 10 }).addMany(Array.from({ length: 50 }, (_, i) => `key ${i}`)).toBytes();
const redisBloomDamages: readonly Damage[] = damagesOf(dump, [
  ['of power-of-two sizes', 'VERSION', 'its options are 4', u32(12, 4)],
  ['of hashes of 32 bits', 'VERSION', 'its options are 1', u32(12, 1)],
  ['of unknown options', 'VERSION', 'its options are 21', u32(12, 21)],
  ['of no links', 'DAMAGED', 'it has no links', u32(8, 0)],
  ['of far too many links', 'TRUNCATED', 'header of 4294967295 links', u32(8, 2 ** 32 - 1)],
  ['of fewer links', 'DAMAGED', 'its links have', u32(8, 2)],
  ['that cannot expand', 'DAMAGED', 'its expansion is 0', u32(16, 0)],
  ['of another number of keys', 'DAMAGED', 'keys, of 1000', u32(0, 1000)],
  ['of another number of bytes', 'DAMAGED', 'bits in 8 bytes', u32(20, 8)],
  ['of other bits', 'DAMAGED', 'link 0 has 64 bits in', u32(28, 64)],
  ['of a link of no bytes', 'DAMAGED', 'link 0 has 0 bits in 0 bytes', u64(20, 0n), u64(28, 0n)],
  ['of a link of 2^60 bytes', 'DAMAGED', 'link 0 has', u64(20, 2n ** 60n), u64(28, 2n ** 63n)],
  ['of a link of 2^45 bytes', 'TRUNCATED', 'its links have', u64(20, 2n ** 45n), u64(28, 2n ** 48n)],
  ['of an error rate of 1', 'DAMAGED', 'link 0 has an error rate of 1', f64(44, 1)],
  ['of an error rate of 0', 'DAMAGED', 'link 0 has an error rate of 0', f64(44, 0)],
  ['of no error rate', 'DAMAGED', 'link 0 has an error rate of NaN', f64(44, NaN)],
  ['of no bits for a key', 'DAMAGED', 'hashes', f64(52, NaN)],
  ['of too many hashes', 'DAMAGED', 'link 0 has 1076 hashes', f64(52, 1551.7), u32(60, 1076)],
  ['of no hashes', 'DAMAGED', 'link 0 has 0 hashes', f64(52, 0), u32(60, 0)],
  ['of another number of hashes', 'DAMAGED', 'link 0 has 9 hashes', u32(60, 9)],
  ['of no capacity', 'DAMAGED', 'link 0 has a capacity of 0', u64(64, 0n)],
  ['of a capacity of 2^64 - 1', 'DAMAGED', 'has a capacity of', u64(64, 2n ** 64n - 1n)],
  ['of a link of 2^60 keys', 'DAMAGED', `link 0 has ${2 ** 60} keys`, u64(36, 2n ** 60n)],
  ['of a power of two', 'DAMAGED', 'a number of bits that is a power of two', u8(72, 10)],
]);

type Refusal = readonly [options: unknown, error: typeof TypeError | typeof RangeError, message: string | RegExp];

const NO_SEED = 'seed must be undefined, because the hash has none, got 1';
const OPTIONS = { capacity: 100, errorRate: 0.01 };
const BOTH = 'options must give a capacity or';

const goOptions: readonly Refusal[] = [
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

const guavaOptions: readonly Refusal[] = [
  [{ bits: 100, hashes: 3 }, RangeError, 'bits must be a multiple of 64, got 100'],
  [{ bits: 0, hashes: 3 }, RangeError, 'bits must be an integer from 64 to 137438953408, got 0'],
  [{ bits: 2 ** 37, hashes: 3 }, RangeError, 'bits must be an integer from 64 to 137438953408, got 137438953472'],
  [{ bits: 64, hashes: 256 }, RangeError, 'hashes must be an integer from 1 to 255, got 256'],
  [{ bits: 64 }, TypeError, 'hashes must be an integer from 1 to 255, got undefined'],
  [{ hashes: 3 }, TypeError, 'bits must be an integer from 64 to 137438953408, got undefined'],
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
  [{ capacity: 2 ** 53 - 1 }, RangeError, / at errorRate 0.03 needs \d+ bits, of 1 … 137438953408$/],
  [7, TypeError, 'options must be an object such as { capacity: 1000, errorRate: 0.01 }, got 7'],
];

const parquetOptions: readonly Refusal[] = [
  [{ bytes: 33 }, RangeError, 'bytes must be a multiple of 32, got 33'],
  [{ bytes: 0 }, RangeError, 'bytes must be an integer from 32 to 2147483616, got 0'],
  [{ bytes: 2 ** 31 }, RangeError, 'bytes must be an integer from 32 to 2147483616, got 2147483648'],
  [{ bytes: 64, sizing: 'exact' }, TypeError, 'options must give bytes or sizing, got both'],
  [{ bytes: 64, capacity: 1 }, TypeError, 'options must give a capacity or bytes, got both'],
  [{ bytes: 64, seed: 1 }, TypeError, NO_SEED],
  [{ capacity: 10, seed: 1 }, TypeError, NO_SEED],
  [{ capacity: 10, sizing: null }, TypeError, 'sizing must be a string, got null'],
  [{ capacity: 10, sizing: 'java' }, RangeError, /^sizing must be one of "power-of-two", .*, got "java"$/],
  [{ capacity: 0, sizing: 'parquet-java' }, RangeError, 'capacity must be an integer from 1'],
  [{ capacity: 1, errorRate: 1, sizing: 'parquet-java' }, RangeError, 'errorRate must be'],
  [{ capacity: 10, numbers: 'long' }, RangeError, /^numbers must be one of "int32", .*, got "long"$/],
  [{ capacity: 10, numbers: 64 }, TypeError, 'numbers must be a string, got 64'],
  [{ capacity: 2 ** 30 }, RangeError, /^capacity 1073741824 at .* needs 2147483648 bytes, of at most 2147483616$/],
  [{ capacity: 2 ** 31 }, RangeError, /^capacity 2147483648 at .* needs \d+ bytes, of at most 2147483616$/],
];

const redisBloomOptions: readonly Refusal[] = [
  [{ capacity: 10, seed: 1 }, TypeError, NO_SEED],
  [{ capacity: 10, nonScaling: 1 }, TypeError, 'nonScaling must be a boolean, got 1'],
  [{ capacity: 0 }, RangeError, 'capacity must be an integer from 1'],
  [{ capacity: 10, errorRate: 0.3 }, RangeError, 'errorRate must be at most 0.25, got 0.3'],
  [{ capacity: 10, errorRate: 0 }, RangeError, 'errorRate must be'],
  [{ capacity: 10, expansion: -1 }, RangeError, 'expansion must be an integer from 0 to 4294967295, got -1'],
  [{ capacity: 10, expansion: 2 ** 32 }, RangeError, 'expansion must be an integer from 0 to 4294967295'],
  [{ capacity: 2 ** 53 - 1 }, RangeError, 'a link for 9007199254740991 keys at the error rate 0.005 is too large'],
];

const sparkOptions: readonly Refusal[] = [
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

const systems = [
  ['bits-and-blooms', GoBloomFilter, ofGo, goDamages, goOptions],
  ['Guava', GuavaBloomFilter, Uint8Array.of(1, 255, 0, 0, 0, 1, ...new Uint8Array(8)), guavaDamages, guavaOptions],
  ['Spark', SparkBloomFilter, Uint8Array.of(...ints(2, 64, -7, 1), ...new Uint8Array(8)), sparkDamages, sparkOptions],
  ['Parquet', ParquetBloomFilter, ofParquet, parquetDamages, parquetOptions],
  ['RedisBloom', RedisBloomDump, dump, redisBloomDamages, redisBloomOptions],
] as const;

describe.each(systems)('a filter of %s', (system, Class, whole, damages, options) => {
  const Filter = Class as object as ForeignClass;

  it('is loaded from whole bytes', () => expect(Filter.fromBytes(whole).toBytes()).toEqual(Uint8Array.from(whole)));

  it('is not loaded with options that are null', () =>
    expect(() => Filter.fromBytes(whole as Uint8Array, null as never)).toThrow(/^options must be an object/));

  it.each(damages)('is not loaded from bytes %s', (_, bytes, code, reason) => {
    const load = () => Filter.fromBytes(Uint8Array.from(bytes));
    expect(load).toThrow(`not a filter of ${system}: `);
    expect(load).toThrow(reason);
    expect(codeOf(load)).toBe(code);
  });

  it.each(options)('is refused with the options %j', (given, error, message) => {
    const make = (): unknown => new Filter(given as object);
    expect(make).toThrow(error);
    expect(make).toThrow(message);
  });
});

const text = new TextEncoder();

describe.each(formats)('bytes that are no filter of $name', ({ classes: [Filter] }) => {
  it.each([
    ['a gzipped file', gzipSync('a filter of another system')],
    ['a serialized Java object', Uint8Array.of(0xac, 0xed, 0, 5, 0x73, 0x72, 0, 0x2a)],
    ['a ZIP archive', text.encode('PK\x03\x04')],
    ['HTML or XML', text.encode('<!DOCTYPE html><title>Not found</title>')],
    ['a Git LFS pointer', text.encode('version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab')],
    ['a JSON object', text.encode('{"m":1000,"k":7}')],
    ['a JSON array', text.encode('[1, 2, 3]')],
    ["a filter in the package's own format", new BloomFilter({ bits: 64, hashes: 1 }).toBytes()],
  ])('are named by what they look like: %s', (form, bytes) => {
    for (const load of [() => Filter.fromBytes(bytes), () => Filter.fromChunks([bytes])]) {
      expect(load).toThrow(new RegExp(`^bytes must be a saved filter: not a filter of .*; they look like ${form}`));
      // Such a file is none, or ends too early, and not one that was damaged.
      expect(codeOf(load)).toMatch(/^(FOREIGN|VERSION|TRUNCATED)$/);
    }
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
