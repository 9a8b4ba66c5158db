// Keys that do not fit the scratch are hashed in pieces, in every collection: their bits are those of slow hashes.

import { describe, expect, it } from 'vitest';
import { GoBloomFilter } from '../../src/entries/go.ts';
import { GuavaBloomFilter } from '../../src/entries/guava.ts';
import { ParquetBloomFilter } from '../../src/entries/parquet.ts';
import { records } from '../../src/entries/records.ts';
import { RedisBloomDump } from '../../src/entries/redisbloom.ts';
import { SparkBloomFilter } from '../../src/entries/spark.ts';
import { column, type Key, type Keys, lines } from '../../src/index.ts';
import { randomBytes } from '../shared/awkward.ts';
import { setBits } from '../shared/oracle.ts';
import type { ForeignFilter } from './formats.ts';
import * as slow from './slow-bits.ts';

interface Subject {
  readonly name: string;
  make(): { readonly hashes: number };
  /** Undefined for a format whose hash in pieces is proved elsewhere: then batches are compared with single keys. */
  readonly slowBits: slow.SlowBits | undefined;
  readonly hasUnits?: boolean;
}

const SIZE = { bits: 64_000, hashes: 7 };
const subjects: readonly Subject[] = [
  { name: 'go', make: () => new GoBloomFilter(SIZE), slowBits: slow.goBits },
  { name: 'guava', make: () => new GuavaBloomFilter(SIZE), slowBits: slow.guavaBits },
  {
    name: 'guava, units',
    make: () => new GuavaBloomFilter({ ...SIZE, strings: 'chars' }),
    slowBits: slow.guavaBits,
    hasUnits: true,
  },
  { name: 'parquet', make: () => new ParquetBloomFilter({ bytes: 8000 }), slowBits: undefined },
  {
    name: 'redisbloom',
    make: () => new RedisBloomDump({ capacity: 4000, errorRate: 0.001 }),
    slowBits: slow.redisBloomBits,
  },
  { name: 'spark', make: () => new SparkBloomFilter({ ...SIZE, seed: -3 }), slowBits: slow.sparkBits(-3) },
];

/** The most bytes that fit. Strings of more than a third as many units are encoded outside of the scratch. */
const LIMIT = 96 * 1024;
const bytes = [LIMIT - 1, LIMIT, LIMIT + 1, 200_003, 200_015, 200_016].map((length) => randomBytes(length, length));
const text = (length: number): string => 'an é in a long key, '.repeat(length / 20);
const ascii = (length: number): string => 'long'.repeat(length / 4);
const texts = [text(30_000), text(LIMIT), ascii(LIMIT / 3), ascii(LIMIT), ascii(LIMIT + 4), ascii(200_000)];

describe.each(subjects)('long keys in a filter of $name', ({ make, slowBits, hasUnits = false }) => {
  const create = (): ForeignFilter => make() as object as ForeignFilter;
  const { hashes } = make();

  const encoded = (key: Key): Uint8Array =>
    typeof key === 'string' ? Buffer.from(key, hasUnits ? 'utf16le' : 'utf8') : (key as Uint8Array);

  const cellsOf = (filter: ForeignFilter): Uint8Array => filter.toBytes().subarray(-filter.cellCount / 8);

  /** The cells of keys, by the slow hash. */
  function slowly(keys: readonly Key[]): Uint8Array {
    const singles = create();
    for (const key of keys) singles.add(key);
    const found = cellsOf(singles);
    if (slowBits === undefined) return found;
    const cells = new Uint8Array(found.length);
    for (const key of keys) setBits(cells, slowBits(encoded(key), 8 * cells.length, hashes));
    // Other formats have words of 8 bytes, highest byte first.
    for (let at = 0; at < cells.length && singles.kind !== 'redisbloom'; at += 8) cells.subarray(at, at + 8).reverse();
    expect(Buffer.compare(found, cells)).toBe(0);
    return cells;
  }

  function expectCells(keys: Keys, cells: Uint8Array): void {
    const filter = create().addMany(keys);
    expect(Buffer.compare(cellsOf(filter), cells)).toBe(0);
    expect(filter.hasMany(keys).every(Boolean)).toBe(true);
  }

  it('are found in arrays, sets and iterables, and one by one', () => {
    const keys = [...bytes, 'short', ...texts, 'another', randomBytes(20, 1)];
    const cells = slowly(keys);
    expectCells(keys, cells);
    const filter = create().addMany(keys.values());
    expect(Buffer.compare(cellsOf(filter), cells)).toBe(0);
    expect(keys.every((key) => filter.has(key) && !filter.add(key))).toBe(true);
    expect(filter.pick(['absent', ...keys])).toEqual(keys);
    expect(create().dedupe(new Set(keys))).toEqual(keys);
  });

  it.each(hasUnits ? [] : ['\n', '\r\n'])('are found in lines that end with %j', (end) => {
    const long = text(200_000);
    for (const [source, keys] of [
      [['short', ...texts, '', 'last'].join(end), ['short', ...texts, '', 'last']],
      [`short${end}${long}${end}`, ['short', long]],
      [long, [long]],
      // Not the end of a line.
      [`${long}\r`, [`${long}\r`]],
    ] as const) {
      expectCells(lines(Buffer.from(source), { crlf: end === '\r\n' }), slowly(keys));
      expect(
        Buffer.from(
          create()
            .addMany(keys)
            .pick(lines(Buffer.from(source))).bytes,
        ).toString(),
      ).toBe(source);
    }
  });

  it('are found in columns and records', () => {
    const all = [randomBytes(5, 1), ...bytes, randomBytes(9, 2)];
    let at = 0;
    const offsets = Int32Array.of(0, ...all.map(({ length }) => (at += length)));
    if (!hasUnits) expectCells(column(Buffer.concat(all), offsets), slowly(all));
    const two = randomBytes(200_000, 7);
    expectCells(records(two, 100_000), slowly([two.subarray(0, 100_000), two.subarray(100_000)]));
  });
});
