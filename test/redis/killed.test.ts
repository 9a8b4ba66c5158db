// Clients that are killed at any moment, or that find no memory, leave nothing behind that the next one does not delete.

import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { RedisBloomFilter, type RedisClient, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { leave } from './harms.ts';
import { gate, held, intercepted, isPublishing } from './intercept.ts';
import { client, keysOf, listsOf, server, stored } from './one-server.ts';

const NAME = 'killed';
/** Three pieces in two slots. */
const PIECES = 3;
const BITS = 256 * 127 * PIECES;
const SIZE = { bits: BITS, spread: 2 };
const ROTATING = { capacity: 10_000, spread: 2, window: 3_600_000 };
const keys = Array.from({ length: 200 }, (_, i) => `key ${i}`);
const local = BlockedBloomFilter.from(['local'], { bits: BITS });
/** How many pieces are made at once, and a filter of twenty in sixteen slots. */
const AT_ONCE = 4;
const large = BlockedBloomFilter.from(['large'], { bits: 256 * 127 * 20 });

beforeEach(() => server.send('flushall'));
afterEach(() => server.send('config', 'set', 'maxmemory-policy', 'noeviction', 'maxmemory', 0));

/** A client whose first `count` commands reach the server. The reply to the last of them is lost. */
function dying(count: number): { client: RedisClient; sent: () => number } {
  let sent = 0;
  const adapter = intercepted(client, async (send) => {
    const number = ++sent;
    const reply = number <= count ? await send() : undefined;
    if (number >= count) throw new Error('Connection is closed.');
    return reply;
  });
  return { client: { ...adapter, isClosed: () => sent >= count }, sent: () => sent };
}

const none = async (): Promise<void> => {};
const plain = async () => void (await (await RedisBloomFilter.open(client, NAME, SIZE)).addMany(keys));
const forgetting = async () => (await RotatingRedisBloomFilter.open(client, NAME, ROTATING)).addMany(keys);
const replace = { replace: true };
/** What makes or deletes filters, and what must be there before. */
const works: [string, () => Promise<unknown>, (client: RedisClient) => Promise<unknown>][] = [
  ['open', none, (client) => RedisBloomFilter.open(client, NAME, SIZE)],
  ['clear', plain, async (client) => (await RedisBloomFilter.open(client, NAME)).clear()],
  ['fromLocal', none, (client) => RedisBloomFilter.fromLocal(client, NAME, local, { spread: 2 })],
  ['fromLocal, which replaces', plain, (client) => RedisBloomFilter.fromLocal(client, NAME, local, replace)],
  ['delete', plain, async (client) => (await RedisBloomFilter.open(client, NAME)).delete()],
  ['delete by name', plain, (client) => RedisBloomFilter.delete(client, NAME)],
  ['delete by name what forgets', forgetting, (client) => RotatingRedisBloomFilter.delete(client, NAME)],
];

/** Whether a command makes a piece: its keys are the piece and a list. */
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
async function expectOneFilter([pieceCount, listCount] = [PIECES, 3]): Promise<void> {
  const { id } = await stored(NAME);
  const all = await keysOf('*');
  const lists = all.filter((key) => key.endsWith(':filters'));
  const pieces = all.filter((key) => key.includes(`}:${id}:`));
  expect(all).toEqual([NAME, ...lists, ...pieces].toSorted());
  expect([pieces.length, lists.length]).toEqual([pieceCount, listCount]);
  for (const key of pieces) expect(await server.send('strlen', key)).toBe(127 * 32);
  for (const list of lists) {
    expect(((await server.send('hkeys', list)) as string[]).toSorted()).toEqual([id, `${id}.whole`]);
  }
}

it.each(works)('a client that is killed at any moment in %s leaves nothing after the next call', async (...row) => {
  const [, prepare, work] = row;
  const countFound = async (filter: RedisBloomFilter): Promise<number> => (await filter.pick(keys)).length;
  for (let step = 0, isDead = true; isDead; step++) {
    const die = async (): Promise<void> => {
      await server.send('flushall');
      await prepare();
      const victim = dying(step);
      await work(victim.client).catch(() => {});
      isDead = victim.sent() >= step;
      if (!isDead) expect(step).toBeGreaterThan(6);
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
});

it('what a dead client has left is deleted when another one brings a filter', async () => {
  await plain();
  await leave(NAME);
  await endLeases();
  await RedisBloomFilter.fromLocal(client, NAME, local, replace);
  await expectOneFilter();
});

/** Begins to clear a filter. Publishing the new parameters waits until `open` is called. */
async function clearSlowly(): Promise<{ clearing: Promise<void>; open: () => void }> {
  const { slow, arrived, open } = held(client, (sending) => isPublishing(sending, NAME));
  const clearing = (await RedisBloomFilter.open(slow, NAME)).clear();
  await arrived;
  return { clearing, open };
}

describe('a maker that is at work', () => {
  beforeEach(plain);

  it('is left alone by those who open the filter', async () => {
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

  it('says every two seconds that it is, and stops if it is told that others have deleted what it made', async () => {
    const { passed, open } = gate();
    const renewals: unknown[] = [];
    let pieces = 0;
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const slow = intercepted(client, async (send, { command, last }) => {
      if (isPieceOf(command) && ++pieces <= AT_ONCE) {
        if (pieces === AT_ONCE) {
          vi.advanceTimersByTime(1999);
          expect(renewals).toEqual([]);
          vi.advanceTimersByTime(1);
        }
        // The first attempt does not go on before it has heard that its lease is over.
        await passed;
      }
      const reply = await send();
      if (command[2] === '1' && String(command[3]).includes(':making:') && last === '10000') {
        renewals.push(reply);
        if (reply === 0) open();
        else await endLeases();
        vi.advanceTimersByTime(reply === 0 ? 0 : 2000);
      }
      return reply;
    });
    const made = await RedisBloomFilter.fromLocal(slow, NAME, large, replace);
    expect(vi.getTimerCount()).toBe(0);
    expect(renewals).toEqual([1, 0]);
    expect(pieces).toBe(AT_ONCE + 20);
    expect((await made.toLocal()).equals(large)).toBe(true);
    await expectOneFilter([20, 16]);
  });

  it('is told so before its pieces are deleted', async () => {
    const { id } = await stored(NAME);
    const sent: string[] = [];
    const watching = intercepted(client, (send, { command }) => {
      if (String(command[3]).includes(id)) sent.push(String(command[3]));
      return send();
    });
    await RedisBloomFilter.delete(watching, NAME);
    expect(sent[0]).toBe(`${NAME}:{${NAME}}:making:${id}`);
  });

  it('fails if the filter is deleted, and leaves nothing', async () => {
    const { clearing, open } = await clearSlowly();
    expect(await RedisBloomFilter.delete(client, NAME)).toBe(true);
    expect(await server.send('dbsize')).toBe(0);
    open();
    await expect(clearing).rejects.toMatchObject({ code: 'ABSENT' });
    expect(await server.send('dbsize')).toBe(0);
  });
});

describe('a filter with pieces of several parts', () => {
  const BYTES = 20_000_000;
  const PART = 131_072;
  const parts = new BlockedBloomFilter({ bits: 8 * BYTES }).addMany(keys);
  /** Whether a command writes a part, and how many of its bytes. */
  const partOf = ({ command }: { command: readonly unknown[] }): Uint8Array | undefined =>
    command[2] === '1' && command[4] instanceof Uint8Array && command.length === 6 ? command[4] : undefined;

  it('is brought, merged and read as it is, and what is empty is not sent', async () => {
    let sent = 0;
    const counting = intercepted(client, (send, sending) => {
      sent += partOf(sending)?.length ?? 0;
      return send();
    });
    const shared = await RedisBloomFilter.fromLocal(counting, NAME, parts);
    expect(shared.pieces).toBeGreaterThan(16);
    expect(sent).toBeGreaterThan(PART);
    const empty = await RedisBloomFilter.open(client, 'empty', { bits: 8 * BYTES });
    await empty.merge(parts);
    expect(await keysOf('*:merge:*')).toEqual([]);
    for (const each of [shared, empty]) expect((await each.toLocal()).equals(parts)).toBe(true);
    sent = 0;
    await RedisBloomFilter.fromLocal(counting, NAME, new BlockedBloomFilter({ bits: 8 * BYTES }), replace);
    expect(sent).toBe(0);
    expect(await shared.fillRatio()).toBe(0);
  });

  it.each(['part', 'piece'])('is refused if a server loses a %s of it meanwhile, and nothing is left', async (what) => {
    let writes = 0;
    const losing = intercepted(client, async (send, sending) => {
      if (partOf(sending) === undefined || ++writes !== 2) return send();
      if (what === 'piece') await server.send('del', sending.key);
      return 1;
    });
    await expect(RedisBloomFilter.fromLocal(losing, NAME, parts)).rejects.toMatchObject({ code: 'LOST' });
    expect(await keysOf('*')).toEqual([]);
  });
});

it('what is refused the name for want of memory is deleted at once', async () => {
  await plain();
  const full = intercepted(client, (send, sending) =>
    isPublishing(sending, NAME) ? Promise.reject(new Error('OOM command not allowed')) : send(),
  );
  await expect(RedisBloomFilter.fromLocal(full, NAME, local, replace)).rejects.toMatchObject({ code: 'OOM' });
  await expectOneFilter();
});

it('what does not fit is deleted at once: others have their memory, and what it was to replace stays', async () => {
  const MB = 1e6;
  const used = async (): Promise<number> => Number(await server.info('memory', 'used_memory'));
  const before = await used();
  await server.send('config', 'set', 'maxmemory', Math.round(before + 10 * MB));
  using large = new BlockedBloomFilter({ bits: 8 * 30 * MB }).addMany(['a']);
  const opening = [1, 2, 3].map(() => RedisBloomFilter.open(client, NAME, { bits: large.bits }));
  for (const each of await Promise.allSettled([...opening, RedisBloomFilter.fromLocal(client, NAME, large)])) {
    expect(each).toMatchObject({ status: 'rejected', reason: { code: 'OOM' } });
  }
  expect(await keysOf('*')).toEqual([]);
  expect((await used()) - before).toBeLessThan(2 * MB);
  await expect(RedisBloomFilter.open(client, NAME)).rejects.toMatchObject({ code: 'ABSENT' });
  const small = await RedisBloomFilter.open(client, NAME, { bits: 8 * 6 * MB });
  await small.addMany(keys);
  const count = await server.send('dbsize');
  using other = new BlockedBloomFilter({ bits: 8 * 15 * MB }).addMany(['a']);
  for (const call of [() => small.clear(), () => RedisBloomFilter.fromLocal(client, NAME, other, replace)]) {
    await expect(call()).rejects.toMatchObject({ code: 'OOM' });
    expect(await server.send('dbsize')).toBe(count);
  }
  expect(await small.pick(keys)).toEqual(keys);
});

it('what is half made is not finished where it would be evicted', async () => {
  for (let count = 1; !String(await server.send('get', NAME)).includes('creating'); count++) {
    await server.send('flushall');
    await RedisBloomFilter.open(dying(count).client, NAME, SIZE).catch(() => {});
  }
  const before = await keysOf('*');
  await server.send('config', 'set', 'maxmemory-policy', 'allkeys-lru', 'maxmemory', '1gb');
  for (const size of [SIZE, {}]) {
    await expect(RedisBloomFilter.open(client, NAME, size)).rejects.toMatchObject({ code: 'EVICTION' });
  }
  expect(await keysOf('*')).toEqual(before);
});

it('deleting by name finds a filter without parameters, lists and notes that can be read, however it is spread', async () => {
  const garbages = { 1: ['hset', 'feedfeedfeedfeed', 'garbage'], 3: ['set', 'hello'], 16: [], 100: [] };
  for (const [spread, garbage] of Object.entries(garbages)) {
    await RedisBloomFilter.open(client, NAME, { bits: BITS * 32, spread: Number(spread) });
    const [verb, ...args] = garbage;
    const keys = verb ? [...(await listsOf(NAME)), `${NAME}:{${NAME}}:making`] : [];
    for (const key of keys) await server.send(verb ?? '', key, ...args);
    if (!verb) await server.send('del', NAME);
    expect(await RedisBloomFilter.delete(client, NAME)).toBe(true);
    expect(await keysOf('*')).toEqual([]);
  }
});
