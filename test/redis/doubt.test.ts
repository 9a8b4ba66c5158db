// A server has lost its latest writes, and with them which of two filters has the name. None of them is deleted, and what
// clients have certainly left is.

import { expect, it } from 'vitest';
import { RedisBloomFilter, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { intercepted } from './intercept.ts';
import { client, keysOf, listsOf, newName, piecesOf, server, stored, textOf } from './one-server.ts';
import { keys, ROTATING, SIZE } from './samples.ts';
import { shiftWindows } from './servers.ts';

const open = (name: string) => RedisBloomFilter.open(client, name, SIZE);
const notesOf = (name: string): string => `${name}:{${name}}:making`;

/** Replaces a filter, and takes back what the server of the name has done in the end. Returns the new filter. */
async function loseReplacement(name: string): Promise<RedisBloomFilter> {
  const old = await server.send('get', name);
  const local = BlockedBloomFilter.from(keys, SIZE);
  const filter = await RedisBloomFilter.fromLocal(client, name, local, { replace: true });
  const text = await textOf(name);
  if (old === null) await server.send('del', name);
  else await server.send('set', name, String(old));
  await server.send('hset', notesOf(name), JSON.parse(text).id, text);
  return filter;
}

it.each([
  ['another filter had the name', true],
  ['there was none before', false],
])('a filter in use that has lost the name is left alone, and gets it back, if %s', async (_, hasOld) => {
  const name = newName();
  if (hasOld) await open(name);
  const filter = await loseReplacement(name);
  const { problems } = await RedisBloomFilter.check(client, name);
  const [told] = problems.filter(({ code }) => code === 'MISMATCH');
  expect(told).toMatchObject({ level: 'critical', message: expect.stringMatching(/ which is in use if a server /) });
  expect(await RedisBloomFilter.repair(client, name)).toEqual([]);
  // Nor is it swept by those who open the filter as it is.
  await RedisBloomFilter.open(client, name).catch(() => {});
  expect(await filter.omit(keys)).toEqual([]);
  const [, field = '', notes = ''] = /the value of the field (\S+) of (\S+); /.exec(told?.remedy ?? '') ?? [];
  await server.send('set', name, String(await server.send('hget', notes, field)));
  expect(await (await open(name)).omit(keys)).toEqual([]);
  expect(await server.send('exists', notesOf(name))).toBe(0);
  expect(await RedisBloomFilter.check(client, name)).toMatchObject({ status: 'ok' });
});

it('a filter with some of its marks is left alone beside one that is not whole', async () => {
  const name = newName();
  await open(name);
  await loseReplacement(name);
  const [id = ''] = (await server.send('hkeys', notesOf(name))) as string[];
  await server.send('del', notesOf(name));
  const [list = ''] = await listsOf(name);
  await server.send('hdel', list, `${id}.whole`);
  const count = (await piecesOf(name)).length;
  expect(await RedisBloomFilter.repair(client, name)).toEqual([]);
  expect((await piecesOf(name)).length).toBe(count);
  const { problems } = await RedisBloomFilter.check(client, name);
  const remedy = expect.stringMatching(/^leave it/);
  expect(problems).toContainEqual(expect.objectContaining({ code: 'MISMATCH', remedy }));
  // A new filter is whole, and then all else is garbage.
  await (await RedisBloomFilter.open(client, name)).clear();
  expect(await RedisBloomFilter.check(client, name)).toMatchObject({ status: 'ok' });
});

/** A filter that forgets, whose second window some client has begun to note in the lists when it died. */
async function beginWindow(name: string): Promise<RotatingRedisBloomFilter> {
  const filter = await RotatingRedisBloomFilter.open(client, name, ROTATING);
  await filter.addMany(keys);
  await shiftWindows(server, name, -1);
  let marks = 0;
  const dying = intercepted(client, async (send, { command }) => {
    // The script that notes a generation, and the one before.
    const isMark = command[2] === '2' && command[9] === String(Number(command[7]) - 1);
    if (isMark && marks++ > 1) throw new TypeError('it died');
    return send();
  });
  const late = await RotatingRedisBloomFilter.open(dying, name, ROTATING);
  await expect(late.add('late')).rejects.toThrow('it died');
  return RotatingRedisBloomFilter.open(client, name, ROTATING);
}

it('a window that a client has begun to note is no loss: the next call goes on', async () => {
  const name = newName();
  const filter = await beginWindow(name);
  const report = await RedisBloomFilter.check(client, name);
  expect(report).toMatchObject({
    status: 'warning',
    problems: [{ code: 'UNFINISHED', remedy: expect.stringMatching(/^the next call goes on/) }],
  });
  expect(await filter.omit(keys)).toEqual([]);
  expect(await RedisBloomFilter.check(client, name)).toMatchObject({ status: 'ok' });
});

it('repair goes on with it too, and not where keys may be lost', async () => {
  const name = newName();
  const filter = await beginWindow(name);
  expect(await RedisBloomFilter.repair(client, name)).toMatchObject([{ action: 'lists' }]);
  expect(await RedisBloomFilter.check(client, name)).toMatchObject({ status: 'ok' });
  await filter.add('later');
  const { id } = await stored(name);
  const number = Math.floor(Date.now() / ROTATING.window);
  for (const list of await keysOf(`${name}:*:filters`)) {
    await server.send('hset', list, `${id}.window`, number - 1);
    const { status } = await RedisBloomFilter.check(client, name);
    if (status === 'critical') expect(await RedisBloomFilter.repair(client, name)).toEqual([]);
    await server.send('hset', list, `${id}.window`, number);
  }
});
