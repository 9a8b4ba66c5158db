// Bytes that are not a whole filter of a system are refused, with a code and a reason.

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { GoBloomFilter } from '../../src/entries/go.ts';
import { GuavaBloomFilter } from '../../src/entries/guava.ts';
import { ParquetBloomFilter } from '../../src/entries/parquet.ts';
import { RedisBloomDump } from '../../src/entries/redisbloom.ts';
import { SparkBloomFilter } from '../../src/entries/spark.ts';
import { BloomFilter, SavedFilterError } from '../../src/index.ts';
import { all, type Change, f64, u8, u32, u64 } from '../format/refusal.ts';
import { viewOf } from '../format/saved.ts';
import { codeOf, type ForeignClass, formats } from './formats.ts';

type Damage = readonly [what: string, bytes: ArrayLike<number>, code: string, reason: string];
type Changed = readonly [what: string, code: string, reason: string, ...changes: readonly Change[]];

/** An integer, highest byte first. */
function u64be(at: number, value: bigint): Change {
  return (view) => view.setBigUint64(at, value);
}

/** Damages of the same bytes. */
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
const go: readonly Damage[] = [
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

const guava: readonly Damage[] = [
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

const spark: readonly Damage[] = [
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
const parquet: readonly Damage[] = [
  ...damagesOf(ofParquet, [
    // Some writers compress the filter: then the last field has another union.
    ['that are compressed', 'VERSION', FORM, u8(12, 0x2c)],
    ['of another header', 'FOREIGN', 'they do not begin with the field numBytes', u8(0, 0x18)],
    ['of half a block', 'DAMAGED', 'its size is 65 bytes', u8(1, 0x82)],
    ['of a size that does not end', 'DAMAGED', 'its size is NaN bytes', u64be(1, 2n ** 64n - 1n)],
  ]),
  ['of no blocks', Uint8Array.of(0x15, 0, ...ofParquet.subarray(3)), 'DAMAGED', 'its size is 0 bytes'],
  // The varint of 2^32.
  ['of 2^31 bytes', Uint8Array.of(0x15, 0x80, 0x80, 0x80, 0x80, 0x10, 0), 'DAMAGED', 'its size is 2147483648 bytes'],
];

// Of three links.
const dump = new RedisBloomDump({ capacity: 10 }).addMany(Array.from({ length: 50 }, (_, i) => `key ${i}`)).toBytes();
const redisBloom: readonly Damage[] = damagesOf(dump, [
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
  ['of another number of hashes', 'DAMAGED', 'link 0 has 9 hashes', u32(60, 9)],
  ['of no capacity', 'DAMAGED', 'link 0 has a capacity of 0', u64(64, 0n)],
  ['of a capacity of 2^64 - 1', 'DAMAGED', 'has a capacity of', u64(64, 2n ** 64n - 1n)],
  ['of a power of two', 'DAMAGED', 'a number of bits that is a power of two', u8(72, 10)],
]);

describe.each([
  ['bits-and-blooms', GoBloomFilter, ofGo, go],
  ['Guava', GuavaBloomFilter, Uint8Array.of(1, 255, 0, 0, 0, 1, ...new Uint8Array(8)), guava],
  ['Spark', SparkBloomFilter, Uint8Array.from([...ints(2, 64, -7, 1), ...new Uint8Array(8)]), spark],
  ['Parquet', ParquetBloomFilter, ofParquet, parquet],
  ['RedisBloom', RedisBloomDump, dump, redisBloom],
] as const)('bytes in the format of %s', (system, Class, whole, damages) => {
  const Filter = Class as object as ForeignClass;

  it('are loaded if they are whole', () => {
    expect(Filter.fromBytes(whole).toBytes()).toEqual(Uint8Array.from(whole));
  });

  it.each(damages)('are refused: those %s', (_, bytes, code, reason) => {
    const load = () => Filter.fromBytes(Uint8Array.from(bytes));
    expect(load).toThrow(`not a filter of ${system}: `);
    expect(load).toThrow(reason);
    expect(codeOf(load)).toBe(code);
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
      expect(load).toThrow(SavedFilterError);
    }
  });
});
