// What the option `wait` confirms, replicas have.

import { afterAll, describe, expect, it } from 'vitest';
import { adapterOf, RedisBloomFilter, type RedisFilterError, slotOf, waitOn } from '../../src/entries/redis.ts';
import { connect, libraries } from './clients.ts';
import { client, server as master, newName } from './one-server.ts';
import { Relay } from './relay.ts';
import { Server } from './servers.ts';

const OPTIONS = { capacity: 1000, wait: { replicas: 1, ms: 300 } };
/** For what is confirmed, however slow the machine is. */
const PATIENT = { ...OPTIONS, wait: { replicas: 1, ms: 20_000 }, timeout: 40_000 };
const UNCONFIRMED = { code: 'UNREPLICATED', answers: { confirmed: Uint8Array.of(0) } };

const KEYS = Array.from({ length: 300 }, (_, i) => `key ${i}`);

const replica = await Server.start('--replicaof', '127.0.0.1', String(master.port));
await replica.follows();

afterAll(() => replica.stop());

it.each([
  ['the same connection', [7, 7], 2],
  ['another connection', [7, 8], 0],
  ['a client that gives numbers as texts', ['7', '7'], 2],
] as const)('waitOn counts replicas for a write and WAIT on %s', async (_, ids, count) => {
  const sent: string[] = [];
  const left = [...ids];
  const send = async (command: string[]): Promise<unknown> => {
    sent.push(command.join(' '));
    return command[0] === 'client' ? left.shift() : 2;
  };
  expect(await waitOn(send, 'k', 1, 5)).toBe(count);
  expect(sent).toEqual(['client id', 'set k:wait  px 1', 'wait 1 5', 'client id']);
});

// Without a check whether the server is ready, what is sent again comes first on the new connection.
describe('with ioredis and enableReadyCheck: false', () => {
  it.each([
    ['before the write', 1],
    ['between the write and the reply to WAIT', 2],
  ])('a key is not confirmed by a replica that does not have it, if the connection is lost %s', async (_, spared) => {
    const relay = await Relay.start(master.port);
    const { client, close } = await connect('ioredis', [relay.port], { more: { enableReadyCheck: false } });
    const patient = await RedisBloomFilter.open(client, newName(), PATIENT);
    const shared = await RedisBloomFilter.open(client, patient.name, OPTIONS);
    expect(await patient.add('warm')).toBe(true);
    replica.pause();
    relay.cutNextReply({ spared });
    await expect(shared.add('a')).rejects.toMatchObject(UNCONFIRMED);
    replica.resume();
    expect(await patient.add('b')).toBe(true);
    close();
    relay.close();
  });
});

it('as many replicas must confirm as were asked for, and no more', async () => {
  const { name } = await RedisBloomFilter.open(client, newName(), OPTIONS);
  const counting = (count: number) => ({ ...adapterOf(client), wait: async () => count });
  const add = async (count: number): Promise<boolean> =>
    (await RedisBloomFilter.open(counting(count), name, { wait: { replicas: 2, ms: 5 } })).add('a');
  for (const count of [2, 3]) await add(count);
  const message = 'fewer than 2 replicas have confirmed some of the keys';
  await expect(add(1)).rejects.toMatchObject({ ...UNCONFIRMED, message });
});

it('the keys that no replica has confirmed are named', async () => {
  const masterOf = (key: string): number => Math.floor((3 * slotOf(key)) / 16_384);
  // The replica of one of three masters does not answer.
  const wait = async (key: string): Promise<number> => (masterOf(key) === 0 ? 0 : 1);
  const threefold = { ...adapterOf(client), cluster: true, master: masterOf, wait };
  const shared = await RedisBloomFilter.open(threefold, newName(), { ...OPTIONS, capacity: 100_000 });
  const error = await shared.addMany(KEYS).catch((reason: unknown) => reason as RedisFilterError);
  const all = new Uint8Array(300).fill(1);
  expect(error).toMatchObject({ code: 'UNREPLICATED', answers: { done: all, flags: all } });
  const { answers, message } = error as RedisFilterError;
  const count = answers?.confirmed?.reduce((sum, each) => sum + each, 0) ?? 0;
  expect(Math.abs(count - 200)).toBeLessThan(60);
  expect(message).toBe(
    `fewer than 1 replicas have confirmed some of the keys (${count} of the first 300 keys are confirmed)`,
  );
});

it('a replica can be asked for keys, but takes none', async () => {
  const { client: toReplica, close } = await connect('redis', [replica.port]);
  const written = await RedisBloomFilter.open(client, newName(), PATIENT);
  await written.add('a');
  const read = await RedisBloomFilter.open(toReplica, written.name, { readFrom: 'replica' });
  expect(await read.hasMany(['a', 'b'])).toEqual(Uint8Array.of(1, 0));
  await expect(read.add('b')).rejects.toMatchObject({ code: 'READONLY' });
  await expect(read.addMany(['b'])).rejects.toMatchObject({ code: 'READONLY' });
  close();
});

it.each(libraries)('with %s, a master that becomes a replica before WAIT confirms nothing', async (library) => {
  const { client, close } = await connect(library, [master.port]);
  const adapter = adapterOf(client);
  const demoting = {
    ...adapter,
    wait: async (...args: Parameters<NonNullable<typeof adapter.wait>>): Promise<number> => {
      await master.send('replicaof', '127.0.0.1', replica.port);
      return (await adapter.wait?.(...args)) ?? 0;
    },
  };
  const shared = await RedisBloomFilter.open(demoting, newName(), OPTIONS);
  await expect(shared.add('a')).rejects.toMatchObject(UNCONFIRMED);
  expect(await shared.replicated({ replicas: 1, ms: 100 })).toBe(0);
  await master.send('replicaof', 'no', 'one');
  close();
});
