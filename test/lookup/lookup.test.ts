// Lookups in the files of fuse filters and maps answer as these do, and take and refuse the same files.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { FuseMap } from '../../src/entries/fuse-map.ts';
import { keyed } from '../../src/entries/keyed.ts';
import { FuseLookup, FuseMapLookup } from '../../src/entries/lookup.ts';
import type { ReadHead } from '../../src/format/header.ts';
import { SavedFilterError } from '../../src/index.ts';
import { probeFuse } from '../../src/kinds/fuse/probe.ts';
import { cellsIn } from '../../src/kinds/fuse/sizing.ts';
import { hashKey, Shard } from '../../src/lookup/shard.ts';
import { keysOf } from '../format/saved.ts';
import { damagedFile } from '../fuzz/readers/files.ts';
import { range } from '../shared/integers.ts';
import { bytesOf, hashOf } from '../shared/oracle.ts';
import { randomFrom } from '../shared/random.ts';
import { SECRET } from '../shared/secret.ts';

const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });
/** Bytes at any offset in their buffer, and of more than a block of the hash. */
const bytes = fc.uint8Array({ maxLength: 100 }).map((all) => all.subarray(all.length >> 3));
/** Keys that are in no filter. */
const others = [...range(0, 50).map((i) => `other-${i}`), '\ud800', ''];

/** What a call gives, or the error for a file that is refused. */
function outcomeOf(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof SavedFilterError)) throw error;
    return String(error);
  }
}

/** Expects that two ways to read give the same of many damaged files, of which more than `least` are read or refused. */
function expectSame(
  seed: number,
  fileOf: (keys: string[], i: number) => Uint8Array,
  [theirs, ours]: readonly [(file: Uint8Array) => unknown, (file: Uint8Array) => unknown],
  least: number,
): void {
  const random = randomFrom(seed);
  const files = [0, 1, 3, 40].map((count, i) => fileOf(keysOf(count), i));
  const counts = { read: 0, refused: 0 };
  for (let i = 0; i < 4000; i++) {
    const file = damagedFile(random, files);
    const found = outcomeOf(() => ours(file));
    expect(found).toBe(outcomeOf(() => theirs(file)));
    counts[String(found).startsWith('SavedFilterError') ? 'refused' : 'read']++;
  }
  expect(Math.min(counts.read, counts.refused)).toBeGreaterThan(least);
}

