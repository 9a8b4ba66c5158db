// A slot that stays half-moved, as an interrupted resharding leaves it: its pieces are on the new master already, which
// has no replica, and the slot is still the old one's.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapterOf, RedisBloomFilter, RedisFilterError, slotOf } from '../../src/redis.ts';
import { type Client, connect, knowing } from './clients.ts';
import { Cluster, type Server, until } from './servers.ts';

const HOST = '127.0.0.1';
const KEYS = Array.from({ length: 300 }, (_, i) => `key ${i}`);
const WAIT = { replicas: 1, ms: 500 };

let cluster: Cluster;
let from: Server;
let to: Server;
let admin: Client;

beforeAll(async () => {
  cluster = await Cluster.start(2, { replicated: true });
  [from, to] = cluster.masters as [Server, Server];
  const [, replica] = cluster.replicas as [Server, Server];
  replica.kill();
  await until('the new master has no replica', async () => (await to.info('replication', 'connected_slaves')) === '0');
  admin = await connect('redis', cluster.ports, { cluster: true });
}, 60_000);

afterAll(() => {
  admin.close();
  cluster.stop();
});

/** Makes a filter whose one slot is on the old master. */
async function makeFilter(purpose: string): Promise<{ name: string; slot: number }> {
  for (let i = 0; ; i++) {
    const name = `${purpose}:${i}`;
    const shared = await RedisBloomFilter.open(admin.client, name, { capacity: 1000, spread: 1 });
    const piece = await pieceOf(name);
    if (piece) return { name, slot: slotOf(piece) };
    await shared.delete();
  }
}

/** The piece of a filter, if it is on the old master. */
async function pieceOf(name: string): Promise<string> {
  const keys = (await from.send('keys', `${name}:*`)) as string[];
  return keys.find((key) => /:[0-9a-f]{16}:0$/.test(key)) ?? '';
}

/** Says that a slot is being moved, and moves some keys in it, but not the slot. */
async function moveHalf(slot: number, keys: readonly string[]): Promise<void> {
  await to.send('cluster', 'setslot', slot, 'importing', String(await from.send('cluster', 'myid')));
  await from.send('cluster', 'setslot', slot, 'migrating', String(await to.send('cluster', 'myid')));
  for (const key of keys) await from.send('migrate', HOST, to.port, key, 0, 5000);
}

async function settle(slot: number): Promise<void> {
  const id = String(await to.send('cluster', 'myid'));
  for (const key of (await from.send('cluster', 'getkeysinslot', slot, 1000)) as string[]) {
    await from.send('migrate', HOST, to.port, key, 0, 5000);
  }
  for (const server of [to, from]) await server.send('cluster', 'setslot', slot, 'node', id);
}

async function errorOf(call: Promise<unknown>): Promise<RedisFilterError> {
  const error: unknown = await call.then(
    () => 'no error',
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RedisFilterError);
  return error as RedisFilterError;
}

