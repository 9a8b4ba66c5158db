// What clients do to one filter at the same time, in an order that is forced.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BlockedBloomFilter } from '../../src/index.ts';
import { RedisBloomFilter, type RedisClient, RotatingRedisBloomFilter } from '../../src/redis.ts';
import { type Client, connect } from './clients.ts';
import { gate, intercepted, isPublishing } from './intercept.ts';
import { Server, sleep } from './servers.ts';

const CAPACITY = { capacity: 1000 };
const HOUR = 3_600_000;

let server: Server;
let connection: Client;
let client: RedisClient;
let names = 0;

const newName = (): string => `races:${names++}`;

beforeAll(async () => {
  server = await Server.start();
  connection = await connect('ioredis', [server.port]);
  client = connection.client;
}, 60_000);

afterAll(() => {
  connection.close();
  server.stop();
});

/** All keys of a filter but remembered answers and lists. */
async function keysOf(name: string): Promise<string[]> {
  const keys = (await server.send('keys', `${name}*`)) as string[];
  return keys.filter((key) => !/:once:|:filters$/.test(key)).toSorted();
}

/** Clears a filter, but its client dies before it deletes the old piece. Then both are there, and a note of the old. */
async function clearHalf(name: string): Promise<void> {
  let isDead = false;
  const dying = intercepted(client, async (send, sending) => {
    if (isDead) throw new Error('Connection is closed.');
    isDead = isPublishing(sending, name);
    return send();
  });
  const shared = await RedisBloomFilter.open({ ...dying, isClosed: () => isDead }, name);
  await expect(shared.clear()).rejects.toMatchObject({ code: 'CONNECTION' });
  expect(await keysOf(name)).toHaveLength(4);
}

/** Opens a filter as a client does whose first call for its cells takes until `open` is called. */
async function openSlowly(name: string) {
  const { passed, open } = gate();
  const slow = intercepted(client, async (send, { key }) => {
    if (key.startsWith(`${name}:{`)) await passed;
    return send();
  });
  const opening = RedisBloomFilter.open(slow, name, CAPACITY);
  await sleep(50);
  return { opening, open };
}

describe('opening', () => {
  it('while another client clears ends in one filter, without orphans', async () => {
    const name = newName();
    const { opening, open } = await openSlowly(name);
    const other = await RedisBloomFilter.open(client, name, CAPACITY);
    await other.clear();
    await other.add('theirs');
    open();
    const own = await opening;
    expect(await own.add('mine')).toBe(true);
    expect([await own.has('theirs'), await other.has('mine')]).toEqual([true, true]);
    expect(await keysOf(name)).toHaveLength(2);
  });

  it('while another client replaces the filter by one of another size is a mismatch', async () => {
    const name = newName();
    const { opening, open } = await openSlowly(name);
    await RedisBloomFilter.fromLocal(client, name, new BlockedBloomFilter({ capacity: 5000 }), { replace: true });
    open();
    await expect(opening).rejects.toMatchObject({ code: 'MISMATCH' });
  });

  it('finishes what a client that died has left', async () => {
    const name = newName();
    await RedisBloomFilter.open(client, name, CAPACITY);
    await clearHalf(name);
    await RedisBloomFilter.open(client, name, CAPACITY);
    expect(await keysOf(name)).toHaveLength(2);
  });
});

