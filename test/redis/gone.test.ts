// What is gone is an error: a key that was added is never absent without one.

import { connect as connectTo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BlockedBloomFilter } from '../../src/index.ts';
import { RedisBloomFilter, type RedisClient, RotatingRedisBloomFilter, slotOf } from '../../src/redis.ts';
import { type Client, connect, libraries } from './clients.ts';
import { Cluster, Server, until } from './servers.ts';

const HOUR = 3_600_000;
const SIZE = { capacity: 20_000 };
const keys = Array.from({ length: 5000 }, (_, i) => `key ${i}`);
/** Too many to be false positives: of keys that nobody has added, 1 % look present. */
const MOST = 2500;

let server: Server;
let connection: Client;
let client: RedisClient;
let names = 0;

const newName = (): string => `gone:${names++}`;

beforeAll(async () => {
  server = await Server.start();
  connection = await connect('redis', [server.port]);
  client = connection.client;
}, 60_000);

afterAll(() => {
  connection.close();
  server.stop();
});

const failure = (code: string, message: RegExp): object => ({ code, message: expect.stringMatching(message) });
const LOST = failure('LOST', /^a part of "gone:.*" is missing/);
const GONE = failure('ABSENT', /^the filter "gone:.*" that was opened is gone: .* another one has been made/);

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTo(port, '127.0.0.1', () => resolve(false)).on('error', () => resolve(true));
    socket.unref().end();
  });
}

/** The strings that hold the bits of a filter. */
async function piecesOf(name: string): Promise<string[]> {
  const keys = (await server.send('keys', `${name}:{*`)) as string[];
  return keys.filter((key) => /\}:(?!once:).*\b\d+$/.test(key)).toSorted();
}

describe.each(libraries)('with %s, after the master of the parameters has restarted empty', (library) => {
  let cluster: Cluster;
  let clients: Client[];

  beforeAll(async () => {
    cluster = await Cluster.start(3);
    clients = await Promise.all([0, 1].map(() => connect(library, cluster.ports, { cluster: true })));
  }, 60_000);

  afterAll(() => {
    for (const { close } of clients) close();
    cluster.stop();
  });

  const restartMasterOf = async (name: string): Promise<void> => {
    const master = cluster.masters[Math.floor((slotOf(name) * 3) / 16384)] as Server;
    expect(await master.send('exists', name)).toBe(1);
    master.kill();
    await until('the port is free', () => isFree(master.port));
    await master.run();
    for (const each of cluster.masters) {
      await until('all slots are served', async () =>
        String(await each.send('cluster', 'info')).includes('cluster_state:ok'),
      );
    }
  };

  /** Makes a filter whose parameters and only piece are on the master of the parameters of another. */
  const makeSmall = async (client: RedisClient, name: string): Promise<string> => {
    const masterOf = (key: string): number => Math.floor((slotOf(key) * 3) / 16384);
    for (let i = 0; ; i++) {
      const small = `${name}:small ${i}`;
      if (masterOf(small) !== masterOf(name)) continue;
      const filter = await RedisBloomFilter.open(client, small, { capacity: 100 });
      await filter.addMany(['a']);
      const master = cluster.masters[masterOf(small)] as Server;
      const isHere = ((await master.send('keys', `${small}:{*`)) as string[]).some((key) =>
        /:[0-9a-f]{16}:0$/.test(key),
      );
      if (isHere) return small;
      await filter.delete();
    }
  };

  it('a filter is lost to all until it is deleted, whatever size it is opened with', async () => {
    const name = `gone:${library}`;
    const [one, other] = clients.map((each) => each.client) as [RedisClient, RedisClient];
    const old = await RedisBloomFilter.open(one, name, SIZE);
    await old.addMany(keys);
    const small = await makeSmall(one, name);
    await restartMasterOf(name);
    await expect(RedisBloomFilter.open(other, small, { capacity: 100 })).rejects.toMatchObject(LOST);
    expect(await RedisBloomFilter.delete(other, small)).toBe(true);
    await until('it is absent', () =>
      old.hasMany(keys).then(
        () => false,
        (error: { code: string }) => error.code === 'ABSENT',
      ),
    );
    for (const size of [SIZE, SIZE, { capacity: 1_000_000 }, { capacity: 100 }, {}]) {
      await expect(RedisBloomFilter.open(other, name, size)).rejects.toMatchObject(LOST);
    }
    const local = BlockedBloomFilter.from(keys, SIZE);
    await expect(RedisBloomFilter.fromLocal(other, name, local)).rejects.toMatchObject(LOST);
    await expect(RotatingRedisBloomFilter.open(other, name, { ...SIZE, window: HOUR })).rejects.toMatchObject(LOST);
    await expect(old.hasMany(keys)).rejects.toMatchObject({ code: 'ABSENT' });

    expect(await RedisBloomFilter.delete(other, name)).toBe(true);
    for (const master of cluster.masters) expect(await master.send('dbsize')).toBe(0);
    const next = await RedisBloomFilter.open(other, name, SIZE);
    expect(await next.dedupe(keys.slice(0, 9))).toEqual(keys.slice(0, 9));
    await expect(old.hasMany(keys)).rejects.toMatchObject(GONE);
    await next.delete();
  });

  it('a filter that forgets says so at the first key that it has lost', async () => {
    const name = `gone:rotating:${library}`;
    const [one, other] = clients.map((each) => each.client) as [RedisClient, RedisClient];
    const old = await RotatingRedisBloomFilter.open(one, name, { ...SIZE, window: HOUR });
    await old.addMany(keys);
    await restartMasterOf(name);
    const next = await RotatingRedisBloomFilter.open(other, name, { ...SIZE, window: HOUR });
    await expect(next.hasMany(keys)).rejects.toMatchObject(LOST);
    await expect(old.hasMany(keys)).rejects.toMatchObject(LOST);
    await next.delete();
    for (const master of cluster.masters) expect(await master.send('keys', `${name}*`)).toEqual([]);
  });
});

