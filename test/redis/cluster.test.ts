import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BlockedBloomFilter } from '../../src/index.ts';
import { RedisBloomFilter, RotatingRedisBloomFilter, slotOf } from '../../src/redis.ts';
import { type Client, connect, libraries, PASSWORD } from './clients.ts';
import { buildWorker, expectFalsePositives, Fleet, type Summary, summarize } from './fleet.ts';
import { Cluster, type Server, sleep } from './servers.ts';
import type { Work } from './worker.ts';

let cluster: Cluster;
let client: Client;

beforeAll(async () => {
  await buildWorker();
  cluster = await Cluster.start(3);
  client = await connect('redis', cluster.ports, { cluster: true });
}, 60_000);

afterAll(() => {
  client.close();
  cluster.stop();
});

/** Eight processes that add overlapping keys, with different clients. */
function fleetOf(work: Pick<Work, 'name' | 'universe' | 'capacity' | 'duration'>): Fleet {
  return new Fleet(
    Array.from({ length: 8 }, (_, i) => ({
      library: libraries[i % libraries.length] as (typeof libraries)[number],
      ports: [cluster.ports[i % 3] as number],
      cluster: true,
      ...work,
      seed: i,
      wait: undefined,
    })),
  );
}

/** Throws unless the filter has exactly the bits of a local one, and each key was new exactly once. */
async function expectExact(name: string, summary: Summary): Promise<void> {
  const shared = await RedisBloomFilter.open(client.client, name);
  const local = new BlockedBloomFilter({ capacity: shared.capacity });
  const falsePositives = summary.added.length - local.dedupe(summary.added).length;
  expect((await shared.toLocal()).toBytes()).toEqual(local.toBytes());
  expect(summary.newTwice).toBe(0);
  expectFalsePositives(summary, local);
  // Another order has other false positives, of the same distribution: within six standard deviations.
  const difference = Math.abs(summary.neverNew.length - falsePositives);
  expect(difference).toBeLessThanOrEqual(6 * Math.sqrt(2 * falsePositives));
}

describe.each(libraries)('with %s, a filter in a cluster', (library) => {
  it('has the bits and the answers of one in memory', async () => {
    const { client, close } = await connect(library, cluster.ports, { cluster: true });
    const keys = Array.from({ length: 5000 }, (_, i) => `key ${i % 4000}`);
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

  it('forgets, if it is to, by the clocks of all masters', async () => {
    const { client, close } = await connect(library, cluster.ports, { cluster: true });
    const options = { capacity: 20_000, window: 1500 };
    const shared = await RotatingRedisBloomFilter.open(client, `rotating:${library}`, options);
    const keys = Array.from({ length: 300 }, (_, i) => `key ${i}`);
    expect(await shared.dedupe(keys)).toEqual(keys);
    for (let i = 0; i < 6; i++, await sleep(400)) expect(await shared.dedupe(keys)).toEqual([]);
    await sleep(3100);
    expect(await shared.pick(keys)).toEqual([]);
    await shared.delete();
    close();
  });
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
  for (const master of cluster.masters) expect(await master.send('keys', 'spread*')).toEqual([]);
});

it('is refused if any of the masters would evict a part of it', async () => {
  const local = new BlockedBloomFilter({ capacity: 100_000 });
  const rotating = { capacity: 100_000, window: 60_000 };
  await RedisBloomFilter.open(client.client, 'made before', { capacity: 100_000 });
  // Not those of other tests, which may expire meanwhile.
  const keys = async (): Promise<unknown[]> => {
    const patterns = cluster.masters.flatMap((master) =>
      ['*evicted:*', '*made before*'].map((each) => ({ master, each })),
    );
    const found = await Promise.all(patterns.map(({ master, each }) => master.send('keys', each)));
    return found.flat().sort();
  };
  const before = await keys();
  expect(before).not.toEqual([]);
  for (const [i, master] of cluster.masters.entries()) {
    await master.send('config', 'set', 'maxmemory-policy', 'allkeys-lru');
    await master.send('config', 'set', 'maxmemory', '1gb');
    try {
      const name = `evicted:${i}`;
      const message = /^maxmemory-policy of "(evicted:\d|made before)" must be .*, got allkeys-lru$/;
      for (const call of [
        () => RedisBloomFilter.open(client.client, name, { capacity: 100_000 }),
        () => RedisBloomFilter.open(client.client, 'made before'),
        () => RedisBloomFilter.fromLocal(client.client, name, local),
        () => RedisBloomFilter.fromLocal(client.client, 'made before', local, { replace: true }),
        () => RotatingRedisBloomFilter.open(client.client, name, rotating),
      ]) {
        await expect(call()).rejects.toMatchObject({ code: 'EVICTION', message: expect.stringMatching(message) });
      }
      expect(await keys()).toEqual(before);
    } finally {
      await master.send('config', 'set', 'maxmemory', 0);
      await master.send('config', 'set', 'maxmemory-policy', 'noeviction');
    }
  }
});

it('tells exactly one of eight processes that a key is new, and loses no bit', async () => {
  const universe = 30_000;
  const { outcomes } = fleetOf({ name: 'fleet', universe, capacity: universe, duration: 0 });
  const summary = summarize(await outcomes, universe);
  expect(summary.errors).toEqual([]);
  expect(summary.added.length).toBeGreaterThan(0.99 * universe);
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
  const universe = 5000;
  const name = 'moving';
  const { opened, outcomes } = fleetOf({ name, universe, capacity: 20 * universe, duration: 3000 });
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
  expect(moves).toBeGreaterThan(5);
  expect((await summary).errors).toEqual([]);
  await expectExact(name, await summary);
}, 120_000);
