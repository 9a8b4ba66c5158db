import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { buildOnDisk, type DiskProgress } from '../../../src/entries/disk.ts';
import { ShardedFuseFilter } from '../../../src/entries/sharded-fuse.ts';
import type { Engine } from '../../../src/kernel/region.ts';
import { buildShards, type HashBuckets, ShardBuilder } from '../../../src/kinds/fuse/sharded/build.ts';
import { SpillFile } from '../../../src/node/disk/spill-file.ts';
import { integersFrom } from '../../shared/integers.ts';

// Builds four shards first, and then two, as if the hashes had seemed to be many more.
vi.mock('../../../src/node/parallel/shard-threads.ts', () => ({
  async *buildInThreads(
    _: number,
    { bits }: { bits: number },
    hashes: HashBuckets,
    _wanted: unknown,
    begin: (shards: number) => void,
  ) {
    const builder = new ShardBuilder(ShardedFuseFilter.engine as Engine, bits);
    for (const wanted of [4, 2]) {
      for (const { filled, ...shard } of buildShards(builder, hashes, wanted, begin)) {
        yield { ...shard, cells: builder.view(filled) };
      }
    }
    builder.dispose();
  },
}));

it('a filter that is built on a disk has the shards of the last number that seemed right', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bloomery-test-'));
  const file = join(folder, 'out.bloom');
  const keys = integersFrom(0, 20_000);
  const told: DiskProgress[] = [];
  const options = { folder, threads: 2, onProgress: (progress: DiskProgress) => told.push(progress) };
  const drop = vi.spyOn(SpillFile.prototype, 'dropShards');
  await buildOnDisk(ShardedFuseFilter, (sink) => sink.addMany(keys), file, options);
  const expected = ShardedFuseFilter.from(keys, { shards: 2 }).toBytes();
  expect(Buffer.compare(readFileSync(file), expected)).toBe(0);
  expect(told.map(({ built, shards }) => `${built}/${shards}`)).toEqual([
    ...['0/4', '1/4', '2/4', '3/4', '4/4'],
    ...['0/2', '1/2', '2/2'],
  ]);
  expect(drop).toHaveBeenCalledTimes(2);
  rmSync(folder, { recursive: true });
});
