// What only fuse filters and maps can do that are not loaded: one shard of a filter is loaded, and a map gives its values.

import { describe, expect, it } from 'vitest';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { FuseMap } from '../../src/entries/fuse-map.ts';
import { BinaryFuseFilter as JsBinaryFuseFilter } from '../../src/entries/js/fuse.ts';
import { keyed } from '../../src/entries/keyed.ts';
import { blobSource, loadShard, openFilter } from '../../src/entries/open.ts';
import { ShardedFuseFilter } from '../../src/entries/sharded-fuse.ts';
import { BloomFilter } from '../../src/index.ts';
import { forge, viewOf } from '../format/saved.ts';
import { integersFrom, range } from '../shared/integers.ts';
import { classOn, watched } from '../shared/open.ts';
import { SECRET } from '../shared/secret.ts';
import { countingSource } from './filters.ts';

const keys = range(0, 3000).map((i) => `key ${i}`);

describe('loading one shard', () => {
  it('gives the fuse filter of the keys in it', async () => {
    for (const [shards, fingerprintBits, seed] of [
      [1, 8, 0],
      [4, 1, 7],
      [16, 13, 2 ** 32 - 1],
      [256, 32, 1],
    ] as const) {
      const file = ShardedFuseFilter.from(keys, { shards, fingerprintBits, seed }).toBytes();
      for (const index of [0, shards >> 1, shards - 1]) {
        const source = countingSource(file);
        const filter = await loadShard(BinaryFuseFilter, index, source);
        const own = keys.filter((key) => ShardedFuseFilter.shardOf(key, { shards, seed }) === index);
        expect(filter.toBytes()).toEqual(BinaryFuseFilter.from(own, { fingerprintBits, seed }).toBytes());
        expect(filter.hasMany(own).every(Boolean)).toBe(true);
        expect(source.closes).toBe(1);
        // The head, in one or two parts, and the shard.
        expect(source.reads.length).toBeLessThanOrEqual(3);
        const twin = await loadShard(JsBinaryFuseFilter, index, countingSource(file));
        expect(twin.toBytes()).toEqual(filter.toBytes());
        filter.dispose();
      }
    }
    const file = ShardedFuseFilter.from(['ada'], { shards: 2 }).toBytes();
    const rates = [0, 1].map(
      async (index) => (await loadShard(BinaryFuseFilter, index, countingSource(file))).errorRate,
    );
    expect((await Promise.all(rates)).toSorted()).toEqual([0, 2 ** -7]);
  });

  it('reads no more than 1 MiB at a time, and takes a promise of a source', async () => {
    const all = integersFrom(0, 600_000);
    const large = ShardedFuseFilter.from(all, { fingerprintBits: 32, shards: 2 });
    const source = countingSource(large.toBytes());
    const one = await loadShard(BinaryFuseFilter, 0, Promise.resolve(source));
    expect(Math.max(...source.reads.map(([, length]) => length))).toBe(2 ** 20);
    const other = await loadShard(BinaryFuseFilter, 1, blobSource(new Blob([large.toBytes()])));
    expect(one.capacity + other.capacity).toBe(all.length);
    expect(one.pick(all).length + other.pick(all).length).toBe(all.length);
  });

  it('refuses wrong arguments and other files, closes the source and keeps no memory', async () => {
    const { engine, regions } = watched(BinaryFuseFilter.engine);
    const Watched = classOn(BinaryFuseFilter, engine);
    const file = ShardedFuseFilter.from(keys.slice(0, 3), { shards: 4, fingerprintBits: 1 }).toBytes();
    const refused = async (bytes: Uint8Array, index: unknown, saying: RegExp, Class: unknown = Watched) => {
      const source = countingSource(bytes);
      await expect(loadShard(Class as typeof BinaryFuseFilter, index as number, source)).rejects.toThrow(saying);
      expect(source.closes).toBe(1);
    };
    await refused(file, 4, /^index must be/);
    await refused(file, 0, /^Class must be BinaryFuseFilter/, BloomFilter);
    await refused(file.subarray(0, file.length - 1), 0, /it has \d+ of \d+ bytes/);
    await refused(file.subarray(0, 100), 0, /it has 100 of/);
    await refused(new Uint8Array(0), 0, /it has 0 of 64 bytes/);
    await refused(BinaryFuseFilter.from(keys).toBytes(), 0, /it is a fuse filter, and not a sharded-fuse one/);
    // Shard 1 has 12 cells of 1 bit, so the high half of its second byte is unused.
    const cells = viewOf(file).getUint32(64 + 24 + 4, true);
    expect([viewOf(file).getUint32(64 + 24, true), cells]).toEqual([2, 1]);
    const damaged = forge(file, (view) => view.setUint8(192 + 2 + 1, 0xf0));
    await refused(damaged, 1, /its padding bits are not zero/);
    expect(() => ShardedFuseFilter.fromBytes(damaged)).toThrow(/the padding bits of shard 1 are not zero/);
    await expect(loadShard(Watched, 0, {} as never)).rejects.toThrow(/^source must be/);
    await expect(loadShard(Watched, 0, countingSource(file), { sgnal: 1 } as never)).rejects.toThrow(/^unknown option/);
    expect(regions.every(({ disposed }) => disposed)).toBe(true);
  });

  it('stops reading the shard when the signal aborts', async () => {
    const source = countingSource(ShardedFuseFilter.from(keys, { shards: 2 }).toBytes());
    const read: typeof source.read = (offset, length) =>
      offset === 0 ? source.read(offset, length) : new Promise(() => controller.abort(new Error('enough')));
    const controller = new AbortController();
    const loading = loadShard(BinaryFuseFilter, 0, { ...source, read }, controller);
    await expect(loading).rejects.toThrow('enough');
    expect(source.closes).toBe(1);
  });

  it('refuses a shard that is larger than a filter can be, before it reads it', async () => {
    // As long as what is read of the head.
    const file = new Uint8Array(512);
    file.set(ShardedFuseFilter.from([], { shards: 2, fingerprintBits: 32 }).toBytes());
    // The first shard has 2^32 - 2^18 cells of four bytes, the second 12 cells, which take 16.
    const [segments, cells] = [2 ** 14 - 3, 2 ** 32 - 2 ** 18];
    const view = viewOf(file);
    view.setUint32(64, 18, true);
    view.setUint32(68, segments, true);
    view.setBigUint64(16, BigInt(cells + 16), true);
    view.setBigUint64(48, BigInt(4 * (cells + 16)), true);
    const source = countingSource(file);
    const large = { ...source, size: 128 + 4 * (cells + 16) };
    await expect(loadShard(BinaryFuseFilter, 0, large)).rejects.toThrow(/^a shard of 17.* is too large: at most/);
    expect(source.reads).toHaveLength(1);
  });
});

