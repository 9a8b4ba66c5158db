// Keys that lie one after another in bytes: lines, columns and records. docs/streams.md and examples/arrow have columns of
// Apache Arrow.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyRecords, records } from '../../src/entries/records.ts';
import { BloomFilter, column, KeyColumn, KeyLines, lines } from '../../src/index.ts';
import { CHUNK_BYTES } from '../../src/kernel/scratch.ts';
import { randomBytes } from '../shared/awkward.ts';
import { columnOf } from '../shared/columns.ts';
import { text } from '../shared/stream-tools.ts';

/** Longer than a chunk, so that it is hashed where it lies. */
const long = 'x'.repeat(200_000);

describe('lines as keys', () => {
  it('give lines for lines, with their terminators', () => {
    const filter = BloomFilter.from(['b', '', 'ö'], { errorRate: 1e-5 });
    const given = lines(text('a\r\nb\r\n\n\r\nb\nö\nx\nb'));
    const picked = filter.pick(given);
    expect(picked).toBeInstanceOf(KeyLines);
    expect(picked.bytes).toEqual(text('b\r\n\n\r\nb\nö\nb'));
    expect(filter.omit(given).bytes).toEqual(text('a\r\nx\n'));
    expect(picked.count()).toBe(6);
    for (const key of ['b', long]) {
      const some = text(`${key}\r\nc`);
      for (const crlf of [true, false]) {
        const one = BloomFilter.from([crlf ? key : `${key}\r`], { errorRate: 1e-5 });
        expect(one.pick(lines(some, { crlf })).bytes).toEqual(text(`${key}\r\n`));
        expect(one.omit(lines(some, { crlf })).bytes).toEqual(text('c'));
        expect(one.pick(lines(some, { crlf: !crlf })).bytes.length).toBe(0);
      }
    }
  });

  it('are refused unless they are of bytes', () => {
    const filter = new BloomFilter({ capacity: 10 });
    expect(() => filter.addMany(new KeyLines('abc' as never, true))).toThrow(/^bytes must be a Uint8Array, got "abc"$/);
    expect(() => filter.addMany(new KeyLines(text('abc'), 1 as never))).toThrow(/^options\.crlf must be a boolean/);
    expect(() => filter.addMany(new KeyColumn('abc' as never, Int32Array.of(0)))).toThrow(/^data must be a Uint8Array/);
  });

  const ends = Uint32Array.of(0, long.length);
  it.each([
    ['lines', (bytes: Uint8Array) => new BloomFilter({ capacity: 1 }).dedupe(lines(bytes)).bytes],
    ['a column', (bytes: Uint8Array) => new BloomFilter({ capacity: 1 }).dedupe(column(bytes, ends)).data],
  ])('are picked into memory that is not that of a Buffer: %s', (_name, dedupe) => {
    const given = Buffer.from(long);
    const picked = dedupe(given);
    given.fill('y');
    expect(Buffer.from(picked).equals(Buffer.from(long))).toBe(true);
    expect(picked.constructor).toBe(Uint8Array);
  });
});

it('lines may end a byte after what the scratch holds', () => {
  const last = 'b'.repeat(CHUNK_BYTES - 1);
  const filter = BloomFilter.from(['x', last], { errorRate: 1e-9 });
  for (const end of ['', '\n']) expect([...filter.hasMany(lines(text(`x\n${last}${end}`)))]).toEqual([1, 1]);
});

it('the number of lines is right for texts and for what a filter has picked of them, short and long', () => {
  const counted = (bytes: Uint8Array): number => {
    const newlines = bytes.filter((byte) => byte === 10).length;
    return bytes.length > 0 && bytes.at(-1) !== 10 ? newlines + 1 : newlines;
  };
  const all = ['', 'a', long, 'b', '', long, ...Array.from({ length: 5000 }, (_, i) => `${i}`), 'a'].join('\n');
  const filter = BloomFilter.from(['', 'a', long, '77', '4999'], { errorRate: 1e-9 });
  for (const bytes of ['', 'c', all, `${all}\n`, '\n'.repeat(10_007)].map(text)) {
    for (const part of [bytes, bytes.subarray(1)]) expect(lines(part).count()).toBe(counted(part));
    for (const some of [filter.pick(lines(bytes)), filter.omit(lines(bytes))]) {
      expect(some.count()).toBe(counted(some.bytes));
    }
  }
});

