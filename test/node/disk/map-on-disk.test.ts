// Maps that are built on a disk. What they share with filters is tested with those.

import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { buildOnDisk, type DiskMapOptions, type DiskProgress, type EntrySink } from '../../../src/entries/disk.ts';
import { FuseMap } from '../../../src/entries/fuse-map.ts';
import { HashedKeys } from '../../../src/entries/hash.ts';
import { addLines } from '../../../src/index.ts';
import { MemoryStore } from '../../../src/kinds/fuse/sharded/build.ts';
import { ValueBuckets } from '../../../src/kinds/fuse-map/values.ts';
import { errorOf } from '../../format/saved.ts';
import { integersFrom, range } from '../../shared/integers.ts';
import { randomFrom } from '../../shared/random.ts';
import { file, folder } from './folders.ts';

const keys = integersFrom(0, 5000);
const values = keys.map((key) => key % 300);
const build = (fill: (entries: EntrySink) => unknown, options: DiskMapOptions = {}) =>
  buildOnDisk(FuseMap, fill, file, { folder, ...options });

function expectFile(map: FuseMap): void {
  expect(Buffer.compare(readFileSync(file), map.toBytes())).toBe(0);
}

describe('a map that is built on a disk', () => {
  it('has the bytes of one that is built in memory, whatever the order and the parts of its keys', async () => {
    for (const options of [{ shards: 8 }, {}, { fingerprintBits: 0, shards: 256 }, { errorRate: 1e-3 }]) {
      const map = FuseMap.from(keys, values, options);
      const built = await build((entries) => entries.addMany(keys, values), options);
      expectFile(map);
      const { kind, capacity, errorRate, seed, cellCount, cellBits, valueBits, byteLength, shards } = map;
      expect(built).toEqual({ kind, capacity, errorRate, seed, cellCount, cellBits, valueBits, byteLength, shards });
      const inParts = async (entries: EntrySink) => {
        for (let at = 4000; at >= 0; at -= 1000) {
          await null;
          entries.addMany(keys.subarray(at, at + 1000), values.subarray(at, at + 1000));
          // Again, near the first time and far from it, and with values in another array.
          entries.addMany(new Set(keys.subarray(at, at + 10)), [...values.subarray(at, at + 10)]);
        }
        entries.addMany(keys, Uint16Array.from(values));
      };
      await build(inParts, options);
      expectFile(map);
    }
  });

  it('keeps blocks of keys and values in the temporary file', async () => {
    // Their h1 begin with two different bytes; so many are more than a block has.
    const random = randomFrom(5);
    const bytes = Uint8Array.from({ length: 16 * 40_000 }, (_, i) => (i % 16 === 7 ? (i & 16) << 3 : random(256)));
    const hashes = new HashedKeys(bytes, 0);
    const own = range(0, hashes.length);
    for (const options of [{ shards: 2 }, {}]) {
      await build((entries) => entries.addMany(hashes, own), options);
      expectFile(FuseMap.from(hashes, own, options));
    }
  });

  it('does not keep a key each time that it comes, and counts it', async () => {
    const told: DiskProgress[] = [];
    const often = new Uint32Array(600_000).fill(7);
    const fill = (entries: EntrySink) => entries.addMany(often, often).addMany(often, often).addMany([9], [0]);
    const placed = vi.spyOn(ValueBuckets.prototype as object as { placeIn(): number }, 'placeIn');
    await build(fill, { onProgress: (progress) => told.push(progress) });
    expect(placed).toHaveBeenCalledTimes(2);
    expectFile(FuseMap.from([7, 9], [7, 0]));
    expect(told.map(({ keys }) => keys).slice(1)).toEqual([1_200_001, 1_200_001]);
  });

  it('names both positions of a key that has two values, among all keys', async () => {
    const fill = (entries: EntrySink) => entries.addMany(keys, values).addMany([5000, 21, 21, 22], [1, 21, 21, 20]);
    for (const options of [{}, { shards: 16 }]) {
      const expected = {
        positions: [22, 5003],
        values: [22, 20],
        message: expect.stringMatching(/^keys\[5003\] must have the value 22 of keys\[22\],.* got 20$/),
      };
      await expect(build(fill, options)).rejects.toMatchObject(expected);
    }
    const near = (entries: EntrySink) => entries.addMany(['a', 'a', 'a'], [1, 1, 2]);
    await expect(build(near)).rejects.toMatchObject({ positions: [0, 2], values: [1, 2] });
  });

  it('has no keys, and no values then', async () => {
    expect(await build(async () => {}, { shards: 2 })).toMatchObject({ capacity: 0, errorRate: 0, valueBits: 1 });
    expectFile(FuseMap.from([], [], { shards: 2 }));
  });

  it.each<[RegExp, (entries: EntrySink) => unknown, DiskMapOptions?]>([
    [/^values must be an array of integers, got undefined$/, (to) => addLines(to as never, new Blob(['a\n']))],
    [/^values\[1\] must be an integer from 0/, (entries) => entries.addMany(['a', 'b'], [1, -1])],
    [/^values must have one for each key, got 1 for 2 keys or more$/, (entries) => entries.addMany(['a', 'b'], [1])],
    [/^errorRate must be at least 2\^-31 with values of 1 bits/, () => expect.unreachable(), { fingerprintBits: 32 }],
  ])('refuses wrong keys, values and options: %s', async (saying, fill, options) => {
    await expect(build(fill, options)).rejects.toThrow(saying);
  });

  it('takes no more keys than there are positions', async () => {
    const placed = vi.spyOn(ValueBuckets.prototype as object as { placeIn(): number }, 'placeIn');
    const { addAll } = ValueBuckets.prototype;
    vi.spyOn(ValueBuckets.prototype, 'addAll').mockImplementation(function (this: ValueBuckets, ...args) {
      this.count = 2 ** 32 - 1;
      addAll.apply(this, args);
    });
    await build((entries) => entries.addMany(['a'], [1]));
    const tooMany = build((entries) => entries.addMany(['a', 'b'], [1, 2]));
    await expect(tooMany).rejects.toThrow(/^a map is built of at most 4294967296 keys$/);
    expect(placed).toHaveBeenCalledTimes(1);
  });

  it('refuses values that leave no room for the error rate before it adds them, and goes on with others', async () => {
    const refused: string[] = [];
    const refuse = (add: () => unknown) => refused.push(errorOf(add).message.replace(/,.*/, ''));
    const fill = (entries: EntrySink) => {
      entries.addMany(['a'], [1]);
      refuse(() => entries.addMany(['b'], [2 ** 30]));
      refuse(() => entries.addMany(['c', null as never], [3, 255]));
      refuse(() => entries.addMany(['d'], [4, 255]));
    };
    await build(fill);
    expect(refused).toEqual([
      'errorRate must be at least 2^-1 with values of 31 bits',
      expect.stringMatching(/^keys\[1\] must be/),
      'values must have one for each key',
    ]);
    // Keys before a wrong one have been added.
    expectFile(FuseMap.from(['a', 'c', 'd'], [1, 3, 4]));
  });
});

it('estimates the number of distinct keys, however many words they have when they are sorted', () => {
  const { engine } = FuseMap;
  const region = engine.reserve(1);
  for (const stored of [undefined, values]) {
    const buckets = new ValueBuckets(engine, new MemoryStore(), stored);
    buckets.addAll(region, 0, keys, values);
    expect(buckets.estimateDistinct()).toBe(keys.length);
  }
  region.dispose();
});
