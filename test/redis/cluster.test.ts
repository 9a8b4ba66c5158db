import { afterAll, beforeAll, expect, it } from 'vitest';
import { BlockedBloomFilter } from '../../src/index.ts';
import { RedisBloomFilter, RotatingRedisBloomFilter, slotOf } from '../../src/redis.ts';
import { randomFrom } from '../shared/random.ts';
import { connect, type Library, libraries, PASSWORD } from './clients.ts';
import { buildWorker, expectFalsePositives, Fleet, type Summary, summarize } from './fleet.ts';
import { cluster, keysInCluster } from './one-cluster.ts';
import { type Server, sleep } from './servers.ts';
import type { Work } from './worker.ts';

const client = await connect('redis', cluster.ports, { cluster: true });

beforeAll(buildWorker);

afterAll(() => client.close());

/** Processes that add overlapping keys, each with another client. */
function fleetOf(work: Pick<Work, 'name' | 'universe' | 'capacity' | 'duration'>): Fleet {
  const common = { ports: cluster.ports, cluster: true, wait: undefined, ...work };
  return new Fleet(libraries.map((library, seed) => ({ library, seed, ...common })));
}

/** Throws unless the filter has exactly the bits of a local one, and each key was new exactly once. */
async function expectExact(name: string, summary: Summary): Promise<void> {
  const shared = await RedisBloomFilter.open(client.client, name);
  const local = new BlockedBloomFilter({ capacity: shared.capacity });
  const falsePositives = summary.added.length - local.dedupe(summary.added).length;
  expect((await shared.toLocal()).toBytes()).toEqual(local.toBytes());
  expect(summary.newTwice).toBe(0);
  expectFalsePositives(summary, local);
  // Another order has other false positives, of the same distribution: within six standard deviations, but there may be
  // some where this order happens to have none.
  const difference = Math.abs(summary.neverNew.length - falsePositives);
  expect(difference).toBeLessThanOrEqual(6 * Math.sqrt(2 * Math.max(1, falsePositives)));
}

it.each(libraries)('has the bits and the answers of one in memory: %s', async (library) => {
  const { client, close } = await connect(library, cluster.ports, { cluster: true });
  const keys = Array.from({ length: 1500 }, (_, i) => `key ${i % 1000}`);
  const options = { capacity: 20_000, errorRate: 0.001 };
  const shared = await RedisBloomFilter.open(client, `cluster:${library}`, options);
  const local = new BlockedBloomFilter(options);
  expect(await shared.dedupe(keys)).toEqual(local.dedupe(keys));
  expect(await shared.hasMany(Uint32Array.of(1, 2, 3))).toEqual(local.hasMany(Uint32Array.of(1, 2, 3)));
  const more = BlockedBloomFilter.from(['more'], options);
  expect((await (await shared.merge(more)).toLocal()).equals(local.merge(more))).toBe(true);
  await shared.clear();
  expect(await shared.fillRatio()).toBe(0);
  await shared.delete();
  close();
});

it('that forgets knows each key for a window at least, and two at most, by the clocks of all masters', async () => {
  const window = 300;
  const options = { capacity: 20_000, window };
  const added = new Map<number, [start: number, end: number][]>();
  const news: { key: number; start: number; end: number }[] = [];
  const work = async (library: Library, seed: number): Promise<void> => {
    const { client, close } = await connect(library, cluster.ports, { cluster: true });
    const shared = await RotatingRedisBloomFilter.open(client, 'rotating', options);
    const random = randomFrom(seed);
    for (const stop = Date.now() + 5 * window; Date.now() < stop; await sleep(random(20))) {
      const key = random(60);
      const start = Date.now();
      const isNew = await shared.add(key);
      const end = Date.now();
      if (isNew) news.push({ key, start, end });
      added.set(key, [...(added.get(key) ?? []), [start, end]]);
    }
    close();
  };
  await Promise.all(libraries.map(work));
  expect(news.length).toBeGreaterThan(10);
  for (const { key, start, end } of news) {
    for (const [from, to] of added.get(key) ?? []) if (to < start) expect(end - from).toBeGreaterThanOrEqual(window);
  }
  const shared = await RotatingRedisBloomFilter.open(client.client, 'rotating');
  await sleep(2 * window + 50);
  expect(await shared.pick([...added.keys()])).toEqual([]);
  await shared.delete();
});

it('spreads a filter evenly over the masters, and leaves nothing behind when it is deleted', async () => {
  const shared = await RedisBloomFilter.open(client.client, 'spread', { capacity: 1_000_000 });
  const counts = await Promise.all(
    cluster.masters.map(async (master) => {
      const keys = (await master.send('keys', 'spread:*')) as string[];
      for (const key of keys) expect(slotOf(key)).toBe(await master.send('cluster', 'keyslot', key));
      return keys.filter((key) => !key.endsWith(':filters')).length;
    }),
  );
  expect(counts.reduce((sum, count) => sum + count)).toBe(21);
  expect(Math.max(...counts)).toBeLessThan(9);
  await shared.delete();
  expect(await keysInCluster('spread*')).toEqual([]);
});

