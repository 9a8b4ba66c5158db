// A slot that stays half-moved, as an interrupted resharding leaves it: a command about keys on both masters fails. That
// clients find the keys of such a slot is proved in cluster.test.ts.

import { beforeEach, expect, it } from 'vitest';
import { RedisBloomFilter } from '../../src/entries/redis.ts';
import { intercepted } from './intercept.ts';
import { client, keysOf, listsOf, newName, server } from './one-server.ts';

const KEYS = Array.from({ length: 300 }, (_, i) => `key ${i}`);
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
  ...intercepted(client, async (send, { command }) => {
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

it('is no problem for check and list, which ask for each key', async () => {
  const { name, pieces } = await RedisBloomFilter.open(client, newName(), { ...SIZE, spread: 1 });
  isMoving = true;
  const single = { ...halfMoved, cluster: false };
  const report = await RedisBloomFilter.check(single, name, { timeout: 2000 });
  expect(report).toMatchObject({ status: 'ok', memory: expect.any(Number), masters: [{ pieces }] });
  const listed = await RedisBloomFilter.list(single, { timeout: 2000 });
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
  expect(await RedisBloomFilter.delete(client, shared.name)).toBe(true);
  expect(await keysOf(`${shared.name}:*`)).toEqual([]);
});
