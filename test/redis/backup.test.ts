// A filter that is backed up by DUMP, and restored to another server or cluster, as examples/redis-backup does.

import { afterAll, describe, expect, it } from 'vitest';
import { restore, save } from '../../examples/redis-backup/redis-backup.ts';
import { RedisBloomFilter, type RedisClient, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { type Client, connect, libraries } from './clients.ts';
import { intercepted, isPublishing } from './intercept.ts';
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
        await restore(to, name, () => saved);
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
  await restore(watched, kind, () => saved);
  // With the last piece, it is found again without its parameters, which come last.
  expect(codes).toEqual([...Array(saved.length - 2).fill('LOST'), '', '']);
});

it('a backup is not made of a filter that has lost a part, or is replaced meanwhile', async () => {
  const [from] = (await Promise.all(servers.map(({ port }) => open('redis', [port])))) as [RedisClient];
  await RedisBloomFilter.open(from, 'lost', SIZE);
  await servers[0].send('del', 'lost');
  await expect(linesOf(from, 'lost')).rejects.toThrow('"lost" cannot be saved: the parameters are gone');
  const replaced = await RedisBloomFilter.open(from, 'replaced', SIZE);
  const clearing = async (): Promise<void> => {
    let isFirst = true;
    for await (const _ of save(from, 'replaced')) {
      if (isFirst) await replaced.clear();
      isFirst = false;
    }
  };
  await expect(clearing()).rejects.toThrow('"replaced" was replaced meanwhile: save it again');
});

it.each(Object.entries(classes))('a backup (%s) of which a piece is missed is not made', async (kind, make) => {
  const [from] = (await Promise.all(servers.map(({ port }) => open('redis', [port])))) as [RedisClient];
  const name = `missed ${kind}`;
  await (await make(from, name)).addMany(keys);
  const piece = /:[0-9a-f]{16}:(?:\d+:)?0$/;
  const blind = intercepted(from, (send, { command: [verb, key] }) =>
    verb === 'dump' && piece.test(String(key)) ? Promise.resolve(null) : send(),
  );
  await expect(linesOf(blind, name)).rejects.toThrow(/^of "missed .*", 3 of 4 pieces were found: save it again$/);
});

it('a backup is not made while another filter of the name is in the lists', async () => {
  const [from] = (await Promise.all(servers.map(({ port }) => open('redis', [port])))) as [RedisClient];
  const local = BlockedBloomFilter.from(keys, SIZE);
  await RedisBloomFilter.fromLocal(from, 'busy', local);
  const codes: unknown[] = [];
  const slow = intercepted(from, async (send, sending) => {
    if (isPublishing(sending, 'busy')) codes.push(await linesOf(from, 'busy').catch(({ message }) => message));
    return send();
  });
  await RedisBloomFilter.fromLocal(slow, 'busy', local, { replace: true });
  expect(codes).toEqual([expect.stringMatching(/^"busy" cannot be saved while the lists have another filter/)]);
  const lines = await linesOf(from, 'busy');
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ key: 'busy', count: lines.length });
});

it('what is no whole backup of the name deletes nothing', async () => {
  const [client] = (await Promise.all(servers.map(({ port }) => open('redis', [port])))) as [RedisClient];
  const filter = await RedisBloomFilter.open(client, 'live', SIZE);
  await filter.addMany(keys);
  await RedisBloomFilter.open(client, 'live:2', SIZE);
  const saved = await linesOf(client, 'live');
  const wrong = [
    [],
    saved.slice(0, -1),
    saved.slice(1),
    [saved[0], ...saved.slice(2)],
    await linesOf(client, 'live:2'),
  ];
  for (const lines of [...wrong, [...saved.slice(0, -1), (saved.at(-1) ?? '').slice(0, 20)]]) {
    await expect(restore(client, 'live', () => lines as string[])).rejects.toThrow();
  }
  expect(await filter.omit(keys)).toEqual([]);
  await restore(client, 'live', () => saved);
  expect(await (await RedisBloomFilter.open(client, 'live')).omit(keys)).toEqual([]);
});