describe('without its parameters, a filter', () => {
  it.each<[string, (name: string) => Promise<unknown>]>([
    ['opened', (name) => RedisBloomFilter.open(client, name, SIZE)],
    ['opened without a size', (name) => RedisBloomFilter.open(client, name)],
  ])('that is whole is found again: %s', async (_, open) => {
    const name = newName();
    const old = await RedisBloomFilter.open(client, name, SIZE);
    await old.clear();
    await old.addMany(keys);
    const text = await server.send('get', name);
    await server.send('del', name);
    await open(name);
    expect(await server.send('get', name)).toBe(text);
    const found = await RedisBloomFilter.open(client, name);
    expect(await found.pick(keys)).toEqual(keys);
    expect(await old.pick(keys)).toEqual(keys);
    await old.clear();
    expect((await found.pick(keys)).length).toBeLessThan(MOST);
  });

  it('is not made again with another size, so that there are never two', async () => {
    const name = newName();
    const old = await RedisBloomFilter.open(client, name, SIZE);
    await old.addMany(keys);
    for (const capacity of [100, 1_000_000]) {
      await server.send('del', name);
      await expect(RedisBloomFilter.open(client, name, { capacity })).rejects.toMatchObject({ code: 'MISMATCH' });
    }
    const local = BlockedBloomFilter.from(['a'], SIZE);
    await server.send('del', name);
    await expect(RedisBloomFilter.fromLocal(client, name, local)).rejects.toMatchObject({ code: 'EXISTS' });
    await server.send('del', name);
    const forgets = RotatingRedisBloomFilter.open(client, name, { ...SIZE, window: HOUR });
    await expect(forgets).rejects.toMatchObject({ code: 'MISMATCH' });
    expect(await old.pick(keys)).toEqual(keys);
  });

  it.each([
    ['a string', async (name: string) => (await piecesOf(name))[0]],
    ['a list', async (name: string) => ((await server.send('keys', `${name}:*:filters`)) as string[])[0]],
  ])('that lacks %s is lost, and deleting it leaves nothing', async (_, partOf) => {
    const name = newName();
    const old = await RedisBloomFilter.open(client, name, SIZE);
    await old.addMany(keys);
    await server.send('del', name, (await partOf(name)) ?? '');
    await expect(RedisBloomFilter.open(client, name, SIZE)).rejects.toMatchObject(LOST);
    await expect(old.hasMany(keys)).rejects.toMatchObject({ code: 'ABSENT' });
    expect(await RedisBloomFilter.delete(client, name)).toBe(true);
    expect((await server.send('keys', `${name}*`)) as string[]).toEqual([]);
    expect(await RedisBloomFilter.delete(client, name)).toBe(false);
  });

  it('is deleted by its name though a list and the notes hold something else', async () => {
    const name = newName();
    await RedisBloomFilter.open(client, name, SIZE);
    const [list = ''] = (await server.send('keys', `${name}:*:filters`)) as string[];
    for (const key of [list, `${name}:{${name}}:making`]) await server.send('set', key, 'hello');
    expect(await RedisBloomFilter.delete(client, name)).toBe(true);
    expect(await server.send('keys', `${name}*`)).toEqual([]);
  });

  it('is not deleted if the lists have one of a later version, nor made again', async () => {
    const name = newName();
    const old = await RedisBloomFilter.open(client, name, SIZE);
    await old.addMany(keys);
    const later = String(await server.send('get', name)).replace('"bloomery":1', '"bloomery":9');
    const [list = ''] = (await server.send('keys', `${name}:*:filters`)) as string[];
    await server.send('hset', list, '0'.repeat(16), later);
    await expect(RedisBloomFilter.delete(client, name)).rejects.toMatchObject({ code: 'VERSION' });
    expect(await old.pick(keys)).toEqual(keys);
    await server.send('del', name);
    await expect(RedisBloomFilter.delete(client, name)).rejects.toMatchObject({ code: 'VERSION' });
    await expect(RedisBloomFilter.open(client, name, SIZE)).rejects.toMatchObject({ code: 'VERSION' });
    await server.send('hdel', list, '0'.repeat(16));
    expect(await (await RedisBloomFilter.open(client, name)).pick(keys)).toEqual(keys);
  });

  it('that forgets is found again', async () => {
    const name = newName();
    const old = await RotatingRedisBloomFilter.open(client, name, { ...SIZE, window: HOUR });
    await old.addMany(keys);
    await server.send('del', name);
    const found = await RotatingRedisBloomFilter.open(client, name, { ...SIZE, window: HOUR });
    expect(await found.pick(keys)).toEqual(keys);
    expect(await found.dedupe(keys)).toEqual([]);
    await server.send('del', name);
    const other = RotatingRedisBloomFilter.open(client, name, { ...SIZE, window: 2 * HOUR });
    await expect(other).rejects.toMatchObject({ code: 'MISMATCH' });
  });
});

