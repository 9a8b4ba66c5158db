// Clients that are killed at any moment, or that find no memory, leave nothing behind that the next one does not delete.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BlockedBloomFilter } from '../../src/index.ts';
import { type RedisAdapter, RedisBloomFilter, type RedisClient, RotatingRedisBloomFilter } from '../../src/redis.ts';
import { connect } from './clients.ts';
import { gate, intercepted, isPublishing } from './intercept.ts';
import { client, keysOf, listsOf, server } from './one-server.ts';
import { Cluster, type Server, sleep } from './servers.ts';

const NAME = 'killed';
/** Four pieces in two slots. */
const BITS = 256 * 127 * 4;
const SIZE = { bits: BITS, spread: 2 };
const ROTATING = { capacity: 10_000, spread: 2, window: 3_600_000 };
const keys = Array.from({ length: 200 }, (_, i) => `key ${i}`);
const local = BlockedBloomFilter.from(['local'], { bits: BITS });

beforeEach(() => server.send('flushall'));

/** A client whose first `count` commands reach the server. The reply to the last of them is lost. */
function dying(count: number): RedisAdapter {
  let sent = 0;
  const adapter = intercepted(client, async (send) => {
    const number = ++sent;
    const reply = number <= count ? await send() : undefined;
    if (number >= count) throw new Error('Connection is closed.');
    return reply;
  });
  return { ...adapter, isClosed: () => sent >= count };
}

/** Counts what a call sends. */
async function countSent(call: (client: RedisClient) => Promise<unknown>): Promise<number> {
  let sent = 0;
  const counting = intercepted(client, (send) => {
    sent++;
    return send();
  });
  await call(counting);
  return sent;
}

/** What makes or deletes filters, and what must be there before. */
const works: [string, () => Promise<unknown>, (client: RedisClient) => Promise<unknown>][] = [];
const none = async (): Promise<void> => {};
const plain = async (): Promise<void> => {
  await (await RedisBloomFilter.open(client, NAME, SIZE)).addMany(keys);
};
const forgetting = async (): Promise<void> => {
  await (await RotatingRedisBloomFilter.open(client, NAME, ROTATING)).addMany(keys);
};
const openAnd =
  (work: (filter: RedisBloomFilter) => Promise<unknown>) =>
  async (client: RedisClient): Promise<unknown> =>
    work(await RedisBloomFilter.open(client, NAME));
const replace = { replace: true };
works.push(
  ['open', none, (client) => RedisBloomFilter.open(client, NAME, SIZE)],
  ['clear', plain, openAnd((filter) => filter.clear())],
  ['fromLocal', none, (client) => RedisBloomFilter.fromLocal(client, NAME, local, { spread: 2 })],
  ['fromLocal, which replaces', plain, (client) => RedisBloomFilter.fromLocal(client, NAME, local, replace)],
  ['delete', plain, openAnd((filter) => filter.delete())],
  ['delete by name', plain, (client) => RedisBloomFilter.delete(client, NAME)],
  ['delete by name what forgets', forgetting, (client) => RotatingRedisBloomFilter.delete(client, NAME)],
);

/** Whether a command makes or writes a piece: its keys are the piece and a list. */
function isPieceOf(command: readonly unknown[]): boolean {
  return command[2] === '2' && String(command[4]).endsWith(':filters');
}

/** The maker is dead for so long that it is known. */
async function endLeases(): Promise<void> {
  for (const key of await keysOf(`${NAME}:{${NAME}}:making:*`)) {
    expect(await server.send('pttl', key)).toBeGreaterThan(0);
    expect(await server.send('del', key)).toBe(1);
  }
}

