import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisBloomFilter, RotatingRedisBloomFilter, slotOf } from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { type Client, connect, libraries } from './clients.ts';
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
      return keys.length;
    }),
  );
  expect(counts.reduce((sum, count) => sum + count)).toBe(21);
  expect(Math.max(...counts)).toBeLessThan(9);
  await shared.delete();
  for (const master of cluster.masters) expect(await master.send('keys', 'spread*')).toEqual([]);
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