/** Both classes, opened under a name. */
const kinds = [
  ['plain', (name: string) => RedisBloomFilter.open(client, name, SIZE)],
  ['that forgets', (name: string) => RotatingRedisBloomFilter.open(client, name, { ...SIZE, window: HOUR })],
] as const;

describe.each(kinds)('an object of a filter (%s) that is gone', (_, open) => {
  it.each<[string, (name: string) => Promise<unknown>]>([
    ['by FLUSHALL', () => server.send('flushall')],
    ['because another client has deleted it', async (name) => (await open(name)).delete()],
    ['because it was deleted by its name', (name) => RotatingRedisBloomFilter.delete(client, name)],
  ])('never takes another for it: %s', async (_, remove) => {
    const name = newName();
    const old = await open(name);
    await old.addMany(keys);
    await remove(name);
    await expect(old.hasMany(keys)).rejects.toMatchObject(failure('ABSENT', /^there is no filter/));
    const next = await open(name);
    await next.addMany(['theirs']);
    await expect(old.hasMany(keys)).rejects.toMatchObject(GONE);
    await expect(old.add('key 1')).rejects.toMatchObject(GONE);
    await expect(old.delete()).rejects.toMatchObject(GONE);
    if (old instanceof RedisBloomFilter) {
      await expect(old.clear()).rejects.toMatchObject(GONE);
      await expect(old.toLocal()).rejects.toMatchObject(GONE);
      await expect(old.merge(new BlockedBloomFilter(SIZE).addMany(['x']))).rejects.toMatchObject(GONE);
    }
    expect(await next.has('theirs')).toBe(true);
    expect((await next.pick(keys)).length).toBeLessThan(MOST);
  });
});

