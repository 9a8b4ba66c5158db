// What `onEvent` is told.

import { expect, it, vi } from 'vitest';
import {
  type adapterOf,
  RedisBloomFilter,
  type RedisFilterEvent,
  type RedisSettings,
  RotatingRedisBloomFilter,
  slotOf,
} from '../../src/entries/redis.ts';
import { RotatingBloomFilter } from '../../src/entries/rotating.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { intercepted } from './intercept.ts';
import { client, listsOf, newName, piecesOf, server } from './one-server.ts';

const SIZE = { capacity: 100_000 };
const KEYS = Array.from({ length: 500 }, (_, i) => `key ${i}`);

/** Opens a filter that sends through a client which may fail, with a listener that keeps the events. */
async function open(
  settings: RedisSettings = {},
  adapter: Partial<ReturnType<typeof adapterOf>> = {},
): Promise<{ shared: RedisBloomFilter; events: RedisFilterEvent[]; fail(error: string, times?: number): void }> {
  const events: RedisFilterEvent[] = [];
  let left = 0;
  let failure = '';
  const failing = intercepted(client, async (send) => {
    if (left-- > 0) throw new Error(failure);
    return send();
  });
  const onEvent = (event: RedisFilterEvent): number => events.push(event);
  const shared = await RedisBloomFilter.open({ ...failing, ...adapter }, newName(), { ...SIZE, onEvent, ...settings });
  const fail = (error: string, times = 1): void => {
    failure = error;
    left = times;
  };
  return { shared, events, fail };
}

const of = (event: Partial<RedisFilterEvent>): object => ({
  server: undefined,
  slot: undefined,
  attempts: 1,
  ms: expect.any(Number),
  ...event,
});

it('retries are counted, and tell why', async () => {
  const { shared, events, fail } = await open();
  const { name } = shared;
  for (const reason of ['LOADING Redis is loading', 'BUSY Redis is busy', 'the socket was closed']) {
    fail(reason, 9);
    expect(await shared.has('a')).toBe(false);
    // Not each of them: a server may be loading for minutes.
    expect(events.splice(0)).toEqual([1, 2, 4, 8].map((attempts) => of({ type: 'retry', name, attempts, reason })));
  }
  fail('ERR no');
  await expect(shared.has('a')).rejects.toThrow('ERR no');
  expect(events).toEqual([]);
});

it('redirections tell server and slot, in a cluster', async () => {
  const { shared, events, fail } = await open({}, { cluster: true, master: () => 'host:1' });
  const reason = 'MOVED 7 host:2';
  fail(reason);
  await shared.hasMany(['a']);
  const [{ slot = -1 } = {}] = events;
  expect(events).toEqual([of({ type: 'redirect', name: shared.name, server: 'host:1', slot, reason })]);
  expect((await piecesOf(shared.name)).map(slotOf)).toContain(slot);
});

it('a timeout tells how often it was tried, and for how long', async () => {
  const { shared, events, fail } = await open({ timeout: 100 });
  fail('CLUSTERDOWN no', Number.POSITIVE_INFINITY);
  await expect(shared.has('a')).rejects.toMatchObject({ code: 'TIMEOUT' });
  const last = events.pop();
  expect(last).toMatchObject({ type: 'timeout', reason: 'not done within 100 ms: CLUSTERDOWN no' });
  expect(last?.attempts).toBeGreaterThanOrEqual(2 ** (events.length - 1));
  expect(last?.ms).toBeGreaterThan(50);
});

const parts = { 'a part': piecesOf, 'a list': listsOf };
it.each(Object.entries(parts))('%s that is lost is told once for each call', async (_, keysOf) => {
  const { shared, events } = await open();
  for (const key of await keysOf(shared.name)) await server.send('del', key);
  const lost = of({ type: 'lost', name: shared.name, reason: expect.stringMatching(/ is missing: /) });
  for (const call of [() => shared.hasMany(KEYS), () => shared.add('a'), () => shared.toLocal()]) {
    await expect(call()).rejects.toMatchObject({ code: 'LOST' });
    expect(events.splice(0)).toEqual([lost]);
  }
});

