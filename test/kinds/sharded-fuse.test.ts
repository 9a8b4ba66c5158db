// What only the sharded fuse filter has: fuse filters side by side, and a number of them that follows from the keys.

import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { optimalFuseShards, ShardedFuseFilter } from '../../src/entries/sharded-fuse.ts';
import { HashedKeys } from '../../src/hash.ts';
import { FilterMemoryError } from '../../src/index.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';
import { buildShards, HashBuckets, MemoryStore, memoryFor, ShardBuilder } from '../../src/kinds/sharded-fuse-build.ts';
import { expectRate } from '../shared/binomial.ts';
import { integersFrom, range } from '../shared/integers.ts';
import { watched } from '../shared/open.ts';
import { bytesOf, murmur3 } from '../shared/oracle.ts';
import { Fuse } from '../shared/oracle-fuse.ts';
import { randomFrom } from '../shared/random.ts';

const shardCounts = [1, 2, 4, 32, 256] as const;

/** The body of a filter: what follows 64 bytes of header and 24 of parameters for each shard, padded. */
function bodyOf(filter: ShardedFuseFilter): Uint8Array {
  return filter.toBytes().subarray(64 + 64 * Math.ceil((24 * filter.shards) / 64));
}

/** The fuse filters of the shards, by the specification. */
function oracles(hashes: readonly bigint[], bits: number, shards: number): Fuse[] {
  return range(0, shards).map(
    (shard) =>
      new Fuse(
        hashes.filter((h1) => (h1 * BigInt(shards)) >> 64n === BigInt(shard)),
        bits,
      ),
  );
}

/** Their cells, each shard with as many as end at a byte. */
function bytesIn(shards: readonly Fuse[], bits: number): Uint8Array {
  return Buffer.concat(
    shards.map((fuse) => {
      const bytes = new Uint8Array(Math.ceil(fuse.cells.length / 8) * bits);
      bytes.set(fuse.bytes());
      return bytes;
    }),
  );
}

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