it('is refused if any of the masters would evict a part of it', async () => {
  const options = { capacity: 100_000 };
  const local = new BlockedBloomFilter(options);
  await RedisBloomFilter.open(client.client, 'evicted:before', options);
  const keys = (): Promise<string[]> => keysInCluster('evicted:*');
  const before = await keys();
  for (const [i, master] of cluster.masters.entries()) {
    await master.send('config', 'set', 'maxmemory-policy', 'allkeys-lru', 'maxmemory', '1gb');
    try {
      const name = `evicted:${i}`;
      const message = /^maxmemory-policy of "evicted:.*" must be .*, got allkeys-lru$/;
      for (const call of [
        () => RedisBloomFilter.open(client.client, name, options),
        () => RedisBloomFilter.open(client.client, 'evicted:before'),
        () => RedisBloomFilter.fromLocal(client.client, name, local),
        () => RedisBloomFilter.fromLocal(client.client, 'evicted:before', local, { replace: true }),
        () => RotatingRedisBloomFilter.open(client.client, name, { ...options, window: 60_000 }),
      ]) {
        await expect(call()).rejects.toMatchObject({ code: 'EVICTION', message: expect.stringMatching(message) });
      }
      expect(await keys()).toEqual(before);
    } finally {
      await master.send('config', 'set', 'maxmemory-policy', 'noeviction', 'maxmemory', 0);
    }
  }
});

it('tells exactly one of four processes that a key is new, and loses no bit', async () => {
  const universe = 10_000;
  const { outcomes } = fleetOf({ name: 'fleet', universe, capacity: universe, duration: 0 });
  const summary = summarize(await outcomes, universe);
  expect(summary.errors).toEqual([]);
  // Each process chooses six of ten keys.
  expect(summary.added.length / universe).toBeCloseTo(1 - 0.4 ** 4, 1);
  await expectExact('fleet', summary);
}, 120_000);

/** Moves a slot to another master, a key at a time and slowly, as tools for resharding do. */
async function moveSlot(slot: number, from: Server, to: Server): Promise<void> {
  await to.send('cluster', 'setslot', slot, 'importing', String(await from.send('cluster', 'myid')));
  const id = String(await to.send('cluster', 'myid'));
  await from.send('cluster', 'setslot', slot, 'migrating', id);
  for (;;) {
    const keys = (await from.send('cluster', 'getkeysinslot', slot, 1)) as string[];
    if (keys[0] === undefined) break;
    await from.send('migrate', '127.0.0.1', to.port, keys[0], 0, 5000);
    await sleep(5);
  }
  for (const server of [to, from, ...cluster.masters]) await server.send('cluster', 'setslot', slot, 'node', id);
}

it.each(libraries)('is found by who may only read, while its parameters move and after: %s', async (library) => {
  const name = `moves:${library}`;
  const keys = ['a', 'b', 'c'];
  await (await RedisBloomFilter.open(client.client, name, { capacity: 1000 })).addMany(keys);
  const rights = ['on', `>${PASSWORD}`, '%R~*', '+evalsha_ro', '+eval_ro', '+get', '+hget', '+getrange'];
  const ofClients = ['+info', '+cluster|slots', '+cluster|info', '+asking', '+readonly', '+ping'];
  for (const master of cluster.masters) {
    await master.send('acl', 'setuser', 'reader', 'reset', ...rights, ...ofClients);
  }
  const options = { cluster: true, replicas: true, username: 'reader' };
  const reader = await connect(library, cluster.ports, options);
  const expectAll = async (): Promise<void> => {
    const read = await RedisBloomFilter.open(reader.client, name, { readFrom: 'replica', timeout: 3000 });
    expect(await read.omit(keys)).toEqual([]);
  };
  await expectAll();
  const slot = slotOf(name);
  const counts = await Promise.all(cluster.masters.map((master) => master.send('exists', name).catch(() => 0)));
  const from = cluster.masters[counts.indexOf(1)] as Server;
  const to = cluster.masters[(counts.indexOf(1) + 1) % 3] as Server;
  const id = String(await to.send('cluster', 'myid'));
  await to.send('cluster', 'setslot', slot, 'importing', String(await from.send('cluster', 'myid')));
  await from.send('cluster', 'setslot', slot, 'migrating', id);
  await from.send('migrate', '127.0.0.1', to.port, name, 0, 5000);
  await expectAll();
  for (const server of [to, from, ...cluster.masters]) await server.send('cluster', 'setslot', slot, 'node', id);
  await expectAll();
  reader.close();
});

it('does the same while its slots are being moved', async () => {
  const universe = 3000;
  const name = 'moving';
  const { opened, outcomes } = fleetOf({ name, universe, capacity: 20 * universe, duration: 2000 });
  await opened;
  const slots = new Map<number, Server>();
  for (const master of cluster.masters) {
    for (const key of (await master.send('keys', `${name}:*`)) as string[]) slots.set(slotOf(key), master);
  }
  expect(slots.size).toBe(16);
  let isDone = false;
  let moves = 0;
  const summary = outcomes.then((all) => {
    isDone = true;
    return summarize(all, universe);
  });
  while (!isDone) {
    for (const [slot, from] of slots) {
      if (isDone) break;
      const to = cluster.masters[(cluster.masters.indexOf(from) + 1) % 3] as Server;
      await moveSlot(slot, from, to);
      slots.set(slot, to);
      moves++;
    }
  }
  expect(moves).toBeGreaterThan(0);
  expect((await summary).errors).toEqual([]);
  await expectExact(name, await summary);
}, 120_000);
