// A filter that is backed up by DUMP, and restored to another server or cluster, as examples/redis-backup does.

import { afterAll, describe, expect, it } from 'vitest';
import { restore, save } from '../../examples/redis-backup/redis-backup.ts';
import { RedisBloomFilter, type RedisClient, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { type Client, connect, libraries } from './clients.ts';
import { intercepted } from './intercept.ts';
import { Cluster, Server } from './servers.ts';

const SIZE = { capacity: 10_000 };
const keys = Array.from({ length: 300 }, (_, i) => `key ${i}`);
const classes = {
  plain: (client: RedisClient, name: string) => RedisBloomFilter.open(client, name, SIZE),
  'that forgets': (client: RedisClient, name: string) =>
    RotatingRedisBloomFilter.open(client, name, { ...SIZE, window: 3_600_000 }),
};

const servers = await Promise.all([Server.start(), Server.start()]);
const clusters = await Promise.all([Cluster.start(3), Cluster.start(3)]);
const opened: Client[] = [];
afterAll(() => {
  for (const { close } of opened) close();
  for (const each of [...servers, ...clusters]) each.stop();
});
const open = async (...args: Parameters<typeof connect>): Promise<RedisClient> => {
  const connection = await connect(...args);
  opened.push(connection);
  return connection.client;
};

async function linesOf(client: RedisClient, name: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const saved of save(client, name)) lines.push(JSON.stringify(saved));
  return lines;
}

describe.each(libraries)('with %s, a backup', (library) => {
  it.each(Object.entries(classes))(
    'of a filter (%s) has all keys, on another server or cluster',
    async (kind, make) => {
      const name = `${library} ${kind} *[`;
      const single = await Promise.all(servers.map(({ port }) => open(library, [port])));
      const cluster = await Promise.all(clusters.map(({ ports }) => open(library, ports, { cluster: true })));
      for (const [from, to] of [single, cluster, [single[1], cluster[0]]] as [RedisClient, RedisClient][]) {
        const filter = await make(from, name);
        await filter.addMany(keys);
        const saved = await linesOf(from, name);
        const other = await make(to, name);
        await other.addMany(['theirs']);
        await restore(to, name, saved);
        const restored = await make(to, name);
        expect(await restored.omit(keys)).toEqual([]);
        expect(await restored.has('theirs')).toBe(false);
        expect(await RedisBloomFilter.check(to, name)).toMatchObject({ status: 'ok', orphans: [] });
        await expect(other.has('theirs')).rejects.toMatchObject({ code: 'ABSENT' });
        await filter.delete();
        await restored.delete();
      }
    },
  );
});

it.each(Object.entries(classes))('while a filter (%s) is being restored, no key is absent', async (kind, make) => {
  const [from, to] = (await Promise.all(servers.map(({ port }) => open('redis', [port])))) as [
    RedisClient,
    RedisClient,
  ];
  const filter = await make(from, kind);
  await filter.addMany(keys);
  const saved = await linesOf(from, kind);
  const codes: string[] = [];
  const watched = intercepted(to, async (send, { command }) => {
    const reply = await send();
    if (command[0] === 'restore') {
      const found = await make(to, kind)
        .then((each) => each.omit(keys))
        .catch(({ code }) => code);
      codes.push(String(found));
    }
    return reply;
  });
  await restore(watched, kind, saved);
  expect(codes).toEqual([...Array(saved.length - 1).fill('LOST'), '']);
});

it('a backup is not made of a filter that has lost a part, or is replaced meanwhile', async () => {
  const [from] = (await Promise.all(servers.map(({ port }) => open('redis', [port])))) as [RedisClient];
  await RedisBloomFilter.open(from, 'lost', SIZE);
  await servers[0].send('del', 'lost');
  await expect(linesOf(from, 'lost')).rejects.toThrow('"lost" cannot be saved: the parameters are gone');
  const replaced = await RedisBloomFilter.open(from, 'replaced', SIZE);
  const clearing = async (): Promise<void> => {
    for await (const { key } of save(from, 'replaced')) if (key === 'replaced') await replaced.clear();
  };
  await expect(clearing()).rejects.toThrow('"replaced" was replaced meanwhile: save it again');
});