it('a shard of a filter with a secret needs the secret', async () => {
  const Sharded = keyed(ShardedFuseFilter, SECRET);
  const Fuse = keyed(BinaryFuseFilter, SECRET);
  const file = Sharded.from(keys, { shards: 8 }).toBytes();
  const shard = Sharded.shardOf('key 7', { shards: 8 });
  expect((await loadShard(Fuse, shard, countingSource(file))).has('key 7')).toBe(true);
  await expect(loadShard(BinaryFuseFilter, shard, countingSource(file))).rejects.toMatchObject({ code: 'SECRET' });
});

const absent = Array.from({ length: 3000 }, (_, i) => `absent ${i}`);

// test/fuzz/readers/maps.ts has values and fingerprints of all widths.
it('a map in its file has the values that it has in memory, in three reads for each', async () => {
  const values = keys.map((_, i) => (i * 7919) % 2 ** 31);
  const map = FuseMap.from(keys, values, { fingerprintBits: 1, shards: 2 });
  const source = countingSource(map.toBytes(), { gap: 0 });
  const opened = await openFilter([FuseMap], source);
  const asked = [...absent, ...keys];
  expect(await opened.getMany(asked)).toEqual(map.getMany(asked));
  expect(await opened.hasMany(asked)).toEqual(map.hasMany(asked));
  expect(await opened.omit(asked)).toEqual(map.omit(asked));
  for (let i = 0; i < 50; i++) {
    const before = source.reads.length;
    expect(await opened.get(keys[i] as string)).toBe(values[i]);
    expect(source.reads.length - before).toBeLessThanOrEqual(3);
    expect(await opened.get(absent[i] as string)).toBe(map.get(absent[i] as string));
  }
  expect(opened.parameters).toMatchObject({ kind: 'fuse-map', reads: 3, shards: 2 });
  await opened.close();
  await expect(opened.get('a')).rejects.toThrow(TypeError);
});

it('no key has a value in a shard without keys, and no other kind has values', async () => {
  const map = FuseMap.from(['a'], [2 ** 32 - 2], { fingerprintBits: 0, shards: 256 });
  const opened = await openFilter([FuseMap], countingSource(map.toBytes()));
  expect(await opened.get('a')).toBe(2 ** 32 - 2);
  expect(await opened.getMany(keys)).toEqual(map.getMany(keys));
  expect(await Promise.all(absent.slice(0, 20).map((key) => opened.get(key)))).toEqual(
    absent.slice(0, 20).map((key) => map.get(key)),
  );
  const none = await openFilter([FuseMap], countingSource(FuseMap.from([], []).toBytes()));
  expect(none.parameters).toMatchObject({ capacity: 0, errorRate: 0 });
  const filter = await openFilter([BinaryFuseFilter], countingSource(BinaryFuseFilter.from(['a']).toBytes()));
  for (const lookup of [() => filter.get('a'), () => filter.getMany(['a'])]) {
    await expect(lookup()).rejects.toThrow(/^only a map has values, and this is a fuse filter$/);
  }
  await expect(opened.get(null as never)).rejects.toThrow(/^key must be/);
});
