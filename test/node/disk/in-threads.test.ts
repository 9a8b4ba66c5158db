// Of the built package, because threads run its files.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOnDisk, type DiskOptions, type KeySink } from 'bloomery/disk';
import { ShardedFuseFilter } from 'bloomery/sharded-fuse';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { integersFrom } from '../../shared/integers.ts';

const root = mkdtempSync(join(tmpdir(), 'bloomery-test-'));
const folder = join(root, 'spill');
mkdirSync(folder);
const file = join(root, 'out.bloom');

afterEach(() => expect(readdirSync(folder), 'what is left of the temporary file').toEqual([]));
afterAll(() => rmSync(root, { recursive: true }));

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
    const workers: unknown[] = [];
    const take = (worker: unknown): number => workers.push(worker);
    process.on('worker', take);
    await build(options);
    process.off('worker', take);
    expect(workers).toHaveLength(started);
  });

  it('leaves nothing, and lets the process end, when the work stops', async () => {
    const stop = () => {
      throw new Error('stop');
    };
    rmSync(file, { force: true });
    await expect(build({ shards: 8, threads: 2, onProgress: stop })).rejects.toThrow(/^stop$/);
    const controller = new AbortController();
    const abort = () => controller.abort(new Error('enough'));
    await expect(build({ shards: 8, threads: 2, onProgress: abort, signal: controller.signal })).rejects.toThrow(
      /^enough$/,
    );
    expect(readdirSync(root)).toEqual(['spill']);
    expect(process.getActiveResourcesInfo().filter((name) => name === 'MessagePort' || name === 'Worker')).toEqual([]);
  });
});
