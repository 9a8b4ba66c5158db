// What only the binary fuse filter has: all its keys at once, and cells of any width.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BinaryFuseFilter, optimalFuseCells, optimalFuseFingerprintBits } from '../../src/entries/fuse.ts';
import { ShardedFuseFilter } from '../../src/entries/sharded-fuse.ts';
import { FilterMemoryError, type Keys } from '../../src/index.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';
import { buildCells } from '../../src/kinds/fuse/build.ts';
import { fuseLayout } from '../../src/kinds/fuse/sizing.ts';
import { bodyOf, errorOf } from '../format/saved.ts';
import { integersFrom, range } from '../shared/integers.ts';
import type { AnyClass } from '../shared/kinds.ts';
import { classOn, watched } from '../shared/open.ts';
import { bytesOf, murmur3 } from '../shared/oracle.ts';
import { Fuse, fuseLayoutOf } from '../shared/oracle-fuse.ts';

describe('a binary fuse filter', () => {
  it('has the same bytes as the oracle, for any keys, width and seed', () => {
    const keys = fc.array(fc.oneof(fc.string(), fc.integer(), fc.uint8Array()), { maxLength: 300 });
    const bits = fc.integer({ min: 1, max: 32 });
    const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    const property = fc.property(keys, bits, seeds, (given, fingerprintBits, seed) => {
      const hashes = given.map((key) => murmur3(bytesOf(key), seed)[0]);
      const oracle = new Fuse(hashes, fingerprintBits);
      const filter = BinaryFuseFilter.from(given, { fingerprintBits, seed });
      expect(bodyOf(filter)).toEqual(oracle.bytes());
      const { count } = oracle;
      expect(filter).toMatchObject({ count, capacity: count, fingerprintBits, cellBits: fingerprintBits });
      expect(filter.estimateCount()).toBe(count);
      for (const key of [...given, ...range(0, 50)]) {
        expect(filter.has(key)).toBe(oracle.has(murmur3(bytesOf(key), seed)[0]));
      }
    });
    fc.assert(property, { seed: 5, numRuns: 100 });
  });

  it('has the same bytes as the oracle after four failed attempts, which add segments', () => {
    const keys = range(12 * 8083, 12 * 8084);
    const hashes = keys.map((key) => murmur3(bytesOf(key), 0)[0]);
    const oracle = new Fuse(hashes, 9);
    expect(oracle.attempt).toBe(4);
    const filter = BinaryFuseFilter.from(keys, { fingerprintBits: 9 });
    for (const each of [filter, BinaryFuseFilter.fromBytes(filter.toBytes())]) {
      expect(bodyOf(each)).toEqual(oracle.bytes());
      expect(each.omit(keys)).toEqual([]);
    }
  });

  it.each<[Class: object, options: object]>([
    [BinaryFuseFilter, {}],
    [ShardedFuseFilter, { shards: 1 }],
    [ShardedFuseFilter, { shards: 256 }],
  ])('has the same bytes whatever the order of its keys and their repetitions: %#', (Class, options) => {
    const make = (keys: Keys) => (Class as AnyClass).from(keys, { ...options, fingerprintBits: 5 });
    const keys = integersFrom(0, 3 * CHUNK_KEYS);
    const mixed = keys.toSorted((one, other) => (one % 97) - (other % 97));
    const filter = make(keys);
    expect(filter.omit(keys)).toEqual(new Uint32Array(0));
    for (const same of [mixed, [...keys, ...mixed], new Set(mixed)]) {
      expect(make(same).toBytes()).toEqual(filter.toBytes());
    }
  });

  it('without keys finds none, but refuses what is not a key', () => {
    for (const fingerprintBits of [1, 8, 32]) {
      const filter = BinaryFuseFilter.from([], { fingerprintBits });
      expect(filter.hasMany(range(0, 10_000))).toEqual(new Uint8Array(10_000));
      expect(range(0, 1000).some((key) => filter.has(key))).toBe(false);
      expect(filter).toMatchObject({ capacity: 0, errorRate: 0, cellCount: 12 });
      expect([filter.estimateCount(), filter.estimateErrorRate()]).toEqual([0, 0]);
      expect(() => filter.has(null as never)).toThrow(TypeError);
    }
  });

  it('takes no more memory while it is built than stated, and gives all but its cells back', () => {
    const { engine, regions, left } = watched(BinaryFuseFilter.engine);
    const Watched = classOn(BinaryFuseFilter, engine);
    const filter = Watched.from(Uint32Array.from(range(0, 50_000)), { fingerprintBits: 8 });
    const most = Math.max(...regions.map(({ byteLength }) => byteLength));
    expect([most, ...left()]).toEqual([14 * filter.cellCount, filter.byteLength]);
    const failing = function* () {
      yield 'a';
      throw new Error('no more');
    };
    expect(() => Watched.from(failing())).toThrow('no more');
    expect(() => Watched.from(['a', null as never])).toThrow(/^keys\[1\] must be/);
    expect(left()).toHaveLength(1);
    filter.dispose();
    expect(() => filter.has('a')).toThrow(/after dispose/);
  });

  it('refuses keys whose filter cannot be built', () => {
    const { engine, regions } = watched(BinaryFuseFilter.engine);
    const Small = classOn(BinaryFuseFilter, { ...engine, maxBytes: 200_000 });
    const tooMany = /^20000 keys are too many: building their filter takes 341 KB, and at most 200 KB can be had$/;
    expect(() => Small.from(range(0, 20_000))).toThrow(tooMany);
    // Equal hashes, which `from` would have removed.
    const twice = Uint32Array.of(1, 2, 1, 2);
    expect(() => buildCells(engine as typeof BinaryFuseFilter.engine, twice, 8)).toThrow(/in 64 attempts/);
    expect(regions.every(({ disposed }) => disposed)).toBe(true);
  });
});

