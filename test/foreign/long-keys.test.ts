// Keys that do not fit the scratch are hashed in parts, in every collection. Their bits are those of hashes that were
// written slowly and plainly, of which this has the first digits of digests.

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { GoBloomFilter } from '../../src/entries/go.ts';
import { GuavaBloomFilter } from '../../src/entries/guava.ts';
import { ParquetBloomFilter } from '../../src/entries/parquet.ts';
import { records } from '../../src/entries/records.ts';
import { RedisBloomDump } from '../../src/entries/redisbloom.ts';
import { SparkBloomFilter } from '../../src/entries/spark.ts';
import { type Key, type Keys, lines } from '../../src/index.ts';
import { randomBytes } from '../shared/awkward.ts';
import { columnOf } from '../shared/columns.ts';
import type { ForeignFilter } from './formats.ts';

const SIZE = { bits: 64_000, hashes: 7 };
/** Filters, the digest of their cells with all keys, and whether lines fit the option `strings`. */
const subjects: readonly [name: string, make: () => object, digest: string, hasLines: boolean][] = [
  ['go', () => new GoBloomFilter(SIZE), 'd8874934fb240040', true],
  ['guava', () => new GuavaBloomFilter(SIZE), 'f0b7b6b0ea0133b1', true],
  ['guava, units', () => new GuavaBloomFilter({ ...SIZE, strings: 'chars' }), 'ae13cf11ce3e1778', false],
  ['parquet', () => new ParquetBloomFilter({ bytes: 8000 }), 'a5e59f601ed01936', true],
  ['redisbloom', () => new RedisBloomDump({ capacity: 4000, errorRate: 0.001 }), 'bce8cae11bf00a72', true],
  ['spark', () => new SparkBloomFilter({ ...SIZE, seed: -3 }), 'a3c321725f8eb636', true],
];

/** The most bytes that fit. Strings of more than a third as many units are encoded outside of the scratch. */
const LIMIT = 96 * 1024;
const bytes = [LIMIT - 1, LIMIT, LIMIT + 1, 200_003, 200_015, 200_016].map((length) => randomBytes(length, length));
const text = (length: number): string => 'an é in a long key, '.repeat(length / 20);
const ascii = (length: number): string => 'long'.repeat(length / 4);
const texts = [text(30_000), text(LIMIT), ascii(LIMIT / 3), ascii(LIMIT), ascii(LIMIT + 4), ascii(200_000)];

describe.each(subjects)('long keys in a filter of %s', (_, make, digest, hasLines) => {
  const create = (): ForeignFilter => make() as ForeignFilter;
  const cellsOf = (filter: ForeignFilter): Uint8Array => filter.toBytes().subarray(-filter.cellCount / 8);

  /** Expects the cells that these keys have one by one. */
  function expectCells(keys: Keys, singles: readonly Key[]): void {
    const filter = create();
    for (const key of singles) filter.add(key);
    const batch = create().addMany(keys);
    expect(Buffer.compare(cellsOf(batch), cellsOf(filter))).toBe(0);
    expect(batch.hasMany(keys).every(Boolean)).toBe(true);
  }

  it('are found in arrays, sets and iterables, and one by one', () => {
    const keys = [...bytes, 'short', ...texts, 'another', randomBytes(20, 1)];
    expectCells(keys, keys);
    const filter = create().addMany(keys.values());
    expect(createHash('sha256').update(cellsOf(filter)).digest('hex').slice(0, 16)).toBe(digest);
    expect(keys.every((key) => filter.has(key) && !filter.add(key))).toBe(true);
    const picked = filter.pick(['absent', ...keys]) as Key[];
    expect(picked.every((key, i) => key === keys[i]) && picked.length === keys.length).toBe(true);
    class Short extends Uint8Array {
      override get length(): number {
        return 3;
      }
    }
    expect(filter.has(new Short(bytes[2] as Uint8Array))).toBe(true);
    expect(create().dedupe(new Set(keys))).toEqual(keys);
  });

  it.each(hasLines ? ['\n', '\r\n'] : [])('are found in lines that end with %j', (end) => {
    const long = text(200_000);
    for (const [source, keys] of [
      [['short', ...texts, '', 'last'].join(end), ['short', ...texts, '', 'last']],
      [`short${end}${long}${end}`, ['short', long]],
      [long, [long]],
      // Not the end of a line.
      [`${long}\r`, [`${long}\r`]],
    ] as const) {
      expectCells(lines(Buffer.from(source), { crlf: end === '\r\n' }), keys);
      const picked = create()
        .addMany(keys)
        .pick(lines(Buffer.from(source)));
      expect(Buffer.from(picked.bytes).toString()).toBe(source);
    }
  });

  it('are found in columns and records', () => {
    const all = [randomBytes(5, 1), ...bytes, randomBytes(9, 2)];
    if (hasLines) expectCells(columnOf(all), all);
    const two = randomBytes(200_000, 7);
    // No end of a line.
    two.set([13, 10], 99_998);
    expectCells(records(two, 100_000), [two.subarray(0, 100_000), two.subarray(100_000)]);
    // Two that fit together, to the last byte.
    const full = randomBytes(LIMIT, 8);
    expectCells(records(full, LIMIT / 2), [full.subarray(0, LIMIT / 2), full.subarray(LIMIT / 2)]);
  });
});
