// A slot that stays half-moved, as an interrupted resharding leaves it: its pieces are on the new master already, which
// has no replica, and the slot is still the old one's.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapterOf, RedisBloomFilter, type RedisClient, slotOf } from '../../src/entries/redis.ts';
import { type Client, connect, knowing, type Library } from './clients.ts';
import { Cluster, type Server, until } from './servers.ts';

const KEYS = Array.from({ length: 300 }, (_, i) => `key ${i}`);
const WAITING = { wait: { replicas: 1, ms: 300 }, timeout: 3000 };
/** A client that sends again by itself, a tenth of a second later, would need more than this. */
const HASTY = { timeout: 500 };

let cluster: Cluster;
let from: Server;
let to: Server;
const connections: Client[] = [];

beforeAll(async () => {
  cluster = await Cluster.start(2, { replicated: true });
  [from, to] = cluster.masters as [Server, Server];
  const [, replica] = cluster.replicas as [Server, Server];
  replica.kill();
  await until('the new master has no replica', async () => (await to.info('replication', 'connected_slaves')) === '0');
}, 60_000);

afterAll(() => {
  for (const { close } of connections) close();
  cluster.stop();
});

async function keysIn(slot: number): Promise<string[]> {
  return (await from.send('cluster', 'getkeysinslot', slot, 1000)) as string[];
}

/** A filter whose one slot is on the old master, and what moves it. */
interface Moving {
  readonly client: RedisClient;
  readonly name: string;
  readonly piece: string;
  /** Says that the slot is being moved, and moves some keys in it, but not the slot. */
  moveHalf(keys?: readonly string[]): Promise<void>;
  /** Moves the rest. */
  settle(): Promise<void>;
}

async function makeMoving(library: Library, purpose: string): Promise<Moving> {
  const connection = await connect(library, cluster.ports, { cluster: true });
  connections.push(connection);
  const { client } = connection;
  for (let i = 0; ; i++) {
    const name = `${purpose}:${library}:${i}`;
    const shared = await RedisBloomFilter.open(client, name, { capacity: 1000, spread: 1 });
    const keys = (await from.send('keys', `${name}:*`)) as string[];
    const piece = keys.find((key) => /:[0-9a-f]{16}:0$/.test(key));
    if (!piece) {
      await shared.delete();
      continue;
    }
    const slot = slotOf(piece);
    let end = async (): Promise<void> => {};
    const moveHalf = async (keys = [piece]): Promise<void> => {
      end = await cluster.beginMove(slot, from, to);
      for (const key of keys) await from.migrate(key, to);
    };
    const settle = async (): Promise<void> => {
      for (const key of await keysIn(slot)) await from.migrate(key, to);
      await end();
    };
    return { client, name, piece, moveHalf, settle };
  }
}

async function expectNothing(name: string): Promise<void> {
  const keys = await Promise.all(cluster.masters.map((master) => master.send('keys', `${name}*`)));
  // What Redis remembers of calls expires.
  expect((keys.flat() as string[]).filter((key) => !key.includes(':once:'))).toEqual([]);
}

const unconfirmed = (count: number): object => ({
  code: 'UNREPLICATED',
  answers: { done: new Uint8Array(count).fill(1), confirmed: new Uint8Array(count) },
});

describe.each(knowing)('with %s, a piece that has moved before its slot', (library) => {
  it('tells what is new, once, has keys that no replica confirms, and is cleared when its slot has moved', async () => {
    const { client, name, moveHalf, settle } = await makeMoving(library, 'moved');
    const shared = await RedisBloomFilter.open(client, name, HASTY);
    const waiting = await RedisBloomFilter.open(client, name, WAITING);
    await shared.addMany(['before']);
    await moveHalf();
    expect([await shared.add('one'), await shared.add('one')]).toEqual([true, false]);
    expect(await shared.dedupe(['before', 'one', ...KEYS])).toEqual(KEYS);
    expect(await shared.omit(['before', 'one', ...KEYS, 'absent'])).toEqual(['absent']);
    await expect(waiting.addMany(KEYS)).rejects.toMatchObject(unconfirmed(KEYS.length));
    await expect(waiting.add('two')).rejects.toMatchObject(unconfirmed(1));
    await expect(shared.clear()).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringMatching(/: .*\bTRYAGAIN\b/),
    });
    expect(await (await RedisBloomFilter.open(client, name)).omit(['before', 'one', 'two', ...KEYS])).toEqual([]);
    await settle();
    expect(await shared.dedupe(['before', 'one', ...KEYS, 'last'])).toEqual(['last']);
    await expect(waiting.addMany(KEYS)).rejects.toMatchObject(unconfirmed(KEYS.length));
    await shared.clear();
    expect(await shared.dedupe(KEYS)).toEqual(KEYS);
    await shared.delete();
    await expectNothing(name);
  });

  it.each(['before', 'after'])('is not confirmed by the replica of the master that it left %s WAIT', async (when) => {
    const { client, name, piece, moveHalf, settle } = await makeMoving(library, when);
    const adapter = adapterOf(client);
    const moveAll = async (): Promise<void> => moveHalf(await keysIn(slotOf(piece)));
    // The keys are added to the old master, which then gives all away, with what it remembers.
    const moving = {
      ...adapter,
      wait: async (...args: Parameters<NonNullable<typeof adapter.wait>>): Promise<number> => {
        if (when === 'before') await moveAll();
        const count = (await adapter.wait?.(...args)) ?? 0;
        if (when === 'before') return count;
        expect(count).toBe(1);
        await moveAll();
        await settle();
        return count;
      },
    };
    const shared = await RedisBloomFilter.open(moving, name, { ...WAITING, wait: { replicas: 1, ms: 5000 } });
    await expect(shared.addMany(KEYS.slice(0, 100))).rejects.toMatchObject(unconfirmed(100));
    await settle();
  });
});

it('is lost if its list is, and can be deleted', async () => {
  const { client, name, piece, moveHalf, settle } = await makeMoving('redis', 'unlisted');
  const shared = await RedisBloomFilter.open(client, name, HASTY);
  await moveHalf();
  await from.send('del', piece.replace(/:[0-9a-f]{16}:0$/, ':filters'));
  for (const call of [() => shared.has('one'), () => shared.add('one')])
    await expect(call()).rejects.toMatchObject({ code: 'LOST' });
  expect(await RedisBloomFilter.delete(client, name)).toBe(true);
  await settle();
  await expectNothing(name);
});