describe('a sharded fuse filter', () => {
  it('has the same bytes as the oracle, for any keys, width, seed and number of shards', () => {
    const keys = fc.array(fc.oneof(fc.string(), fc.integer(), fc.uint8Array()), { maxLength: 200 });
    const bits = fc.integer({ min: 1, max: 32 });
    const seed = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    fc.assert(
      fc.property(keys, bits, seed, fc.constantFrom(...shardCounts), (given, fingerprintBits, seed, shards) => {
        const hashes = given.map((key) => murmur3(bytesOf(key), seed)[0]);
        const all = oracles(hashes, fingerprintBits, shards);
        const filter = ShardedFuseFilter.from(given, { fingerprintBits, seed, shards });
        expect(Buffer.compare(bodyOf(filter), bytesIn(all, fingerprintBits))).toBe(0);
        expect(filter.estimateCount()).toBe(new Set(hashes).size);
        const asked = [...given, ...range(0, 50)];
        const flags = asked.map((key) => {
          const [h1] = murmur3(bytesOf(key), seed);
          return (all[Number((h1 * BigInt(shards)) >> 64n)] as Fuse).has(h1);
        });
        expect(asked.map((key) => filter.has(key))).toEqual(flags);
        expect([...filter.hasMany(asked)]).toEqual(flags.map(Number));
      }),
      { seed: 7, numRuns: 40 },
    );
  });

  it('has the same bytes whatever the order of its keys, their repetitions, shape and chunks', () => {
    const keys = integersFrom(0, 3 * CHUNK_KEYS);
    const mixed = keys.toSorted((one, other) => (one % 97) - (other % 97));
    for (const shards of [1, 8, 256]) {
      const options = { fingerprintBits: 5, shards };
      const filter = ShardedFuseFilter.from(keys, options);
      expect(filter.omit(keys)).toEqual(new Uint32Array(0));
      for (const same of [mixed, [...keys, ...mixed], BigUint64Array.from(keys, BigInt), new Set(mixed)]) {
        expect(Buffer.compare(ShardedFuseFilter.from(same, options).toBytes(), filter.toBytes())).toBe(0);
      }
    }
  });

  it('finds none in a shard without keys, but refuses what is not a key', () => {
    const one = ShardedFuseFilter.from(['a'], { fingerprintBits: 1, shards: 256 });
    const none = ShardedFuseFilter.from([], { fingerprintBits: 1, shards: 2 });
    const keys = range(0, 10_000);
    // Of the keys, one in 512 is in the shard of the key, and looks present there.
    expect(one.pick(keys).length).toBeLessThan(60);
    expect(none.hasMany(keys)).toEqual(new Uint8Array(10_000));
    expect(none).toMatchObject({ capacity: 0, errorRate: 0, shards: 2, cellCount: 32 });
    expect([none.estimateCount(), none.estimateErrorRate()]).toEqual([0, 0]);
    expect(() => none.has(null as never)).toThrow(TypeError);
  });

  it('knows its shards, its number of keys and its error rate', () => {
    const filter = ShardedFuseFilter.from(['a', 'b', 'a'], { errorRate: 0.02, shards: 4 });
    expect([filter.capacity, filter.estimateCount(), filter.fillRatio(), filter.shards]).toEqual([2, 2, 1, 4]);
    expect([filter.errorRate, filter.estimateErrorRate(), filter.cellBits]).toEqual([2 ** -6, 2 ** -6, 6]);
    expect(ShardedFuseFilter.from(['a'])).toMatchObject({ shards: 1, cellBits: 7 });
    const options = { breakLength: Infinity };
    const shown = `capacity: 2, errorRate: 0.015625, shards: 4, cellCount: 64, cellBits: 6, seed: 0, engine: 'wasm'`;
    expect(inspect(filter, options)).toBe(
      `ShardedFuseFilter { ${shown}, 'fillRatio()': 1, 'estimateErrorRate()': 0.0156 }`,
    );
  });

  it('is made only by from, and refuses wrong options', () => {
    const from = (options: unknown) => () => ShardedFuseFilter.from(['a'], options as { shards: number });
    for (const shards of [0, -1, 512, 2.5]) expect(from({ shards })).toThrow(/^shards must be/);
    for (const shards of [3, 12, 255]) {
      expect(from({ shards })).toThrow(new RangeError(`shards must be a power of two, got ${shards}`));
    }
    expect(from({ shards: '4' })).toThrow(TypeError);
    expect(from({ fingerprintBits: 33 })).toThrow(RangeError);
    expect(from({ fingerprintBits: 8, errorRate: 0.1 })).toThrow(/errorRate or fingerprintBits, got both/);
    expect(from({ shard: 4 })).toThrow(/^unknown option shard; did you mean shards/);
    const New = ShardedFuseFilter as unknown as new () => unknown;
    expect(() => new New()).toThrow(/use ShardedFuseFilter.from\(keys, options\)$/);
    expect('add' in ShardedFuseFilter.prototype).toBe(false);
  });

  it('tells the shard of a key, and refuses wrong arguments', () => {
    for (const shards of shardCounts) {
      for (const key of ['', 'a', 7, -1n, new Uint8Array(100), 'é'.repeat(50_000)]) {
        const shard = Number((murmur3(bytesOf(key), 3)[0] * BigInt(shards)) >> 64n);
        expect(ShardedFuseFilter.shardOf(key, { shards, seed: 3 })).toBe(shard);
      }
    }
    const shardOf = (key: unknown, options: unknown) => () =>
      ShardedFuseFilter.shardOf(key as string, options as { shards: number });
    expect(shardOf('a', { shards: 3 })).toThrow(/power of two/);
    expect(shardOf('a', {})).toThrow(/^shards must be/);
    expect(shardOf('a', { shards: 2, seed: -1 })).toThrow(/^seed must be/);
    expect(shardOf('a', { shards: 2, sed: 1 })).toThrow(/^unknown option sed/);
    expect(shardOf(null, { shards: 2 })).toThrow(TypeError);
  });

  it('builds all shards in one memory, and gives back all but their cells', () => {
    const { engine, regions } = watched(ShardedFuseFilter.engine);
    class Watched extends ShardedFuseFilter {
      static override readonly engine = engine as typeof ShardedFuseFilter.engine;
    }
    const keys = integersFrom(0, 100_000);
    const left = () => regions.filter(({ disposed }) => !disposed).map(({ byteLength }) => byteLength);
    const filter = Watched.from(keys, { fingerprintBits: 8, shards: 8 });
    expect(left().reduce((sum, length) => sum + length, 0)).toBe(filter.byteLength);
    expect(left()).toHaveLength(8);
    // Beside the shards, one for hashing, and one that is large enough for every shard: by chance, the first may not be.
    expect(regions.length).toBeLessThan(8 + 1 + 4);
    expect(Math.max(...regions.map(({ byteLength }) => byteLength))).toBeLessThan((1.1 * 14 * filter.cellCount) / 8);
    filter.dispose();
    const small = { ...engine, maxBytes: 100_000 } as typeof ShardedFuseFilter.engine;
    class Small extends ShardedFuseFilter {
      static override readonly engine = small;
    }
    expect(() => Small.from(keys, { shards: 2 })).toThrow(/^\d+ keys are too many: building their filter takes/);
    const uneven = hashesFrom(255, 20_000);
    expect(() => Small.from(uneven, { shards: 256 })).toThrow(/^20000 keys are too many/);
    expect(() => Watched.from(['a', null as never])).toThrow(/^keys\[1\] must be/);
    expect(left()).toEqual([]);
    expect(() => filter.has('a')).toThrow(/after dispose/);
  });

  it('takes hashes that all belong to one shard, in blocks that overflow', () => {
    const hashes = hashesFrom(200, 30_000);
    const filter = ShardedFuseFilter.from(hashes, { fingerprintBits: 8, shards: 256 });
    expect(filter.capacity).toBe(30_000);
    expect(filter.hasMany(hashes).every(Boolean)).toBe(true);
    // All other shards are empty.
    expect(filter.hasMany(hashesFrom(199, 5000))).toEqual(new Uint8Array(5000));
  });

  it.each([
    [1, 4, 2000],
    [4, 256, 20_000],
  ])('errs at a rate of 2^-%i with %i shards', (fingerprintBits, shards, count) => {
    const filter = ShardedFuseFilter.from(integersFrom(0, count), { fingerprintBits, shards });
    const trials = 100 * CHUNK_KEYS;
    expectRate(filter.pick(integersFrom(10 ** 8, trials)).length, trials, 2 ** -fingerprintBits, 1);
  });
});