describe('clearing', () => {
  it('knows its own filter again if the reply is lost and another client uses it', async () => {
    const name = newName();
    await (await RedisBloomFilter.open(client, name, CAPACITY)).add('old');
    let other: RedisBloomFilter | undefined;
    const lossy = intercepted(client, async (send, sending) => {
      const reply = await send();
      if (other || !isPublishing(sending, name)) return reply;
      other = await RedisBloomFilter.open(client, name);
      await other.add('acknowledged');
      throw new Error('Connection is closed.');
    });
    const shared = await RedisBloomFilter.open(lossy, name);
    await shared.clear();
    expect(await other?.has('acknowledged')).toBe(true);
    expect(await shared.hasMany(['acknowledged', 'old'])).toEqual(Uint8Array.of(1, 0));
  });

  it.each<
    [string, (name: string) => Promise<{ add(key: string): Promise<boolean>; has(key: string): Promise<boolean> }>]
  >([
    ['a larger filter', (name) => RedisBloomFilter.open(client, name, { capacity: 5000 })],
    ['a filter that forgets', (name) => RotatingRedisBloomFilter.open(client, name, { capacity: 777, window: HOUR })],
  ])('and deleting spare what has taken the name since: %s', async (_, make) => {
    const name = newName();
    const stale = await RedisBloomFilter.open(client, name, CAPACITY);
    await (await RedisBloomFilter.open(client, name)).delete();
    const newer = await make(name);
    await newer.add('k');
    const before = [await server.send('get', name), ...(await keysOf(name))];
    await expect(stale.clear()).rejects.toMatchObject({ code: 'MISMATCH' });
    await expect(stale.delete()).rejects.toMatchObject({ code: 'MISMATCH' });
    expect([await server.send('get', name), ...(await keysOf(name))]).toEqual(before);
    expect(await newer.has('k')).toBe(true);
  });
});

it('importing never replaces a filter that forgets', async () => {
  const name = newName();
  const rotating = await RotatingRedisBloomFilter.open(client, name, { ...CAPACITY, window: HOUR });
  await rotating.add('k');
  const local = new BlockedBloomFilter(CAPACITY);
  const before = await keysOf(name);
  await expect(RedisBloomFilter.fromLocal(client, name, local, { replace: true })).rejects.toMatchObject({
    code: 'MISMATCH',
  });
  expect(await keysOf(name)).toEqual(before);
  expect(await rotating.has('k')).toBe(true);
});

describe('deleting', () => {
  it('leaves nothing of a filter that was half cleared', async () => {
    const name = newName();
    const shared = await RedisBloomFilter.open(client, name, CAPACITY);
    await clearHalf(name);
    await shared.delete();
    expect(await keysOf(name)).toEqual([]);
  });

  it('deletes a filter that is cleared meanwhile', async () => {
    const name = newName();
    const other = await RedisBloomFilter.open(client, name, CAPACITY);
    let isCleared = false;
    const slow = intercepted(client, async (send, { key }) => {
      if (!isCleared && isDeleting && key.startsWith(`${name}:{`)) {
        isCleared = true;
        await other.clear();
      }
      return send();
    });
    let isDeleting = false;
    const shared = await RedisBloomFilter.open(slow, name);
    isDeleting = true;
    await shared.delete();
    expect(isCleared).toBe(true);
    expect(await keysOf(name)).toEqual([]);
  });

  it('deletes the windows that are current, not those that this client has seen', async () => {
    const name = newName();
    const window = 2000;
    const stale = await RotatingRedisBloomFilter.open(client, name, { ...CAPACITY, window });
    await stale.add('old');
    const other = await RotatingRedisBloomFilter.open(client, name);
    await sleep(window - (Date.now() % window) + 50);
    await other.add('k');
    await stale.delete();
    expect(await keysOf(name)).toEqual([]);
    const again = await RotatingRedisBloomFilter.open(client, name, { ...CAPACITY, window });
    expect(await again.has('k')).toBe(false);
  });

  it('spares another filter that has taken the name of one that forgets', async () => {
    const name = newName();
    const stale = await RotatingRedisBloomFilter.open(client, name, { ...CAPACITY, window: HOUR });
    await (await RotatingRedisBloomFilter.open(client, name)).delete();
    const newer = await RedisBloomFilter.open(client, name, CAPACITY);
    await newer.add('k');
    await expect(stale.delete()).rejects.toMatchObject({ code: 'MISMATCH' });
    expect(await newer.has('k')).toBe(true);
  });
});
