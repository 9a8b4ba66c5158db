import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BlockedBloomFilter } from '../../src/index.ts';
import { RedisBloomFilter, type RedisClient, RotatingRedisBloomFilter } from '../../src/redis.ts';
import { randomFrom } from '../shared/random.ts';
import { type Client, connect, libraries } from './clients.ts';
import { Server, sleep, until } from './servers.ts';

const HOUR = 3_600_000;

let server: Server;
let clients: Client[];
let names = 0;

const newName = (): string => `rotating:${names++}`;

beforeAll(async () => {
  server = await Server.start();
  clients = await Promise.all(libraries.map((library) => connect(library, [server.port])));
}, 300_000);

afterAll(() => {
  for (const client of clients) client.close();
  server.stop();
});

const redis = (): RedisClient => (clients[0] as Client).client;
const ioredis = (): RedisClient => (clients[1] as Client).client;

const open = (name: string, window: number, client = redis()): Promise<RotatingRedisBloomFilter> =>
  RotatingRedisBloomFilter.open(client, name, { capacity: 5000, window });

const piecesOf = async (name: string): Promise<string[]> => {
  const keys = (await server.send('keys', `${name}:{*`)) as string[];
  return keys.filter((key) => /:\d+:\d+$/.test(key));
};

describe('a filter that forgets', () => {
  it('answers within a window as one in memory does, at half the error rate', async () => {
    const shared = await open(newName(), 24 * HOUR);
    const local = new BlockedBloomFilter({ capacity: 5000, errorRate: 0.005 });
    const keys = Array.from({ length: 4000 }, (_, i) => `key ${i % 3000}`);
    expect(await shared.dedupe(keys)).toEqual(local.dedupe(keys));
    expect(await shared.hasMany(Uint32Array.of(1, 2, 3))).toEqual(local.hasMany(Uint32Array.of(1, 2, 3)));
    expect(await Promise.all(['key 1', 'other'].map((key) => shared.add(key)))).toEqual([false, true]);
    const { bits } = local;
    expect(shared).toMatchObject({ capacity: 5000, errorRate: 0.01, window: 24 * HOUR, bits, byteLength: bits / 4 });
  });

  it('knows each key for a window at least, whichever client adds it', async () => {
    const window = 400;
    const name = newName();
    const added = new Map<number, [start: number, end: number][]>();
    const news: { key: number; start: number; end: number }[] = [];
    const work = async (client: RedisClient, seed: number): Promise<void> => {
      const shared = await open(name, window, client);
      const random = randomFrom(seed);
      for (const stop = Date.now() + 3000; Date.now() < stop; await sleep(random(20))) {
        const key = random(60);
        const start = Date.now();
        const isNew = await shared.add(key);
        const end = Date.now();
        if (isNew) news.push({ key, start, end });
        added.set(key, [...(added.get(key) ?? []), [start, end]]);
      }
    };
    await Promise.all(clients.map(({ client }, i) => work(client, i)));
    expect(news.length).toBeGreaterThan(60);
    for (const { key, start, end } of news) {
      for (const [from, to] of added.get(key) ?? []) if (to < start) expect(end - from).toBeGreaterThanOrEqual(window);
    }
  });

  it('forgets a key after two windows at most, and leaves only its parameters', async () => {
    const name = newName();
    const window = 1500;
    const shared = await open(name, window);
    const other = await open(name, window, ioredis());
    expect([await shared.add('a'), await other.add('a')]).toEqual([true, false]);
    await sleep(2 * window + 50);
    expect([await shared.has('a'), await other.add('a'), await shared.has('a')]).toEqual([false, true, true]);
    await until('all generations have expired', async () => (await piecesOf(name)).length === 0);
    expect(await server.send('exists', name)).toBe(1);
    expect(await shared.add('a')).toBe(true);
  });

  it.each([
    ['current', -1, 0],
    ['one before', -2, 1],
  ])('tells a lost piece from one that was never made: %s', async (_, position, later) => {
    const name = newName();
    const window = 1500;
    const shared = await RotatingRedisBloomFilter.open(redis(), name, { capacity: 100, window });
    await shared.add('a');
    if (later) {
      await sleep(window);
      await shared.add('b');
    }
    await sleep(window - (Date.now() % window) + 50);
    await shared.add('c');
    const generations = (await piecesOf(name)).toSorted();
    await server.send('del', generations.at(position) ?? '');
    await expect(shared.hasMany(Uint32Array.of(1, 2, 3))).rejects.toMatchObject({ code: 'LOST' });
    await expect(shared.add('d')).rejects.toMatchObject({ code: 'LOST' });
  });

  it('does not go back when the clock does, as after a failover to a server whose clock is behind', async () => {
    const name = newName();
    const shared = await open(name, HOUR);
    const keys = Array.from({ length: 300 }, (_, i) => `key ${i}`);
    await shared.addMany(keys);
    // The window becomes one that this server has yet to reach.
    const { id } = JSON.parse(String(await server.send('get', name)));
    for (const piece of await piecesOf(name)) {
      const ahead = piece.replace(/(\d+):(\d+)$/, (_, window, number) => `${Number(window) + 3}:${number}`);
      await server.send('rename', piece, ahead);
    }
    for (const list of (await server.send('keys', `${name}:*:filters`)) as string[]) {
      await server.send('hincrby', list, `${id}.window`, 3);
    }
    const other = await open(name, HOUR, ioredis());
    for (const each of [shared, other]) {
      expect(await each.omit(keys)).toEqual([]);
      expect(await each.dedupe(['key 1', `key of ${each === other}`])).toEqual([`key of ${each === other}`]);
    }
    await shared.delete();
    expect(await piecesOf(name)).toEqual([]);
  });

  it('is not opened as one that does not, nor with other parameters', async () => {
    const name = newName();
    await open(name, HOUR);
    await expect(open(name, 2 * HOUR)).rejects.toThrow(
      /^window of .* must be 3600000, as the filter was made, got 7200000/,
    );
    for (const options of [{}, { capacity: 5000 }]) {
      await expect(RedisBloomFilter.open(redis(), name, options)).rejects.toThrow(/as the RotatingRedisBloomFilter/);
    }
    const plain = newName();
    await RedisBloomFilter.open(redis(), plain, { capacity: 5000 });
    await expect(RotatingRedisBloomFilter.open(redis(), plain)).rejects.toMatchObject({ code: 'MISMATCH' });
    await expect(RotatingRedisBloomFilter.open(redis(), 'x', { capacity: 1 })).rejects.toThrow(/^window must be/);
    await expect(RotatingRedisBloomFilter.open(redis(), 'x', { window: 1 })).rejects.toThrow(/^capacity must be/);
  });

  it('leaves nothing behind when it is deleted', async () => {
    const name = newName();
    const shared = await open(name, HOUR);
    const other = await open(name, HOUR);
    await shared.hasMany(['a']);
    await shared.delete();
    expect(await server.send('keys', `${name}*`)).toEqual([]);
    await expect(other.has('a')).rejects.toMatchObject({ code: 'ABSENT' });
    const short = await open(name, 200);
    const user = await open(name, 200);
    await short.delete();
    await sleep(450);
    await expect(user.add('a')).rejects.toMatchObject({ code: 'ABSENT' });
    expect(await server.send('exists', name)).toBe(0);
  });
});
