import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyRecords, records } from '../../src/entries/records.ts';
import { BloomFilter } from '../../src/index.ts';
import { randomBytes } from '../shared/awkward.ts';

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

describe('records', () => {
  it('are the same keys as their bytes, and are picked, omitted and deduplicated as records', () => {
    const rare = { capacity: 100, errorRate: 1e-9 };
    const property = fc.property(someRecords, fc.nat(30), (keys, some) => {
      const all = split(keys);
      expect(new BloomFilter(rare).addMany(keys).equals(new BloomFilter(rare).addMany(all))).toBe(true);
      const filter = BloomFilter.from(all.slice(0, some), rare);
      const flags = filter.hasMany(keys);
      expect(flags).toEqual(filter.hasMany(all));
      const picked = filter.pick(keys);
      expect(picked).toBeInstanceOf(KeyRecords);
      expect(picked.width).toBe(keys.width);
      const kept = (wanted: number): Buffer => Buffer.concat(all.filter((_, i) => flags[i] === wanted));
      expect(Buffer.from(picked.bytes)).toEqual(kept(1));
      expect(Buffer.from(filter.omit(keys).bytes)).toEqual(kept(0));
      const distinct = new Set(all.map((key) => Buffer.from(key).toString('hex')));
      expect(new BloomFilter(rare).dedupe(keys).length).toBe(distinct.size);
    });
    fc.assert(property);
  });

  // As many of 24 bytes as a chunk may have keys fill it.
  it.each([1, 8, 24, 3000, 98_304, 98_305, 250_000])('may have %s bytes', (width) => {
    const count = width < 100 ? 5000 : 3;
    const bytes = randomBytes(width * count, width);
    const keys = records(bytes, width);
    const filter = BloomFilter.from(keys, { errorRate: 1e-6 });
    expect(filter.capacity).toBe(count);
    expect(filter.equals(BloomFilter.from(split(keys), { errorRate: 1e-6 }))).toBe(true);
    const last = bytes.subarray(-width);
    for (const part of [bytes, last]) {
      // The scratch must not hold the keys that are picked, or their ends, already.
      filter.hasMany([new Uint8Array(3)]);
      expect(Buffer.compare(filter.pick(records(part, width)).bytes, part)).toBe(0);
    }
  });

  it('are over the bytes, and know their number', () => {
    const bytes = new Uint8Array(48);
    const keys = records(bytes, 16);
    expect([keys.bytes.buffer, keys.width, keys.length]).toEqual([bytes.buffer, 16, 3]);
    expect(records(new Uint8Array(0), 16).length).toBe(0);
  });

  it.each([
    ['abc', 3, TypeError, 'bytes must be a Uint8Array, got "abc"'],
    [new Uint8Array(4), '4', TypeError, 'width must be an integer from 1 to 4294967295, got "4"'],
    [new Uint8Array(4), 0, RangeError, 'width must be an integer from 1 to 4294967295, got 0'],
    [new Uint8Array(4), 3, RangeError, 'bytes must have a multiple of 3 bytes, got 4'],
  ])('refuse what are no records: %o, %o', (bytes, width, type, message) => {
    expect(() => records(bytes as never, width as never)).toThrow(new type(message));
    expect(() => new BloomFilter({ capacity: 1 }).hasMany(new KeyRecords(bytes as never, width as never))).toThrow(
      message,
    );
  });
});