describe('a lookup in the file of a fuse filter', () => {
  it('answers as the filter, for any keys, widths and seeds', () => {
    const keys = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.string(), bytes), { maxLength: 100 });
    const property = fc.property(keys, fc.integer({ min: 1, max: 32 }), seeds, (given, fingerprintBits, seed) => {
      const filter = BinaryFuseFilter.from(given, { fingerprintBits, seed });
      const lookup = FuseLookup.fromBytes(filter.toBytes());
      for (const key of [...given, ...others]) expect(lookup.has(key)).toBe(filter.has(key));
      expect(lookup.capacity).toBe(filter.capacity);
    });
    fc.assert(property, { seed: 34, numRuns: 60 });
  });

  it('answers as a filter of several parts, whose cells lie behind the first 2^24 bits', () => {
    const keys = Array.from({ length: 600_000 }, (_, i) => `key-${i}`);
    const file = BinaryFuseFilter.from(keys, { fingerprintBits: 32 }).toBytes();
    expect(file.length).toBeGreaterThan(2 * 2 ** 20);
    const lookup = FuseLookup.fromBytes(file);
    const some = keys.filter((_, i) => i % 97 === 0);
    expect(some.filter((key) => !lookup.has(key))).toEqual([]);
    expect(some.filter((key) => lookup.has(`no ${key}`))).toEqual([]);
    file[file.length - 1] = (file.at(-1) as number) ^ 1;
    expect(() => FuseLookup.fromBytes(file)).toThrow('its checksum is wrong');
  });

  it('finds the cells of a shard that has almost 2^32 of them', () => {
    const own = { exponent: 18, segments: 2 ** 14 - 3, attempt: 0, count: 1 };
    // Zeros that were never written take no memory.
    const cells = new Uint8Array(cellsIn(own) / 8);
    const shard = new Shard(cells, 1, own, 'cells');
    const { place } = probeFuse({ own, cellBits: 1 } as ReadHead<typeof own>);
    for (const key of keysOf(50)) {
      const places = new Float64Array(3);
      const fingerprint = place(hashOf(bytesOf(key), 0), places);
      const flip = (at: number): number =>
        (cells[Math.floor(at / 8)] = (cells[Math.floor(at / 8)] as number) ^ (1 << (at % 8)));
      places.forEach(flip);
      hashKey(key, 0);
      expect(shard.combine(0)).toBe(fingerprint ^ 1);
      places.forEach(flip);
    }
  });

  it('answers as a filter that was built at a later attempt', () => {
    const keys = range(12 * 8083, 12 * 8084).map(bytesOf);
    const lookup = FuseLookup.fromBytes(BinaryFuseFilter.from(keys, { fingerprintBits: 9 }).toBytes());
    expect(keys.filter((key) => !lookup.has(key))).toEqual([]);
  });

  it('takes an ArrayBuffer, and bytes at any offset', () => {
    const file = BinaryFuseFilter.from(['ada']).toBytes();
    const moved = new Uint8Array(file.length + 5);
    moved.set(file, 5);
    expect(FuseLookup.fromBytes(file.buffer).has('ada')).toBe(true);
    expect(FuseLookup.fromBytes(moved.subarray(5)).has('ada')).toBe(true);
  });

  it('refuses the files that the filter refuses, for the same reason, and takes all others', () => {
    const fileOf = (keys: string[], i: number) =>
      BinaryFuseFilter.from(keys, { fingerprintBits: 1 + 7 * i, seed: i }).toBytes();
    const theirs = (file: Uint8Array) => BinaryFuseFilter.fromBytes(file).has('key 0');
    const ours = (file: Uint8Array) => FuseLookup.fromBytes(file).has('key 0');
    expectSame(34, fileOf, [theirs, ours], 200);
  });

  it('refuses a file that was made under a secret', () => {
    const file = keyed(BinaryFuseFilter, SECRET).from(['ada']).toBytes();
    expect(() => FuseLookup.fromBytes(file)).toThrow(expect.objectContaining({ code: 'SECRET' }));
  });

  const lookup = FuseLookup.fromBytes(BinaryFuseFilter.from(['ada']).toBytes());
  it.each<[() => unknown, string]>([
    [() => FuseLookup.fromBytes(null as never), 'bytes must be a Uint8Array, got null'],
    [() => FuseLookup.fromBytes('BLMY' as never), 'bytes must be a Uint8Array, got "BLMY"'],
    [() => FuseLookup.fromBytes([] as never), 'bytes must be a Uint8Array, got an object (Array)'],
    [() => lookup.has(7 as never), 'key must be a string or a Uint8Array, got 7'],
    [() => lookup.has(null as never), 'key must be a string or a Uint8Array, got null'],
    [() => lookup.has(['ada'] as never), 'key must be a string or a Uint8Array, got an object (Array)'],
  ])('refuses what is no file, and what is no key: %s', (call, message) => {
    expect(call).toThrow(new TypeError(message));
  });
});

describe('a lookup in the file of a fuse map', () => {
  // test/fuzz/readers/maps.ts has maps of any keys, values, widths, seeds and shards.
  it('answers as a map of several parts', () => {
    const keys = Array.from({ length: 400_000 }, (_, i) => `key-${i}`);
    const values = Uint32Array.from(keys, (_, i) => i);
    const map = FuseMap.from(keys, values, { shards: 2 });
    const lookup = FuseMapLookup.fromBytes(map.toBytes());
    for (let i = 0; i < keys.length; i += 97) expect(lookup.get(keys[i] as string)).toBe(i);
    for (const key of ['key-0', ...others]) expect(lookup.has(key)).toBe(map.has(key));
    expect(lookup.capacity).toBe(map.count);
    expect(() => lookup.get(7 as never)).toThrow(/^key must be a string or a Uint8Array, got 7$/);
  });

  it('refuses the files that the map refuses, for the same reason, and takes all others', () => {
    const fileOf = (keys: string[], i: number) =>
      FuseMap.from(keys, [...keys.keys()], { fingerprintBits: i, seed: i, shards: 2 ** i }).toBytes();
    const theirs = (file: Uint8Array) => FuseMap.fromBytes(file).get('key 0');
    const ours = (file: Uint8Array) => FuseMapLookup.fromBytes(file).get('key 0');
    expectSame(35, fileOf, [theirs, ours], 100);
  });
});