it('an object goes on after `clear` and after a replacement, which make nothing absent without being told to', async () => {
  const name = newName();
  const old = await RedisBloomFilter.open(client, name, SIZE);
  const other = await RedisBloomFilter.open(client, name);
  await other.clear();
  await old.addMany(keys);
  expect(await other.pick(keys)).toEqual(keys);
  await RedisBloomFilter.fromLocal(client, name, BlockedBloomFilter.from(['b'], SIZE), { replace: true });
  expect([await old.has('b'), await other.has('b')]).toEqual([true, true]);
  await old.clear();
  expect(await other.has('b')).toBe(false);
});

describe('a filter that forgets, with a window that has lost a part', () => {
  /** The lists, each with its field that says that the window is made. */
  const notes = async (name: string): Promise<[list: string, field: string, value: string][]> => {
    const { id } = JSON.parse(String(await server.send('get', name)));
    const field = `${id}.window`;
    const lists = ((await server.send('keys', `${name}:*:filters`)) as string[]).toSorted();
    return Promise.all(
      lists.map(
        async (list): Promise<[string, string, string]> => [
          list,
          field,
          String(await server.send('hget', list, field)),
        ],
      ),
    );
  };

  it('is lost, however few of the lists know that it was made', async () => {
    const name = newName();
    const old = await RotatingRedisBloomFilter.open(client, name, { ...SIZE, window: HOUR });
    await old.addMany(keys);
    const all = await notes(name);
    const [piece = ''] = await piecesOf(name);
    await server.send('del', piece);
    // Only one list knows: a different one in each round.
    for (const left of all) {
      const gone = all.filter((each) => each !== left);
      for (const [list, field] of gone) await server.send('hdel', list, field);
      const next = await RotatingRedisBloomFilter.open(client, name);
      await expect(next.hasMany(keys)).rejects.toMatchObject(LOST);
      await expect(next.addMany(keys)).rejects.toMatchObject(LOST);
      await expect(old.hasMany(keys)).rejects.toMatchObject(LOST);
      for (const note of gone) await server.send('hset', ...note);
    }
    expect(all.length).toBeGreaterThan(2);
  });

  it('is finished if no list knows of it, for then nobody has added to it', async () => {
    const name = newName();
    const old = await RotatingRedisBloomFilter.open(client, name, { ...SIZE, window: HOUR });
    await old.has('a');
    const pieces = await piecesOf(name);
    for (const [list, field] of await notes(name)) await server.send('hdel', list, field);
    await server.send('del', ...pieces.slice(1));
    const next = await RotatingRedisBloomFilter.open(client, name);
    expect(await next.dedupe(keys)).toEqual(keys.filter((key, i) => keys.indexOf(key) === i));
    expect(await piecesOf(name)).toEqual(pieces);
  });

  it('is lost if the lists are gone, for then nobody knows', async () => {
    const name = newName();
    const old = await RotatingRedisBloomFilter.open(client, name, { ...SIZE, window: HOUR });
    await old.addMany(keys);
    const pieces = await piecesOf(name);
    await server.send('del', ...(await notes(name)).map(([list]) => list), ...pieces.slice(1));
    const next = await RotatingRedisBloomFilter.open(client, name);
    await expect(next.hasMany(keys)).rejects.toMatchObject(LOST);
    await expect(old.hasMany(keys)).rejects.toMatchObject(LOST);
  });
});
