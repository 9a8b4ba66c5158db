import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { RedisBloomFilter, RotatingRedisBloomFilter, slotOf } from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { randomFrom } from '../shared/random.ts';
import { connect, libraries, PASSWORD } from './clients.ts';
import { expectExact, startFleet } from './fleet.ts';
import { cluster, keysInCluster } from './one-cluster.ts';
import type { Server } from './servers.ts';

const connection = await connect('redis', cluster.ports, { cluster: true });
const { client } = connection;

afterAll(() => connection.close());

const idOf = async (server: Server): Promise<string> => String(await server.send('cluster', 'myid'));

/** Begins to move a slot to another master, as tools for resharding do. Returns what ends it. */
async function beginMove(slot: number, from: Server, to: Server): Promise<() => Promise<void>> {
  await to.send('cluster', 'setslot', slot, 'importing', await idOf(from));
  await from.send('cluster', 'setslot', slot, 'migrating', await idOf(to));
  return async () => {
    for (const server of [to, from, ...cluster.masters]) {
      await server.send('cluster', 'setslot', slot, 'node', await idOf(to));
    }
  };
}

const nextOf = (master: Server): Server =>
  cluster.masters[(cluster.masters.indexOf(master) + 1) % cluster.masters.length] as Server;

it('that forgets knows each key for a window at least, and two at most, by the clocks of all masters', async () => {
  const window = 300;
  const added = new Map<number, [start: number, end: number][]>();
  const news: { key: number; start: number; end: number }[] = [];
  const work = async (seed: number): Promise<void> => {
    const shared = await RotatingRedisBloomFilter.open(client, 'rotating', { capacity: 20_000, window });
    const random = randomFrom(seed);
    for (const stop = Date.now() + 4 * window; Date.now() < stop; await sleep(random(20))) {
      const key = random(60);
      const start = Date.now();
      const isNew = await shared.add(key);
      const end = Date.now();
      if (isNew) news.push({ key, start, end });
      added.set(key, [...(added.get(key) ?? []), [start, end]]);
    }
  };
  await Promise.all([1, 2, 3].map(work));
  expect(news.length).toBeGreaterThan(10);
  for (const { key, start, end } of news) {
    for (const [from, to] of added.get(key) ?? []) if (to < start) expect(end - from).toBeGreaterThanOrEqual(window);
  }
  const shared = await RotatingRedisBloomFilter.open(client, 'rotating');
  await sleep(2 * window + 50);
  expect(await shared.pick([...added.keys()])).toEqual([]);
  await shared.delete();
});

it('is refused if any of the masters would evict a part of it', async () => {
  const options = { capacity: 100_000 };
  const local = new BlockedBloomFilter(options);
  await RedisBloomFilter.open(client, 'evicted:before', options);
  const before = await keysInCluster('evicted:*');
  for (const [i, master] of cluster.masters.entries()) {
    await master.send('config', 'set', 'maxmemory-policy', 'allkeys-lru', 'maxmemory', '1gb');
    try {
      const name = `evicted:${i}`;
      const message = /^maxmemory-policy of "evicted:.*" must be .*, got allkeys-lru$/;
      for (const call of [
        () => RedisBloomFilter.open(client, name, options),
        () => RedisBloomFilter.open(client, 'evicted:before'),
        () => RedisBloomFilter.fromLocal(client, name, local),
        () => RedisBloomFilter.fromLocal(client, 'evicted:before', local, { replace: true }),
        () => RotatingRedisBloomFilter.open(client, name, { ...options, window: 60_000 }),
      ]) {
        await expect(call()).rejects.toMatchObject({ code: 'EVICTION', message: expect.stringMatching(message) });
      }
      expect(await keysInCluster('evicted:*')).toEqual(before);
    } finally {
      await master.send('config', 'set', 'maxmemory-policy', 'noeviction', 'maxmemory', 0);
    }
  }
});

it('is deleted from all masters at once if it does not fit one of them', async () => {
  const [, full] = cluster.masters as [Server, Server];
  const used = Number(await full.info('memory', 'used_memory'));
  await full.send('config', 'set', 'maxmemory', used + 3_000_000);
  const large = new BlockedBloomFilter({ bits: 8 * 20e6 }).addMany(['a']);
  try {
    for (const call of [
      () => RedisBloomFilter.open(client, 'large', { bits: large.bits }),
      () => RedisBloomFilter.fromLocal(client, 'large', large),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'OOM' });
      expect(await keysInCluster('large*')).toEqual([]);
    }
  } finally {
    await full.send('config', 'set', 'maxmemory', 0);
    large.dispose();
  }
});

it.each(libraries)('is found by who may only read, while its parameters move and after: %s', async (library) => {
  const name = `moves:${library}`;
  const keys = ['a', 'b', 'c'];
  await (await RedisBloomFilter.open(client, name, { capacity: 1000 })).addMany(keys);
  const rights = ['on', `>${PASSWORD}`, '%R~*', '+evalsha_ro', '+eval_ro', '+get', '+hget', '+getrange'];
  const ofClients = ['+info', '+cluster|slots', '+cluster|info', '+asking', '+readonly', '+ping'];
  for (const master of cluster.masters) {
    await master.send('acl', 'setuser', 'reader', 'reset', ...rights, ...ofClients);
  }
  const reader = await connect(library, cluster.ports, { cluster: true, replicas: true, username: 'reader' });
  const expectAll = async (): Promise<void> => {
    const read = await RedisBloomFilter.open(reader.client, name, { readFrom: 'replica', timeout: 3000 });
    expect(await read.omit(keys)).toEqual([]);
  };
  await expectAll();
  const counts = await Promise.all(cluster.masters.map((master) => master.send('exists', name).catch(() => 0)));
  const from = cluster.masters[counts.indexOf(1)] as Server;
  const end = await beginMove(slotOf(name), from, nextOf(from));
  await from.send('migrate', '127.0.0.1', nextOf(from).port, name, 0, 5000);
  await expectAll();
  await end();
  await expectAll();
  reader.close();
});

it('tells exactly one of four clients that a key is new, and loses no bit, while its slots are moved', async () => {
  const name = 'moving';
  const fleet = await startFleet({ libraries, ports: cluster.ports, name, duration: 1500 });
  const slots = new Map<number, Server>();
  for (const master of cluster.masters) {
    for (const key of (await master.send('keys', `${name}:*`)) as string[]) slots.set(slotOf(key), master);
  }
  expect(slots.size).toBe(16);
  let moves = 0;
  while (!fleet.isDone()) {
    for (const [slot, from] of slots) {
      if (fleet.isDone()) break;
      const end = await beginMove(slot, from, nextOf(from));
      // A key at a time, and slowly.
      for (;;) {
        const [key] = (await from.send('cluster', 'getkeysinslot', slot, 1)) as string[];
        if (key === undefined) break;
        await from.send('migrate', '127.0.0.1', nextOf(from).port, key, 0, 5000);
        await sleep(5);
      }
      await end();
      slots.set(slot, nextOf(from));
      moves++;
    }
  }
  const summary = await fleet.summary;
  expect(moves).toBeGreaterThan(0);
  expect([...summary.errors]).toEqual([]);
  await expectExact(await RedisBloomFilter.open(client, name), summary, libraries.length);
}, 120_000);