describe('the size of a binary fuse filter', () => {
  it('is that of the specification', () => {
    const counts = [...range(0, 3000), ...range(0, 2000).map((i) => 3000 + 71 * i), 240_533, 240_534, 3 * 10 ** 6];
    for (const count of counts) {
      const { e, segments } = fuseLayoutOf(count);
      expect(fuseLayout(count), `${count} keys`).toEqual({ exponent: e, segments });
    }
    expect(optimalFuseCells(10 ** 8)).toBe((854 + 2) * 131_072);
    expect(optimalFuseCells(0)).toBe(12);
    expect(optimalFuseCells(2 ** 31) / 2 ** 31).toBeLessThan(1.13);
    for (const count of [-1, 2 ** 31 + 1, 0.5]) expect(() => optimalFuseCells(count)).toThrow(/^count must be/);
    expect([0.999, 0.5, 0.01, 2 ** -8, 2.33e-10].map(optimalFuseFingerprintBits)).toEqual([1, 1, 7, 8, 32]);
    expect(BinaryFuseFilter.from(['a'], { errorRate: 2 ** -32 }).cellBits).toBe(32);
    expect(BinaryFuseFilter.from(['a']).cellBits).toBe(7);
  });

  it('is known before it is made, and refused if it cannot be built', () => {
    for (const count of [0, 1, 10, 1000, 2000]) {
      for (const options of [{}, { errorRate: 0.001 }, { fingerprintBits: 13, seed: 7 }]) {
        const { cellCount, cellBits, hashes, byteLength } = BinaryFuseFilter.from(range(0, count), options);
        expect(BinaryFuseFilter.sizeFor(count, options)).toEqual({ cellCount, cellBits, hashes, byteLength });
      }
    }
    const error = errorOf(() => BinaryFuseFilter.sizeFor(5e8));
    expect(error).toBeInstanceOf(FilterMemoryError);
    expect((error as FilterMemoryError).byteLength).toBeGreaterThan(2 ** 32);
    expect(() => BinaryFuseFilter.sizeFor(-1)).toThrow(/^count must be an integer/);
    expect(() => BinaryFuseFilter.sizeFor(1, { errorRate: 1e-10 })).toThrow(/^errorRate must be at least/);
  });
});
