// What only the fuse filters have: all their keys at once, cells of any width, and shards side by side, whose number follows
// from the keys.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BinaryFuseFilter, optimalFuseCells, optimalFuseFingerprintBits } from '../../src/entries/fuse.ts';
import { HashedKeys } from '../../src/entries/hash.ts';
import { keyed } from '../../src/entries/keyed.ts';
import { optimalFuseShards, ShardedFuseFilter } from '../../src/entries/sharded-fuse.ts';
import { FilterMemoryError, type Key, type Keys } from '../../src/index.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';
import { buildCells, fingerprintsOf } from '../../src/kinds/fuse/build.ts';
import { buildShards, HashBuckets, MemoryStore, memoryFor, ShardBuilder } from '../../src/kinds/fuse/sharded/build.ts';
import { fuseLayout } from '../../src/kinds/fuse/sizing.ts';
import { bodyOf, errorOf } from '../format/saved.ts';
import { integersFrom, range } from '../shared/integers.ts';
import type { AnyClass } from '../shared/kinds.ts';
import { classOn, watched } from '../shared/open.ts';
import { bytesOf, murmur3 } from '../shared/oracle.ts';
import { Fuse, fuseLayoutOf, ShardedFuse } from '../shared/oracle-fuse.ts';
import { randomFrom } from '../shared/random.ts';
import { SECRET } from '../shared/secret.ts';

