// What `check` says is to be done, where the first thing that comes to mind would not work or do harm.

import { expect, it } from 'vitest';
import { RedisBloomFilter, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { client, listsOf, listsWithPieces, newName, piecesOf, server } from './one-server.ts';

const SIZE = { capacity: 10_000 };
const fill = async (name: string) => (await RedisBloomFilter.open(client, name, SIZE)).add('x');
const fillRotating = async (name: string) =>
  (await RotatingRedisBloomFilter.open(client, name, { ...SIZE, window: 3_600_000 })).add('x');

it.each<[string, string, RegExp, (name: string) => Promise<unknown>]>([
  [
    'a filter that forgets whose parameters may be old',
    'MISMATCH',
    /; else delete it by its name, open it, /,
    async (name) => {
      await fillRotating(name);
      const old = String(await server.send('get', name));
      await RedisBloomFilter.delete(client, name);
      await fillRotating(name);
      await server.send('set', name, old);
    },
  ],
  [
    'a missing piece beside missing parameters',
    'LOST',
    /^delete it by its name/,
    async (name) => {
      await fill(name);
      await server.send('del', name, (await piecesOf(name))[0] ?? '');
    },
  ],
  [
    'orphans beside a list that cannot be read',
    'ORPHANS',
    /^leave them until nothing critical is wrong/,
    async (name) => {
      await fill(name);
      const [piece = ''] = await piecesOf(name);
      await server.send('copy', piece, piece.replace(/[0-9a-f]{16}(?=:\d+$)/, 'a'.repeat(16)));
      await server.send('set', (await listsWithPieces(name))[0] ?? '', 'x');
    },
  ],
  [
    'a field that is no filter',
    'FOREIGN',
    /^delete that one field: HDEL filter:\S+:filters 0{16}$/,
    async (name) => {
      await fill(name);
      await server.send('hset', (await listsOf(name))[0] ?? '', '0'.repeat(16), '{}');
    },
  ],
  [
    'pieces that may be all that is left of a filter',
    'ORPHANS',
    /^leave them until nothing critical is wrong/,
    async (name) => {
      await fill(name);
      await server.send('del', name, ...(await listsOf(name)));
    },
  ],
])('says what can be done about %s', async (_, wanted, remedy, harm) => {
  const name = newName();
  await harm(name);
  const { problems } = await RedisBloomFilter.check(client, name);
  const found = problems.filter(({ code }) => code === wanted);
  expect(found).not.toEqual([]);
  for (const each of found) expect(each.remedy).toMatch(remedy);
});