it('a filter that is lost when it is opened is told', async () => {
  const { shared, events } = await open();
  for (const key of [shared.name, ...(await piecesOf(shared.name)).slice(0, 1)]) await server.send('del', key);
  const opened = RedisBloomFilter.open(client, shared.name, { ...SIZE, onEvent: (event) => events.push(event) });
  await expect(opened).rejects.toMatchObject({ code: 'LOST' });
  expect(events).toEqual([of({ type: 'lost', name: shared.name, reason: expect.any(String) })]);
});

it('a filter that forgets and is lost is told when it is copied, or merged into', async () => {
  const events: RedisFilterEvent[] = [];
  const SIZES = { capacity: 1000, window: 3_600_000, onEvent: (event: RedisFilterEvent) => events.push(event) };
  const shared = await RotatingRedisBloomFilter.open(client, newName(), SIZES);
  await shared.add('a');
  const local = await shared.toLocal();
  for (const piece of await piecesOf(shared.name)) await server.send('del', piece);
  const reserve = vi.spyOn(RotatingBloomFilter.engine, 'reserve');
  for (const call of [() => shared.toLocal(), () => shared.merge(local)]) {
    await expect(call()).rejects.toMatchObject({ code: 'LOST' });
    expect(events.splice(0)).toEqual([of({ type: 'lost', name: shared.name, reason: expect.any(String) })]);
  }
  expect(reserve.mock.results).toMatchObject([{ value: { disposed: true } }]);
});

it('a part that a server loses while a filter is brought is told', async () => {
  const events: RedisFilterEvent[] = [];
  const losing = intercepted(client, (send, { command: [, , , , bytes] }) =>
    // What writes a part of a piece.
    bytes instanceof Uint8Array ? Promise.resolve(1) : send(),
  );
  const local = BlockedBloomFilter.from(KEYS, SIZE);
  const name = newName();
  const bringing = RedisBloomFilter.fromLocal(losing, name, local, { onEvent: (event) => events.push(event) });
  await expect(bringing).rejects.toMatchObject({ code: 'LOST' });
  expect(events).toEqual([of({ type: 'lost', name, reason: expect.any(String) })]);
});

it('commands are slow from the given time on', async () => {
  let ms = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => ms);
  const late = intercepted(client, async (send) => {
    const reply = await send();
    ms += 100;
    return reply;
  });
  const { shared, events } = await open({ slowAfter: 100 }, late);
  events.length = 0;
  await shared.addMany(KEYS.slice(0, 100));
  expect(events).toEqual([of({ type: 'slow', name: shared.name, ms: 100, reason: undefined })]);
  const patient = await open({ slowAfter: 101 }, late);
  patient.events.length = 0;
  await patient.shared.addMany(KEYS.slice(0, 100));
  expect(patient.events).toEqual([]);
});

it('a wait for replicas is not slow before its time is up', async () => {
  let ms = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => ms);
  const wait = async (): Promise<number> => {
    ms += 500;
    return 1;
  };
  const slow = of({ type: 'slow', ms: 500, reason: undefined, name: expect.any(String) });
  for (const limit of [400, 401]) {
    const { shared, events } = await open({ slowAfter: 100, wait: { replicas: 1, ms: limit } }, { wait });
    await shared.add('a');
    expect(events).toEqual(limit === 400 ? [slow] : []);
  }
});

it.each(['throws', 'rejects', 'throws no text'])('a listener that %s breaks no call, and is a warning', async (how) => {
  const isText = how !== 'throws no text';
  const onEvent = (): unknown => {
    const error = isText ? new Error('mine') : Object.create(null);
    if (how === 'rejects') return Promise.reject(error);
    throw error;
  };
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const { shared, fail } = await open({ onEvent });
  fail('LOADING no', 3);
  expect(await shared.add('a')).toBe(true);
  const detail = expect.stringMatching(isText ? /events\.test/ : /^an object$/);
  const message = `onEvent of "${shared.name}" has failed: ${isText ? 'mine' : 'an object'}`;
  await vi.waitFor(() => expect(warned.mock.calls).toEqual([[message, { code: 'BLOOMERY_LISTENER', detail }]]));
});
