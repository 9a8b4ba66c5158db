// The values of a map that is looked up in its file.

import { expect, it } from 'vitest';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { FuseMap } from '../../src/entries/fuse-map.ts';
import { openFilter } from '../../src/entries/open.ts';
import { countingSource } from './filters.ts';

const names = Array.from({ length: 3000 }, (_, i) => `name ${i}`);
const absent = Array.from({ length: 3000 }, (_, i) => `absent ${i}`);

it.each([
  { largest: 255, fingerprintBits: 8, shards: 1 },
  { largest: 1, fingerprintBits: 31, shards: 4 },
  { largest: 2 ** 31 - 1, fingerprintBits: 1, shards: 2 },
  { largest: 2 ** 32 - 1, fingerprintBits: 0, shards: 1 },
])('a map in its file has the values that it has in memory: %j', async ({ largest, ...options }) => {
  const values = names.map((_, i) => (i === 0 ? largest : (i * 7919) % (largest + 1)));
  const map = FuseMap.from(names, values, options);
  const source = countingSource(map.toBytes(), { gap: 0 });
  const opened = await openFilter([FuseMap], source);
  const asked = [...absent, ...names];
  expect(await opened.getMany(asked)).toEqual(map.getMany(asked));
  expect(await opened.hasMany(asked)).toEqual(map.hasMany(asked));
  expect(await opened.omit(asked)).toEqual(map.omit(asked));
  for (let i = 0; i < 50; i++) {
    const before = source.reads.length;
    expect(await opened.get(names[i] as string)).toBe(values[i]);
    expect(source.reads.length - before).toBeLessThanOrEqual(3);
    expect(await opened.get(absent[i] as string)).toBe(map.get(absent[i] as string));
  }
  expect(opened.parameters).toMatchObject({ kind: 'fuse-map', reads: 3, shards: options.shards });
  await opened.close();
  await expect(opened.get('a')).rejects.toThrow(TypeError);
});

it('no key has a value in a shard without keys, and no other kind has values', async () => {
  const map = FuseMap.from(['a'], [1], { fingerprintBits: 0, shards: 256 });
  const opened = await openFilter([FuseMap], countingSource(map.toBytes()));
  expect(await opened.getMany(names)).toEqual(map.getMany(names));
  const filter = await openFilter([BinaryFuseFilter], countingSource(BinaryFuseFilter.from(['a']).toBytes()));
  for (const lookup of [() => filter.get('a'), () => filter.getMany(['a'])]) {
    await expect(lookup()).rejects.toThrow(/^only a map has values, and this is a fuse filter$/);
  }
  await expect(opened.get(null as never)).rejects.toThrow(/^key must be/);
});