/** Throws unless Redis holds nothing but one whole filter. */
async function expectOneFilter(): Promise<void> {
  const { id } = JSON.parse(String(await server.send('get', NAME))) as { id: string };
  const all = await keysOf('*');
  const lists = all.filter((key) => key.endsWith(':filters'));
  const pieces = all.filter((key) => key.includes(`}:${id}:`));
  expect(all).toEqual([NAME, ...lists, ...pieces].toSorted());
  expect([pieces.length, lists.length]).toEqual([4, 3]);
  for (const key of pieces) expect(await server.send('strlen', key)).toBe(127 * 32);
  for (const list of lists) {
    expect(((await server.send('hkeys', list)) as string[]).toSorted()).toEqual([id, `${id}.whole`]);
  }
}

it.each(works)(
  'a client that is killed at any moment in %s leaves nothing after the next call',
  async (_, prepare, work) => {
    const countFound = async (filter: RedisBloomFilter): Promise<number> => (await filter.pick(keys)).length;
    await prepare();
    const steps = await countSent(work);
    expect(steps).toBeGreaterThan(5);
    for (let step = 0; step <= steps; step++) {
      const die = async (): Promise<void> => {
        await server.send('flushall');
        await prepare();
        await work(dying(step)).catch(() => {});
      };
      await die();
      await endLeases();
      if (prepare === forgetting) {
        // It is found again until the deletion has begun to delete pieces.
        const filter = await RotatingRedisBloomFilter.open(client, NAME, ROTATING);
        expect([0, keys.length]).toContain((await filter.pick(keys)).length);
      } else {
        const opened = await RedisBloomFilter.open(client, NAME, SIZE);
        await expectOneFilter();
        const found = await countFound(opened);
        // All of them or none, but for false positives.
        if (found < keys.length || prepare === none) expect(found).toBeLessThan(keys.length / 2);
        await opened.clear();
        await expectOneFilter();
        expect(await countFound(opened)).toBeLessThan(keys.length / 2);
      }
      await die();
      await RedisBloomFilter.delete(client, NAME);
      expect(await keysOf('*')).toEqual([]);
    }
  },
);

/** Begins to clear a filter. Publishing the new parameters waits until `open` is called. */
async function clearSlowly(): Promise<{ clearing: Promise<void>; open: () => void }> {
  const { passed, open } = gate();
  const arrived = gate();
  const slow = intercepted(client, async (send, sending) => {
    if (isPublishing(sending, NAME)) {
      arrived.open();
      await passed;
    }
    return send();
  });
  const clearing = (await RedisBloomFilter.open(slow, NAME)).clear();
  await arrived.passed;
  return { clearing, open };
}

describe('a maker that is at work', () => {
  it('is left alone by those who open the filter', async () => {
    await plain();
    const { clearing, open } = await clearSlowly();
    const made = await server.send('dbsize');
    const other = await RedisBloomFilter.open(client, NAME);
    expect(await server.send('dbsize')).toBe(made);
    expect(await other.pick(keys)).toEqual(keys);
    open();
    await clearing;
    expect((await other.pick(keys)).length).toBeLessThan(keys.length / 2);
    await expectOneFilter();
  });

  it('begins again if it slept so long that others have deleted what it had made', async () => {
    await plain();
    let attempts = 0;
    const slow = intercepted(client, async (send, sending) => {
      if (isPublishing(sending, NAME) && attempts++ === 0) {
        await endLeases();
        await RedisBloomFilter.open(client, NAME);
        await expectOneFilter();
      }
      return send();
    });
    const made = await RedisBloomFilter.fromLocal(slow, NAME, local, replace);
    expect(attempts).toBe(2);
    expect((await made.toLocal()).equals(local)).toBe(true);
    await expectOneFilter();
  });

  it('says from time to time that it is, and stops if it is told that others have deleted what it made', async () => {
    await plain();
    const { passed, open } = gate();
    const renewals: unknown[] = [];
    let isSlow = true;
    const slow = intercepted(client, async (send, { command, last }) => {
      if (isPieceOf(command) && isSlow) {
        // The first attempt does not go on before it has heard that its lease is over.
        await passed;
        isSlow = false;
      }
      const reply = await send();
      if (command[2] === '1' && String(command[3]).includes(':making:') && last === '10000') {
        renewals.push(reply);
        if (renewals.length === 1) await endLeases();
        else open();
      }
      return reply;
    });
    const made = await RedisBloomFilter.fromLocal(slow, NAME, local, replace);
    expect(renewals.slice(0, 2)).toEqual([1, 0]);
    expect((await made.toLocal()).equals(local)).toBe(true);
    await expectOneFilter();
  });

  it('fails if the filter is deleted, and leaves nothing', async () => {
    await plain();
    const { clearing, open } = await clearSlowly();
    expect(await RedisBloomFilter.delete(client, NAME)).toBe(true);
    expect(await server.send('dbsize')).toBe(0);
    open();
    await expect(clearing).rejects.toMatchObject({ code: 'ABSENT' });
    expect(await server.send('dbsize')).toBe(0);
  });

  it('deletes all that it has made if one piece is refused, and no other comes after', async () => {
    let isRefused = false;
    const refusing = intercepted(client, async (send, { command }) => {
      if (!isPieceOf(command)) return send();
      if (!isRefused) {
        isRefused = true;
        throw new Error('ERR refused');
      }
      await sleep(50);
      return send();
    });
    await expect(RedisBloomFilter.fromLocal(refusing, NAME, local, { spread: 2 })).rejects.toThrow('ERR refused');
    expect(await keysOf('*')).toEqual([]);
  });
});