describe('the number of shards', () => {
  it('is the least with which a shard has no more than 2^24 keys', () => {
    const shards = [0, 1, 2 ** 24, 2 ** 24 + 1, 2 ** 25, 2 ** 25 + 1, 10 ** 9, 2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1];
    expect(shards.map(optimalFuseShards)).toEqual([1, 1, 1, 2, 2, 4, 64, 256, 256, 256]);
    for (const count of [-1, 0.5, 2 ** 53]) expect(() => optimalFuseShards(count)).toThrow(/^count must be/);
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
    const builder = new ShardBuilder(ShardedFuseFilter.engine, 8);
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
    const { engine } = BinaryFuseFilter;
    const region = engine.reserve(1);
    const add = (hashes: HashBuckets, repeats: number): void => {
      const random = randomFrom(1);
      for (let i = 0; i < 20; i++) {
        const bytes = new Uint8Array(Uint32Array.from({ length: 4 * CHUNK_KEYS }, () => random(2 ** 32)).buffer);
        for (let j = 0; j < repeats; j++) {
          const { instance } = region;
          new Uint8Array(instance.memory.buffer, instance.scratch.hashes, bytes.length).set(bytes);
          hashes.add(instance, CHUNK_KEYS);
        }
      }
    };
    const once = new HashBuckets(new MemoryStore());
    expect(once.estimateDistinct()).toBe(0);
    add(once, 1);
    expect([once.count, once.estimateDistinct()]).toEqual([20 * CHUNK_KEYS, 20 * CHUNK_KEYS]);
    const thrice = new HashBuckets(new MemoryStore());
    add(thrice, 3);
    expect(thrice.count).toBe(60 * CHUNK_KEYS);
    expect(Math.abs(thrice.estimateDistinct() / (20 * CHUNK_KEYS) - 1)).toBeLessThan(0.08);
    expect(thrice.distinct(0, 256)).toEqual(once.distinct(0, 256).slice());
    region.dispose();
  });

  it('is not wrong because of a key that comes often, for which there need be no memory', () => {
    const region = BinaryFuseFilter.engine.reserve(1);
    const random = randomFrom(2);
    // A key of the first bucket, which the estimate is made of, and one of another are three quarters of all.
    const often = [0, 77].map((top) => hashesFrom(top, 1).bytes);
    const kept = new MemoryStore();
    let blocks = 0;
    const hashes = new HashBuckets({
      write: (bucket, block) => {
        blocks++;
        kept.write(bucket, block);
      },
      read: (bucket, target) => kept.read(bucket, target),
    });
    const chunks = 60;
    for (let i = 0; i < chunks; i++) {
      const bytes = new Uint8Array(Uint32Array.from({ length: 4 * CHUNK_KEYS }, () => random(2 ** 32)).buffer);
      for (let j = 0; j < CHUNK_KEYS; j++) if (j % 4 > 0) bytes.set(often[j & 1] as Uint8Array, 16 * j);
      const { instance } = region;
      new Uint8Array(instance.memory.buffer, instance.scratch.hashes, bytes.length).set(bytes);
      hashes.add(instance, CHUNK_KEYS);
    }
    const right = (chunks * CHUNK_KEYS) / 4 + 2;
    expect(hashes.count).toBe(chunks * CHUNK_KEYS);
    expect(hashes.distinct(0, 256)).toHaveLength(2 * right);
    expect(Math.abs(hashes.estimateDistinct() / right - 1)).toBeLessThan(0.1);
    expect(blocks).toBe(0);
    region.dispose();
  });

  it('says how much memory the hashes of a shard would take', () => {
    const words = 2 ** 53;
    for (const Buffer of [ArrayBuffer, SharedArrayBuffer]) {
      expect(() => memoryFor<ArrayBufferLike>(words, Buffer)).toThrow(FilterMemoryError);
      expect(() => memoryFor<ArrayBufferLike>(words, Buffer)).toThrow(
        /^no memory for 4548635623644201 hashes of a shard, \d/,
      );
      const some = memoryFor<ArrayBufferLike>(1000, Buffer);
      expect(some.buffer).toBeInstanceOf(Buffer);
      expect(some.length).toBe(1010);
    }
  });

  it('keeps the hash 0, and all others whose low words are equal or next to it', () => {
    const words = [
      [0, 0],
      [0, 1],
      [1, 0],
      [8192, 0],
      [8192, 0],
    ] as const;
    const region = BinaryFuseFilter.engine.reserve(1);
    const { instance } = region;
    const hashes = new HashBuckets(new MemoryStore());
    const at = new Uint32Array(instance.memory.buffer, instance.scratch.hashes, 4 * words.length);
    // The h1 that are mixed to these words.
    for (const [i, [low, high]] of words.entries()) {
      const h1 = unmixed((BigInt(high) << 32n) | BigInt(low));
      at.set([Number(h1 & 0xffffffffn), Number(h1 >> 32n)], 4 * i);
    }
    hashes.add(instance, words.length);
    const distinct = hashes.distinct(0, 256);
    const pairs = range(0, distinct.length / 2).map((i) => `${distinct.subarray(2 * i, 2 * i + 2)}`);
    expect(pairs.sort()).toEqual([...new Set(words.map(String))].sort());
    region.dispose();
  });

  it('gives about the size of a filter before it is made', () => {
    for (const [count, options] of [
      [200_000, { fingerprintBits: 9, shards: 1 }],
      [200_000, { fingerprintBits: 8, shards: 2 }],
    ] as const) {
      const filter = ShardedFuseFilter.from(integersFrom(0, count), options);
      const size = ShardedFuseFilter.sizeFor(count, options);
      expect(size).toMatchObject({ cellBits: filter.cellBits, hashes: 3, shards: filter.shards });
      expect(Math.abs(size.byteLength / filter.byteLength - 1)).toBeLessThan(0.02);
    }
    const billion = ShardedFuseFilter.sizeFor(10 ** 9, { fingerprintBits: 8 });
    expect(billion.shards).toBe(64);
    expect((8 * billion.byteLength) / 10 ** 9).toBeLessThan(9);
    expect(() => ShardedFuseFilter.sizeFor(10 ** 9, { shards: 1 })).toThrow(/keys are too many/);
    for (const count of [-1, 0.5]) expect(() => ShardedFuseFilter.sizeFor(count)).toThrow(/^count must be/);
  });
});
