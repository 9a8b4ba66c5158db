// Filters in a cluster whose slots are moved, and stay half-moved.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { RedisBloomFilter, RotatingRedisBloomFilter, slotOf } from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { randomFrom } from '../shared/random.ts';
import { connect, knowing, type Library, libraries, PASSWORD } from './clients.ts';
import { intercepted } from './intercept.ts';
import { cluster, keysInCluster } from './one-cluster.ts';
import { keysOf, listsOf, newName, server, client as single } from './one-server.ts';
import { forTest, keys as KEYS, ROTATING } from './samples.ts';
import type { Server } from './servers.ts';

const connection = await connect('redis', cluster.ports, { cluster: true });
const { client } = connection;

afterAll(() => connection.close());

const nextOf = (master: Server): Server =>
  cluster.masters[(cluster.masters.indexOf(master) + 1) % cluster.masters.length] as Server;

/** Moves all keys of a slot, one at a time, and slowly. */
async function moveAll(slot: number, from: Server): Promise<void> {
  for (const key of (await from.send('cluster', 'getkeysinslot', slot, 1000)) as string[]) {
    await from.migrate(key, nextOf(from));
    await sleep(5);
  }
}

it('is refused if any of the masters would evict a part of it', async () => {
  const options = { capacity: 100_000 };
  await RedisBloomFilter.open(client, 'evicted:before', options);
  const before = await keysInCluster('evicted:*');
  for (const master of cluster.masters) {
    await master.send('config', 'set', 'maxmemory-policy', 'allkeys-lru', 'maxmemory', '1gb');
    try {
      for (const name of ['evicted:before', 'evicted:new']) {
        await expect(RedisBloomFilter.open(client, name, options)).rejects.toMatchObject({ code: 'EVICTION' });
      }
      expect(await keysInCluster('evicted:*')).toEqual(before);
    } finally {
      await master.send('config', 'set', 'maxmemory-policy', 'noeviction', 'maxmemory', 0);
    }
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
  const login = { cluster: true, replicas: true, username: 'reader' };
  const reader = await forTest(connect(library, cluster.ports, login));
  const expectAll = async (): Promise<void> => {
    const read = await RedisBloomFilter.open(reader.client, name, { readFrom: 'replica', timeout: 3000 });
    expect(await read.omit(keys)).toEqual([]);
  };
  await expectAll();
  const counts = await Promise.all(cluster.masters.map((master) => master.send('exists', name).catch(() => 0)));
  const from = cluster.masters[counts.indexOf(1)] as Server;
  const end = await cluster.beginMove(slotOf(name), from, nextOf(from));
  await from.migrate(name, nextOf(from));
  await expectAll();
  await end();
  await expectAll();
});

it.each(knowing)('is used at once while a slot stays half-moved: %s', async (library) => {
  const { client: own } = await forTest(connect(library, cluster.ports, { cluster: true }));
  // A client that sends again by itself, a tenth of a second later, would need more time.
  const shared = await RedisBloomFilter.open(own, `half:${library}`, { capacity: 20_000, timeout: 500 });
  await shared.addMany(['before']);
  const [from] = cluster.masters as [Server];
  const pieces = (await from.send('keys', `${shared.name}:*`)) as string[];
  const piece = pieces.find((key) => /:\d+$/.test(key)) as string;
  const end = await cluster.beginMove(slotOf(piece), from, nextOf(from));
  await from.migrate(piece, nextOf(from));
  expect(await shared.dedupe(['before', ...KEYS])).toEqual(KEYS);
  expect(await shared.omit(['before', ...KEYS, 'absent'])).toEqual(['absent']);
  await moveAll(slotOf(piece), from);
  await end();
  expect(await shared.dedupe(['before', ...KEYS, 'last'])).toEqual(['last']);
});

it('tells exactly one of four clients that a key is new, and loses no bit, while its slots are moved', async () => {
  const keys = Array.from({ length: 4000 }, (_, i) => `key ${i}`);
  // It is so large that none of the keys is a false positive.
  const shared = await RedisBloomFilter.open(client, 'moving', { capacity: 50_000 });
  const slots = new Map<number, Server>();
  for (const master of cluster.masters) {
    for (const key of (await master.send('keys', 'moving:*')) as string[]) slots.set(slotOf(key), master);
  }
  expect(slots.size).toBe(16);
  /** To how many clients each key was new. */
  const news = new Map<string, number>();
  const work = async (library: Library, i: number): Promise<void> => {
    const { client: own } = await forTest(connect(library, cluster.ports, { cluster: true }));
    const filter = await RedisBloomFilter.open(own, 'moving');
    const random = randomFrom(i);
    const some = [...keys.slice(1000 * i), ...keys.slice(0, 1000 * i)].filter(() => random(10) < 6);
    for (let at = 0, count = 0; at < some.length; at += count) {
      count = 1 + random(600);
      const added = some.slice(at, at + count);
      const flags = new Uint8Array(added.length);
      await filter.addMany(added, flags);
      for (const [i, key] of added.entries()) news.set(key, (news.get(key) ?? 0) + (flags[i] ?? 0));
      await sleep(count / 2);
    }
  };
  let isDone = false;
  const done = Promise.all(libraries.map(work)).finally(() => {
    isDone = true;
  });
  let moves = 0;
  while (!isDone) {
    for (const [slot, from] of slots) {
      if (isDone) break;
      const end = await cluster.beginMove(slot, from, nextOf(from));
      await moveAll(slot, from);
      await end();
      slots.set(slot, nextOf(from));
      moves++;
    }
  }
  await done;
  expect(moves).toBeGreaterThan(0);
  expect([...news].filter(([, count]) => count !== 1)).toEqual([]);
  const local = BlockedBloomFilter.from([...news.keys()], { capacity: shared.capacity });
  expect((await shared.toLocal()).toBytes()).toEqual(local.toBytes());
}, 120_000);

// A slot that stays half-moved, as an interrupted resharding leaves it: a command about keys on both masters fails.

const SIZE = { bits: 256 * 127 * 3, spread: 2 };
const WAITING = { wait: { replicas: 1, ms: 5 } };

/** Whether all slots are half-moved. */
let isMoving = false;
let master = 'old';
/** What happens while replicas are waited for. */
let whileWaiting = async (): Promise<void> => {};

beforeEach(() => {
  [isMoving, master] = [false, 'old'];
  whileWaiting = async () => {};
});

const halfMoved = {
  ...intercepted(single, async (send, { command }) => {
    const keys = new Set(command.slice(3, 3 + Number(command[2])));
    if (isMoving && keys.size > 1) throw new Error('TRYAGAIN Multiple keys request during rehashing of slot');
    return send();
  }),
  cluster: true,
  master: () => master,
  async wait() {
    await whileWaiting();
    return 1;
  },
};

const unconfirmed = (count: number): object => ({
  code: 'UNREPLICATED',
  answers: { done: new Uint8Array(count).fill(1), confirmed: new Uint8Array(count) },
});

it('a filter tells what is new, once, has keys that no replica confirms, and is cleared when its slots have moved', async () => {
  const shared = await RedisBloomFilter.open(halfMoved, newName(), SIZE);
  const waiting = await RedisBloomFilter.open(halfMoved, shared.name, WAITING);
  const hasty = await RedisBloomFilter.open(halfMoved, shared.name, { timeout: 1000 });
  await shared.addMany(['before']);
  await waiting.addMany(['before']);
  isMoving = true;
  expect([await shared.add('one'), await shared.add('one')]).toEqual([true, false]);
  expect(await shared.dedupe(['before', 'one', ...KEYS])).toEqual(KEYS);
  expect(await shared.omit(['before', 'one', ...KEYS, 'absent'])).toEqual(['absent']);
  await expect(waiting.addMany(KEYS)).rejects.toMatchObject(unconfirmed(KEYS.length));
  const late = { code: 'TIMEOUT', message: expect.stringMatching(/: .*\bTRYAGAIN\b/) };
  await expect(hasty.clear()).rejects.toMatchObject(late);
  isMoving = false;
  await waiting.addMany(KEYS);
  await shared.clear();
  expect(await shared.dedupe(KEYS)).toEqual(KEYS);
});

it.each<[string, (name: string) => Promise<unknown>]>([
  ['the slot is being moved', async () => (isMoving = true)],
  ['the slot has moved', async () => (master = 'new')],
  ['a replica that lacks them is master', async (name) => server.send('del', ...(await keysOf(`${name}:*once:*`)))],
])('keys are not confirmed by the replica of a master that they have left, if then %s', async (_, leave) => {
  const shared = await RedisBloomFilter.open(halfMoved, newName(), { ...SIZE, ...WAITING });
  await shared.addMany(KEYS.slice(100));
  whileWaiting = async () => void (await leave(shared.name));
  await expect(shared.addMany(KEYS.slice(0, 100))).rejects.toMatchObject(unconfirmed(100));
});

it('a filter that forgets is used while a slot is being moved, before anything was made', async () => {
  const shared = await RotatingRedisBloomFilter.open(halfMoved, newName(), ROTATING);
  isMoving = true;
  const added = shared.add('a');
  await sleep(100);
  isMoving = false;
  expect(await added).toBe(true);
});

it('a call that answers some of its keys does not confirm the others', async () => {
  const { name } = await RedisBloomFilter.open(single, newName(), { ...SIZE, spread: 1 });
  const cutting = intercepted(halfMoved, async (send, { command }) => {
    const reply = await send();
    if (isMoving || !command.some((part) => typeof part !== 'string')) return reply;
    await (await RedisBloomFilter.open(single, name)).clear();
    isMoving = true;
    return String(reply).slice(0, 1);
  });
  whileWaiting = async () => {
    isMoving = false;
  };
  const added = (await RedisBloomFilter.open(cutting, name, WAITING)).addMany(['a', 'b']);
  await expect(added).rejects.toMatchObject({ answers: { done: Uint8Array.of(1, 1), confirmed: Uint8Array.of(1, 0) } });
});

it('a half-moved slot is no problem for check and list, which ask for each key', async () => {
  const { name, pieces } = await RedisBloomFilter.open(single, newName(), { ...SIZE, spread: 1 });
  isMoving = true;
  const alone = { ...halfMoved, cluster: false };
  const report = await RedisBloomFilter.check(alone, name, { timeout: 2000 });
  expect(report).toMatchObject({ status: 'ok', memory: expect.any(Number), masters: [{ pieces }] });
  const listed = await RedisBloomFilter.list(alone, { timeout: 2000 });
  expect(listed.find((each) => each.name === name)).toMatchObject({ pieces, idle: expect.any(Number) });
});

it('a filter is lost if its lists are, and can be deleted', async () => {
  const shared = await RedisBloomFilter.open(halfMoved, newName(), SIZE);
  isMoving = true;
  await server.send('del', ...(await listsOf(shared.name)));
  for (const call of [() => shared.has('one'), () => shared.add('one')]) {
    await expect(call()).rejects.toMatchObject({ code: 'LOST' });
  }
  isMoving = false;
  expect(await RedisBloomFilter.delete(single, shared.name)).toBe(true);
  expect(await keysOf(`${shared.name}:*`)).toEqual([]);
});