describe('what does not fit', () => {
  const MB = 1e6;
  const used = async (server: Server): Promise<number> => Number(await server.info('memory', 'used_memory'));

  beforeEach(async () => {
    await server.send('config', 'set', 'maxmemory', Math.round((await used(server)) + 20 * MB));
  });

  afterEach(() => server.send('config', 'set', 'maxmemory', 0));

  it('is deleted at once when it is made: others have their memory, and another size is made', async () => {
    const before = await used(server);
    const opening = [1, 2, 3].map(() => RedisBloomFilter.open(client, NAME, { bits: 8 * 60 * MB }));
    for (const each of await Promise.allSettled(opening)) {
      expect(each).toMatchObject({ status: 'rejected', reason: { code: 'OOM' } });
    }
    expect(await keysOf('*')).toEqual([]);
    expect((await used(server)) - before).toBeLessThan(2 * MB);
    await expect(RedisBloomFilter.open(client, NAME)).rejects.toMatchObject({ code: 'ABSENT' });
    expect(await server.send('set', 'of another', 'x')).toBe('OK');
    const fits = await RedisBloomFilter.open(client, NAME, SIZE);
    expect(await fits.add('a')).toBe(true);
  });

  it('is deleted at once when it is to replace another, which stays', async () => {
    const small = await RedisBloomFilter.open(client, NAME, { bits: 8 * 12 * MB });
    await small.addMany(keys);
    const before = await server.send('dbsize');
    await expect(small.clear()).rejects.toMatchObject({ code: 'OOM' });
    expect(await server.send('dbsize')).toBe(before);
    const large = new BlockedBloomFilter({ bits: 8 * 30 * MB }).addMany(['a']);
    await expect(RedisBloomFilter.fromLocal(client, NAME, large, replace)).rejects.toMatchObject({ code: 'OOM' });
    expect(await server.send('dbsize')).toBe(before);
    expect(await small.pick(keys)).toEqual(keys);
    large.dispose();
  });

  it('is deleted from all masters if one of them is full', async () => {
    const cluster = await Cluster.start(3);
    const { client, close } = await connect('redis', cluster.ports, { cluster: true });
    try {
      const [, full] = cluster.masters as [Server, Server];
      await full.send('config', 'set', 'maxmemory', Math.round((await used(full)) + 5 * MB));
      const size = { bits: 8 * 40 * MB };
      await expect(RedisBloomFilter.open(client, NAME, size)).rejects.toMatchObject({ code: 'OOM' });
      for (const master of cluster.masters) expect(await master.send('keys', '*')).toEqual([]);
      const large = new BlockedBloomFilter(size).addMany(['a']);
      await expect(RedisBloomFilter.fromLocal(client, NAME, large)).rejects.toMatchObject({ code: 'OOM' });
      for (const master of cluster.masters) expect(await master.send('keys', '*')).toEqual([]);
      large.dispose();
    } finally {
      close();
      cluster.stop();
    }
  }, 60_000);
});

