// Of the built package, because threads run its files.

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { buildOnDisk, type DiskOptions, type DiskProgress, type EntrySink, type KeySink } from 'bloomery/disk';
import { FuseMap } from 'bloomery/fuse-map';
import { keyed } from 'bloomery/keyed';
import { ShardedFuseFilter } from 'bloomery/sharded-fuse';
import { describe, expect, it, vi } from 'vitest';
import { integersFrom } from '../../shared/integers.ts';
import { SECRET } from '../../shared/secret.ts';
import { startedIn } from '../started.ts';
import { file, folder, root } from './folders.ts';

const keys = integersFrom(0, 60_000);

/** Adds half of the keys, and then all of them. */
function fill(sink: KeySink): void {
  sink.addMany(keys.subarray(0, 30_000)).addMany(keys);
}

function build(options: DiskOptions) {
  return buildOnDisk(ShardedFuseFilter, fill, file, { folder, ...options });
}

describe('a filter that several threads build on a disk', () => {
  const all = [{ shards: 8, fingerprintBits: 3 }, {}, { shards: 2, errorRate: 1e-4 }, { shards: 256 }];
  it.each(all)('has the bytes of one that is built in memory: %j', async (options) => {
    const expected = ShardedFuseFilter.from(keys, options);
    const { shards, byteLength } = expected;
    const built = await build({ ...options, threads: 3 });
    expect(built).toMatchObject({ capacity: keys.length, shards, byteLength });
    expect(readFileSync(file).equals(expected.toBytes())).toBe(true);
  });

  it.each([
    { threads: 1, shards: 8, started: 0 },
    { threads: 2, shards: 8, started: 2 },
    { threads: 3, shards: 2, started: 2 },
  ])('starts $started threads for $shards shards, of $threads at most', async ({ started, ...options }) => {
    expect(await startedIn(() => build(options))).toBe(started);
  });

  it('leaves nothing, and lets the process end, when the work stops', async () => {
    const stop = vi.fn().mockThrow(new Error('stop'));
    rmSync(file, { force: true });
    await expect(build({ shards: 8, threads: 2, onProgress: stop })).rejects.toThrow(/^stop$/);
    // While shards are being built whose errors nobody waits for.
    const stopLater = ({ built }: DiskProgress) => built === 1 && stop();
    await expect(build({ shards: 8, threads: 2, onProgress: stopLater })).rejects.toThrow(/^stop$/);
    const controller = new AbortController();
    const { signal } = controller;
    const abort = () => controller.abort(new Error('enough'));
    await expect(build({ shards: 8, threads: 2, onProgress: abort, signal })).rejects.toThrow(/^enough$/);
    expect(readdirSync(root)).toEqual(['spill']);
    expect(process.getActiveResourcesInfo().filter((name) => name === 'MessagePort' || name === 'Worker')).toEqual([]);
  });
});

describe('a map that several threads build on a disk', () => {
  const values = keys.map((key) => key % 1000);
  const options = { folder, threads: 3, shards: 8 };

  it.each([FuseMap, keyed(FuseMap, SECRET)])('has the bytes of one that is built in memory: %o', async (Class) => {
    const expected = Class.from(keys, values, { shards: 8 });
    const fill = (entries: EntrySink) => entries.addMany(keys.subarray(9), values.subarray(9)).addMany(keys, values);
    const { byteLength, valueBits } = await buildOnDisk(Class, fill, file, options);
    expect({ byteLength, valueBits }).toEqual({ byteLength: expected.byteLength, valueBits: 10 });
    expect(readFileSync(file).equals(expected.toBytes())).toBe(true);
  });

  it('names both positions of a key that has two values', async () => {
    const fill = (entries: EntrySink) => entries.addMany(keys, values).addMany([1, 1002], [1, 3]);
    const error: unknown = await buildOnDisk(FuseMap, fill, file, options).catch((error) => error);
    expect(error).toBeInstanceOf(RangeError);
    expect(error).toMatchObject({
      positions: [1002, 60_001],
      values: [2, 3],
      message: expect.stringMatching(/ the value 2 of .* got 3$/),
    });
  });
});