describe.each(knowing)('with %s, a piece that has moved before its slot', (library) => {
  it('has keys that no replica confirms', async () => {
    const { name, slot } = await makeFilter(`unconfirmed:${library}`);
    const { client, close } = await connect(library, cluster.ports, { cluster: true });
    const shared = await RedisBloomFilter.open(client, name, { wait: WAIT, timeout: 3000 });
    await shared.addMany(['before']);
    await moveHalf(slot, [await pieceOf(name)]);
    const { code, answers } = await errorOf(shared.addMany(KEYS));
    expect(code).toBe('UNREPLICATED');
    expect(answers?.done).toEqual(new Uint8Array(KEYS.length).fill(1));
    expect(answers?.confirmed).toEqual(new Uint8Array(KEYS.length));
    expect((await errorOf(shared.add('one'))).code).toBe('UNREPLICATED');
    await settle(slot);
    expect((await errorOf(shared.addMany(KEYS))).code).toBe('UNREPLICATED');
    expect(await shared.omit([...KEYS, 'one'])).toEqual([]);
    close();
  });

  it('tells what is new, once', async () => {
    const { name, slot } = await makeFilter(`flags:${library}`);
    const { client, close } = await connect(library, cluster.ports, { cluster: true });
    // A client that sends again by itself, a tenth of a second later, would need more than this.
    const shared = await RedisBloomFilter.open(client, name, { timeout: 500 });
    await shared.addMany(['before']);
    await moveHalf(slot, [await pieceOf(name)]);
    expect(await shared.add('one')).toBe(true);
    expect(await shared.add('one')).toBe(false);
    expect(await shared.dedupe(['before', 'one', ...KEYS])).toEqual(KEYS);
    expect(await shared.omit(['before', 'one', ...KEYS, 'absent'])).toEqual(['absent']);
    await settle(slot);
    expect(await shared.dedupe(['before', 'one', ...KEYS, 'last'])).toEqual(['last']);
    close();
  });

  it('is lost if its list is', async () => {
    const { name, slot } = await makeFilter(`unlisted:${library}`);
    const { client, close } = await connect(library, cluster.ports, { cluster: true });
    const shared = await RedisBloomFilter.open(client, name, { timeout: 500 });
    const piece = await pieceOf(name);
    await moveHalf(slot, [piece]);
    await from.send('del', piece.replace(/:[0-9a-f]{16}:0$/, ':filters'));
    for (const call of [() => shared.has('one'), () => shared.add('one')])
      expect((await errorOf(call())).code).toBe('LOST');
    await settle(slot);
    close();
  });

  it('is not confirmed by the replica of the master that it has left', async () => {
    const { name, slot } = await makeFilter(`left:${library}`);
    const { client, close } = await connect(library, cluster.ports, { cluster: true });
    const adapter = adapterOf(client);
    const wait = adapter.wait?.bind(adapter);
    let isMoved = false;
    // The keys are added to the old master, which then gives all away, with what it remembers, before WAIT.
    const moving = {
      ...adapter,
      wait: async (...args: Parameters<NonNullable<typeof wait>>): Promise<number> => {
        if (!isMoved) await moveHalf(slot, (await from.send('cluster', 'getkeysinslot', slot, 1000)) as string[]);
        isMoved = true;
        return (await wait?.(...args)) ?? 0;
      },
    };
    const shared = await RedisBloomFilter.open(moving, name, { wait: WAIT, timeout: 3000 });
    const { code, answers } = await errorOf(shared.addMany(KEYS));
    expect(code).toBe('UNREPLICATED');
    expect(answers?.confirmed).toEqual(new Uint8Array(KEYS.length));
    await settle(slot);
    close();
  });

  it('keeps its filter until all of its slot has moved, and can then be cleared, or can be deleted', async () => {
    const { name, slot } = await makeFilter(`lifecycle:${library}`);
    const { client, close } = await connect(library, cluster.ports, { cluster: true });
    const shared = await RedisBloomFilter.open(client, name, { timeout: 500 });
    await shared.addMany(KEYS);
    await moveHalf(slot, [await pieceOf(name)]);
    const { code, message } = await errorOf(shared.clear());
    expect({ code, message }).toEqual({ code: 'TIMEOUT', message: expect.stringMatching(/: .*\bTRYAGAIN\b/) });
    expect(await (await RedisBloomFilter.open(client, name)).omit(KEYS)).toEqual([]);
    await settle(slot);
    await shared.clear();
    expect(await shared.dedupe(KEYS)).toEqual(KEYS);
    await shared.delete();

    const other = await makeFilter(`deleted:${library}`);
    await moveHalf(other.slot, [await pieceOf(other.name)]);
    expect(await RedisBloomFilter.delete(client, other.name)).toBe(true);
    await settle(other.slot);
    for (const made of [name, other.name]) {
      const keys = await Promise.all(cluster.masters.map((master) => master.send('keys', `${made}*`)));
      // What Redis remembers of calls expires.
      expect((keys.flat() as string[]).filter((key) => !key.includes(':once:'))).toEqual([]);
    }
    close();
  });
});