describe('what is half made', () => {
  it('is not finished where it would be evicted, and can be deleted there', async () => {
    for (let count = 1; !String(await server.send('get', NAME)).includes('creating'); count++) {
      await server.send('flushall');
      await RedisBloomFilter.open(dying(count), NAME, SIZE).catch(() => {});
    }
    const before = await keysOf('*');
    const evict = (policy: string, limit: string): Promise<unknown> =>
      server.send('config', 'set', 'maxmemory-policy', policy, 'maxmemory', limit);
    await evict('allkeys-lru', '1gb');
    try {
      for (const size of [SIZE, {}]) {
        await expect(RedisBloomFilter.open(client, NAME, size)).rejects.toMatchObject({ code: 'EVICTION' });
      }
      expect(await keysOf('*')).toEqual(before);
      expect(await RedisBloomFilter.delete(client, NAME)).toBe(true);
      expect(await keysOf('*')).toEqual([]);
    } finally {
      await evict('noeviction', '0');
    }
  });
});

describe('deleting by name', () => {
  it('needs no filter that can be opened: one that is damaged', async () => {
    await plain();
    await server.send('set', NAME, String(await server.send('get', NAME)).replace('"seed":0', '"seed":1'));
    await expect(RedisBloomFilter.open(client, NAME)).rejects.toMatchObject({ code: 'DAMAGED' });
    expect(await RotatingRedisBloomFilter.delete(client, NAME)).toBe(true);
    expect(await keysOf('*')).toEqual([]);
  });

  it.each([
    ['garbage', ['hset', 'feedfeedfeedfeed', 'garbage']],
    ['another type', ['set', 'hello']],
  ] as const)('needs no lists and notes that can be read: %s', async (_, [verb, ...args]) => {
    await plain();
    const lists = await listsOf(NAME);
    expect(lists.length).toBeGreaterThan(0);
    for (const key of [...lists, `${NAME}:{${NAME}}:making`]) await server.send(verb, key, ...args);
    expect(await RedisBloomFilter.delete(client, NAME)).toBe(true);
    expect(await keysOf('*')).toEqual([]);
  });

  it('spares what is no filter, or of a later version, and checks its arguments', async () => {
    for (const value of ['hello', '{"bloomery":2}']) {
      await server.send('set', NAME, value);
      await expect(RedisBloomFilter.delete(client, NAME)).rejects.toMatchObject({
        code: expect.stringMatching(/^(FOREIGN|VERSION)$/),
      });
      expect(await server.send('get', NAME)).toBe(value);
    }
    await server.send('del', NAME);
    await server.send('lpush', NAME, 'x');
    await expect(RedisBloomFilter.delete(client, NAME)).rejects.toMatchObject({ code: 'FOREIGN' });
    await expect(RedisBloomFilter.delete(client, '{x}')).rejects.toThrow(RangeError);
    await expect(RedisBloomFilter.delete({} as never, 'x')).rejects.toThrow(TypeError);
  });

  it('finds a filter without parameters, however it is spread', async () => {
    for (const spread of [1, 3, 5, 7, 16, 100]) {
      await RedisBloomFilter.open(client, NAME, { bits: BITS * 32, spread });
      await server.send('del', NAME);
      expect(await RedisBloomFilter.delete(client, NAME)).toBe(true);
      expect(await keysOf('*')).toEqual([]);
    }
  });
});
