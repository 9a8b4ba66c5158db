import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as js from '../../src/entries/js.ts';
import { HashedKeys } from '../../src/hash.ts';
import { BlockedBloomFilter, BloomFilter } from '../../src/index.ts';
import { KeyRecords, records } from '../../src/records.ts';
import { expectRate } from '../shared/binomial.ts';

/** The keys of records, one by one. */
const split = ({ bytes, width }: KeyRecords): Uint8Array[] =>
  Array.from({ length: bytes.length / width }, (_, i) => bytes.subarray(i * width, (i + 1) * width));

const someRecords = fc
  .integer({ min: 1, max: 40 })
  .chain((width) =>
    fc
      .uint8Array({ maxLength: 60 * width })
      .map((bytes) => records(bytes.subarray(0, bytes.length - (bytes.length % width)), width)),
  );

describe.each([
  ['wasm', BloomFilter],
  ['js', js.BloomFilter],
] as const)('keys of one length: %s', (_, Filter) => {
  it('are the same keys as their bytes', () => {
    fc.assert(
      fc.property(someRecords, (keys) => {
        const filter = new Filter({ capacity: 100 }).addMany(keys);
        expect(filter.equals(new Filter({ capacity: 100 }).addMany(split(keys)))).toBe(true);
        expect(filter.hasMany(keys)).toEqual(new Uint8Array(keys.length).fill(1));
      }),
    );
  });

  it('are picked, omitted and deduplicated as records', () => {
    fc.assert(
      fc.property(someRecords, fc.integer({ min: 0, max: 30 }), (keys, some) => {
        const known = split(keys).slice(0, some);
        const filter = Filter.from(known, { capacity: 100, errorRate: 1e-9 });
        const flags = filter.hasMany(keys);
        const picked = filter.pick(keys);
        expect(picked).toBeInstanceOf(KeyRecords);
        expect(picked.width).toBe(keys.width);
        const kept = (wanted: number): Buffer => Buffer.concat(split(keys).filter((_, i) => flags[i] === wanted));
        expect(Buffer.from(picked.bytes)).toEqual(kept(1));
        expect(Buffer.from(filter.omit(keys).bytes)).toEqual(kept(0));
        const first = new Set(split(keys).map((key) => Buffer.from(key).toString('hex')));
        expect(new Filter({ capacity: 100, errorRate: 1e-9 }).dedupe(keys).length).toBe(first.size);
      }),
    );
  });

  it.each([1, 8, 3000, 98_304, 98_305, 250_000])('may have %s bytes', (width) => {
    const count = width < 100 ? 10_000 : 7;
    const bytes = Uint8Array.from({ length: width * count }, (_, i) => (i * 2654435761) >>> 13);
    const keys = records(bytes, width);
    const filter = Filter.from(keys, { errorRate: 1e-6 });
    expect(filter.capacity).toBe(count);
    expect(filter.equals(Filter.from(split(keys), { errorRate: 1e-6 }))).toBe(true);
    // The scratch must not hold the keys that are picked, or their ends, already.
    filter.hasMany([new Uint8Array(3)]);
    expect(Buffer.compare(filter.pick(keys).bytes, bytes)).toBe(0);
    const last = bytes.subarray(-width);
    filter.hasMany([new Uint8Array(3)]);
    expect(Buffer.compare(filter.pick(records(last, width)).bytes, last)).toBe(0);
  });
});

describe('records', () => {
  it('are over the bytes, and know their number', () => {
    const bytes = new Uint8Array(48);
    const keys = records(bytes, 16);
    expect([keys.bytes.buffer, keys.width, keys.length]).toEqual([bytes.buffer, 16, 3]);
    expect(records(new Uint8Array(0), 16).length).toBe(0);
  });

  it.each([
    [() => records('abc' as never, 3), TypeError, 'bytes must be a Uint8Array, got "abc"'],
    [
      () => records(new Uint8Array(4), '4' as never),
      TypeError,
      'width must be an integer from 1 to 4294967295, got "4"',
    ],
    [() => records(new Uint8Array(4), 0), RangeError, 'width must be an integer from 1 to 4294967295, got 0'],
    [() => records(new Uint8Array(4), 3), RangeError, 'bytes must have a multiple of 3 bytes, got 4'],
  ])('refuse what are no records: %s', (make, type, message) => {
    expect(make).toThrow(new type(message));
  });
});

it('digests can be given as hashes, with the error rate that was promised', () => {
  const digests = (prefix: string, count: number): HashedKeys =>
    new HashedKeys(
      Buffer.concat(
        Array.from({ length: count }, (_, i) => createHash('sha256').update(`${prefix}${i}`).digest().subarray(0, 16)),
      ),
    );
  const filter = BloomFilter.from(digests('in ', 20_000), { errorRate: 0.01 });
  expect(filter.hasMany(digests('in ', 20_000)).every(Boolean)).toBe(true);
  const absent = 100_000;
  const found = filter.hasMany(digests('out ', absent)).reduce((sum, flag) => sum + flag, 0);
  expectRate(found, absent, filter.estimateErrorRate(), 1.02, 0.01);
});

it('UUIDs cannot be given as hashes: they are not uniform', () => {
  const uuids = (prefix: string, count: number): HashedKeys => {
    const bytes = Buffer.concat(
      Array.from({ length: count }, (_, i) => {
        const uuid = createHash('sha256').update(`${prefix}${i}`).digest().subarray(0, 16);
        uuid[6] = 0x40 | ((uuid[6] ?? 0) & 0x0f);
        uuid[8] = 0x80 | ((uuid[8] ?? 0) & 0x3f);
        return uuid;
      }),
    );
    return new HashedKeys(bytes);
  };
  const filter = BlockedBloomFilter.from(uuids('in ', 20_000), { errorRate: 0.01 });
  const found = filter.hasMany(uuids('out ', 20_000)).reduce((sum, flag) => sum + flag, 0);
  // docs/interop.md says so.
  expect(Math.round((100 * found) / 20_000)).toBe(44);
});