const keys = fc.array(fc.oneof(fc.string(), fc.integer(), fc.uint8Array()), { maxLength: 300 });
const bits = fc.integer({ min: 1, max: 32 });
const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe('a binary fuse filter', () => {
  it('has the same bytes as the oracle, for any keys, width and seed', () => {
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

  it('without keys finds none, in shards or not, but refuses what is not a key', () => {
    const sharded = ShardedFuseFilter.from([], { fingerprintBits: 1, shards: 2 });
    const whole = [1, 8, 32].map((fingerprintBits) => BinaryFuseFilter.from([], { fingerprintBits }));
    for (const filter of [sharded, ...whole]) {
      expect(filter.hasMany(range(0, 10_000))).toEqual(new Uint8Array(10_000));
      expect(range(0, 1000).some((key) => filter.has(key))).toBe(false);
      expect(filter).toMatchObject({ capacity: 0, errorRate: 0, cellCount: filter === sharded ? 32 : 12 });
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
    expect(() => BinaryFuseFilter.sizeFor(1, { errorRate: 0 })).toThrow(/^errorRate must be a number/);
  });
});

const shardCounts = [1, 2, 4, 32, 256] as const;

/** The h1 that is mixed to these 64 bits at the first attempt. */
function unmixed(mixed: bigint): bigint {
  const undo = (k: bigint, factor: bigint): bigint => BigInt.asUintN(64, (k ^ (k >> 33n)) * factor);
  const k = undo(undo(mixed, 0x9cb4b2f8129337dbn), 0x4f74430c22a54005n);
  return BigInt.asUintN(64, (k ^ (k >> 33n)) - 0x9e3779b97f4a7c15n);
}

/** Random hashes whose h1 begins with this byte. */
function hashesFrom(top: number, count: number): HashedKeys {
  const random = randomFrom(top);
  const bytes = Uint8Array.from({ length: 16 * count }, (_, i) => (i % 16 === 7 ? top : random(256)));
  return new HashedKeys(bytes, 0);
}

/** The words of random hashes of a chunk. */
function randomWords(random: (limit: number) => number): Uint32Array {
  return Uint32Array.from({ length: 4 * CHUNK_KEYS }, () => random(2 ** 32));
}

/** Gives hashes to buckets, from a scratch. */
function feed(hashes: HashBuckets, words: Uint32Array): void {
  const region = ShardedFuseFilter.engine.reserve(1);
  const { instance } = region;
  new Uint32Array(instance.memory.buffer, instance.scratch.hashes, words.length).set(words);
  hashes.add(instance, words.length / 4);
  region.dispose();
}

describe('a sharded fuse filter', () => {
  it('has the same bytes as the oracle, for any keys, width, seed and number of shards', () => {
    const numbers = fc.constantFrom(...shardCounts);
    const property = fc.property(keys, bits, seeds, numbers, (given, fingerprintBits, seed, shards) => {
      const h1Of = (key: Key): bigint => murmur3(bytesOf(key), seed)[0];
      const hashes = given.map(h1Of);
      const all = new ShardedFuse(hashes, shards, fingerprintBits);
      const filter = ShardedFuseFilter.from(given, { fingerprintBits, seed, shards });
      expect(Buffer.compare(bodyOf(filter), all.bytes())).toBe(0);
      expect(filter.estimateCount()).toBe(new Set(hashes).size);
      const asked = [...given, ...range(0, 50)];
      const flags = asked.map(h1Of).map((h1) => all.of(h1).has(h1));
      expect(asked.map((key) => filter.has(key))).toEqual(flags);
      expect([...filter.hasMany(asked)]).toEqual(flags.map(Number));
    });
    fc.assert(property, { seed: 7, numRuns: 40 });
  });

  it('tells the shard of a key, and refuses wrong arguments', () => {
    for (const shards of shardCounts) {
      for (const key of ['', 'a', 7, -1n, new Uint8Array(100), 'é'.repeat(50_000)]) {
        const shard = Number((murmur3(bytesOf(key), 3)[0] * BigInt(shards)) >> 64n);
        expect(ShardedFuseFilter.shardOf(key, { shards, seed: 3 })).toBe(shard);
      }
    }
    for (const [key, options, message] of [
      ['a', { shards: 3 }, /power of two/],
      ['a', {}, /^shards must be/],
      ['a', { shards: 2, seed: -1 }, /^seed must be/],
      ['a', { shards: 2, sed: 1 }, /^unknown option sed/],
      [null, { shards: 2 }, /^key must be/],
    ] as [never, never, RegExp][]) {
      expect(() => ShardedFuseFilter.shardOf(key, options)).toThrow(message);
    }
    const { engine, left } = watched(ShardedFuseFilter.engine);
    expect(classOn(ShardedFuseFilter, engine).shardOf('a', { shards: 1 })).toBe(0);
    expect(keyed(ShardedFuseFilter, SECRET).shardOf('a', { shards: 1 })).toBe(0);
    expect(left()).toEqual([]);
  });

  it('builds all shards in one memory, and gives back all but their cells', () => {
    const { engine, regions, left } = watched(ShardedFuseFilter.engine);
    const Watched = classOn(ShardedFuseFilter, engine);
    const keys = integersFrom(0, 100_000);
    const filter = Watched.from(keys, { fingerprintBits: 8, shards: 8 });
    expect(left().reduce((sum, length) => sum + length, 0)).toBe(filter.byteLength);
    expect(left()).toHaveLength(8);
    // Beside the shards, one for hashing, and one that is large enough for every shard: by chance, the first may not be.
    expect(regions.length).toBeLessThan(8 + 1 + 4);
    expect(Math.max(...regions.map(({ byteLength }) => byteLength))).toBeLessThan((1.1 * 14 * filter.cellCount) / 8);
    filter.dispose();
    const Small = classOn(ShardedFuseFilter, { ...engine, maxBytes: 100_000 });
    expect(() => Small.from(keys, { shards: 2 })).toThrow(/^\d+ keys are too many: building their filter takes/);
    expect(() => Small.from(hashesFrom(255, 20_000), { shards: 256 })).toThrow(/^20000 keys are too many/);
    expect(() => Watched.from(['a', null as never])).toThrow(/^keys\[1\] must be/);
    expect(left()).toEqual([]);
  });

  it('takes hashes that all belong to one shard, in blocks that overflow', () => {
    const hashes = hashesFrom(200, 30_000);
    const filter = ShardedFuseFilter.from(hashes, { fingerprintBits: 8, shards: 256 });
    expect(filter.capacity).toBe(30_000);
    expect(filter.hasMany(hashes).every(Boolean)).toBe(true);
    // All other shards are empty.
    expect(filter.hasMany(hashesFrom(199, 5000))).toEqual(new Uint8Array(5000));
  });
});

describe('the number of shards', () => {
  it('is the least with which a shard has no more than 2^24 keys', () => {
    const shards = [0, 1, 2 ** 24, 2 ** 24 + 1, 2 ** 25, 2 ** 25 + 1, 10 ** 9, 2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1];
    expect(shards.map(optimalFuseShards)).toEqual([1, 1, 1, 2, 2, 4, 64, 256, 256, 256]);
    for (const count of [-1, 0.5, 2 ** 53]) expect(() => optimalFuseShards(count)).toThrow(/^count must be/);
    expect(ShardedFuseFilter.from(['a'])).toMatchObject({ shards: 1, cellBits: 7 });
    expect(ShardedFuseFilter.from([], { shards: 2 }).shards).toBe(2);
  });

  it('is that for the distinct keys, even if duplicates made it look larger', () => {
    const sets = [Uint32Array.of(1, 1, 2, 2), Uint32Array.of(3, 3)];
    const asked: string[] = [];
    const hashes = {
      estimateDistinct: () => 2 ** 24 + 1,
      distinct(from: number, to: number) {
        asked.push(`${from} ${to}`);
        return to === 256 && from > 0 ? (sets[1] as Uint32Array) : (sets[0] as Uint32Array);
      },
    };
    const builder = new ShardBuilder(ShardedFuseFilter.engine, fingerprintsOf(8));
    const build = (wanted?: number): string[] => {
      const done: string[] = [];
      const begin = (shards: number): void => void done.push(`${shards} begun`);
      for (const { index, shards } of buildShards(builder, hashes, wanted, begin)) done.push(`${index} of ${shards}`);
      return done;
    };
    expect(build()).toEqual(['2 begun', '0 of 2', '1 of 2', '1 begun', '0 of 1']);
    expect(asked).toEqual(['0 128', '128 256', '0 256']);
    expect(build(2)).toEqual(['2 begun', '0 of 2', '1 of 2']);
    builder.dispose();
  });

  it('is estimated from the share of duplicates, exactly if there are none', () => {
    const [once, thrice] = [new HashBuckets(new MemoryStore()), new HashBuckets(new MemoryStore())];
    expect(once.estimateDistinct()).toBe(0);
    const random = randomFrom(1);
    const count = 10 * CHUNK_KEYS;
    for (let i = 0; i < 10; i++) {
      const words = randomWords(random);
      feed(once, words);
      for (let times = 0; times < 3; times++) feed(thrice, words);
    }
    expect([once.count, once.estimateDistinct(), thrice.count]).toEqual([count, count, 3 * count]);
    expect(Math.abs(thrice.estimateDistinct() / count - 1)).toBeLessThan(0.08);
    expect(thrice.distinct(0, 256)).toEqual(once.distinct(0, 256).slice());
  });

  it('is not wrong because of a key that comes often, for which there need be no memory', () => {
    const random = randomFrom(2);
    // A key of the first bucket, which the estimate is made of, and one of another are three quarters of all.
    const often = [0, 77].map((top) => new Uint32Array(hashesFrom(top, 1).bytes.buffer));
    const kept = new MemoryStore();
    let blocks = 0;
    const write: MemoryStore['write'] = (bucket, block) => {
      blocks++;
      kept.write(bucket, block);
    };
    const hashes = new HashBuckets({ write, read: (bucket, target) => kept.read(bucket, target) });
    for (let chunk = 0; chunk < 60; chunk++) {
      const words = randomWords(random);
      for (let j = 0; j < CHUNK_KEYS; j++) if (j % 4 > 0) words.set(often[j & 1] as Uint32Array, 4 * j);
      feed(hashes, words);
    }
    const right = (60 * CHUNK_KEYS) / 4 + 2;
    expect(hashes.count).toBe(60 * CHUNK_KEYS);
    expect(hashes.distinct(0, 256)).toHaveLength(2 * right);
    expect(Math.abs(hashes.estimateDistinct() / right - 1)).toBeLessThan(0.1);
    expect(blocks).toBe(0);
  });

  it('says how much memory the hashes of a shard would take', () => {
    for (const Buffer of [ArrayBuffer, SharedArrayBuffer]) {
      const error = errorOf(() => memoryFor<ArrayBufferLike>(2 ** 53, Buffer));
      expect(error).toBeInstanceOf(FilterMemoryError);
      expect(error.message).toMatch(/^no memory for a shard of 9007199254740992 words, \d/);
      const some = memoryFor<ArrayBufferLike>(1000, Buffer);
      expect(some.buffer).toBeInstanceOf(Buffer);
      expect(some.length).toBe(1010);
    }
  });

  it('keeps the hash 0, and all others whose low words are equal or next to it', () => {
    const mixed = [0n, 1n << 32n, 1n, 8192n, 8192n];
    const hashes = new HashBuckets(new MemoryStore());
    const h1s = mixed.map(unmixed);
    feed(hashes, new Uint32Array(BigUint64Array.from(h1s.flatMap((h1) => [h1, 0n])).buffer));
    const distinct = new BigUint64Array(hashes.distinct(0, 256).slice().buffer);
    expect([...distinct].sort()).toEqual([...new Set(mixed)].sort());
  });

  it('gives about the size of a filter before it is made', () => {
    for (const options of [
      { fingerprintBits: 9, shards: 1 },
      { fingerprintBits: 8, shards: 2 },
    ]) {
      const { cellBits, shards, byteLength } = ShardedFuseFilter.from(integersFrom(0, 200_000), options);
      const size = ShardedFuseFilter.sizeFor(200_000, options);
      expect(size).toMatchObject({ cellBits, hashes: 3, shards });
      expect(Math.abs(size.byteLength / byteLength - 1)).toBeLessThan(0.02);
    }
    const billion = ShardedFuseFilter.sizeFor(10 ** 9, { fingerprintBits: 8 });
    expect(billion.shards).toBe(64);
    expect(ShardedFuseFilter.sizeFor(3e9).shards).toBe(256);
    expect((8 * billion.byteLength) / 10 ** 9).toBeLessThan(9);
    expect(() => ShardedFuseFilter.sizeFor(10 ** 9, { shards: 1 })).toThrow(/keys are too many/);
    for (const count of [-1, 0.5]) {
      for (const shards of [1, undefined]) {
        expect(() => ShardedFuseFilter.sizeFor(count, { shards })).toThrow(/^count must be/);
      }
    }
  });
});