it('lines are found on both sides of 2^31, after a line of almost 2^31 bytes', { timeout: 120_000 }, () => {
  const border = 2 ** 31;
  // Zeros that were never written take no memory.
  const bytes = new Uint8Array(border + 100_000).fill(10, border - 50_001);
  const keys: string[] = [];
  for (let at = border - 50_000; at < bytes.length - 100; ) {
    const key = `key ${keys.length}`;
    keys.push(key);
    at += new TextEncoder().encodeInto(`${key}${keys.length % 2 ? '\r' : ''}\n`, bytes.subarray(at)).written;
  }
  const filter = new BloomFilter({ capacity: 100_000, errorRate: 1e-5 }).addMany(lines(bytes));
  expect(filter.hasMany([...keys, '']).every(Boolean)).toBe(true);
  const lineBreaks = bytes.subarray(border - 50_001).filter((byte) => byte === 10).length;
  expect(lines(bytes).count()).toBe(lineBreaks);
  // The long line and empty ones are two more.
  expect(Math.abs(filter.estimateCount() / (keys.length + 2) - 1)).toBeLessThan(0.02);
});

describe('columns as keys', () => {
  it('give a column for a column, with offsets of the same type', () => {
    const filter = BloomFilter.from(['b', '', 'ö'], { errorRate: 1e-5 });
    for (const offsets of [
      Int32Array.of(1, 2, 3, 3, 5),
      Uint32Array.of(1, 2, 3, 3, 5),
      BigInt64Array.of(1n, 2n, 3n, 3n, 5n),
    ]) {
      const picked = filter.pick(column(text('-abö'), offsets));
      expect(picked).toBeInstanceOf(KeyColumn);
      expect(picked.data).toEqual(text('bö'));
      expect([...picked.offsets].map(Number)).toEqual([0, 1, 1, 3]);
      expect(picked.offsets.constructor).toBe(offsets.constructor);
      expect(picked.length).toBe(3);
    }
    const none = column(text('x'), new Int32Array());
    expect([none.length, filter.pick(none).length]).toEqual([0, 0]);
  });

  it('keep keys in several chunks, and one that fills a chunk', () => {
    const keys = ['a', 'x'.repeat(98_304), 'b', 'y'.repeat(98_305), ...Array.from({ length: 5000 }, (_, i) => `${i}`)];
    const given = columnOf(keys.map(text));
    const filter = BloomFilter.from(given, { errorRate: 1e-6 });
    // The scratch must not hold what is picked already.
    filter.hasMany([new Uint8Array(98_304)]);
    expect(filter.pick(given)).toEqual(given);
  });

  it('refuse offsets that decrease or lie outside the data, after the keys before them', () => {
    const filter = new BloomFilter({ capacity: 10 });
    const refused = (offsets: Int32Array | BigInt64Array, at: number, shown: string): void => {
      const message = `offsets[${at}] and offsets[${at + 1}] must rise within the 3 bytes of data, got ${shown}`;
      expect(() => filter.addMany(column(text('abc'), offsets))).toThrow(new RangeError(message));
    };
    refused(Int32Array.of(-1, 1), 0, '-1 and 1');
    refused(Int32Array.of(3, 4), 0, '3 and 4');
    refused(BigInt64Array.of(0n, 2n ** 62n), 0, `0 and ${2 ** 62}`);
    refused(Int32Array.of(0, 3, -2), 1, '3 and -2');
    refused(Int32Array.of(0, 2, 5), 1, '2 and 5');
    const ofType = /^offsets must be an Int32Array, .*, got /;
    expect(() => column(text('abc'), new BigUint64Array(2) as never)).toThrow(ofType);
    filter.clear();
    refused(Int32Array.of(0, 1, 0), 1, '1 and 0');
    expect(filter.has('a')).toBe(true);
  });
});

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
    for (const part of [bytes, bytes.subarray(-width)]) {
      // The scratch must not hold the keys that are picked, or their ends, already.
      filter.hasMany([new Uint8Array(3)]);
      expect(Buffer.compare(filter.pick(records(part, width)).bytes, part)).toBe(0);
    }
    const half = BloomFilter.from(split(keys).slice(0, count >> 1), { errorRate: 1e-6 });
    const wanted = Buffer.concat(split(keys).filter((key) => half.has(key)));
    expect(Buffer.compare(half.pick(keys).bytes, wanted)).toBe(0);
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
    const keys = new KeyRecords(bytes as never, width as never);
    expect(() => new BloomFilter({ capacity: 1 }).hasMany(keys)).toThrow(message);
  });
});
