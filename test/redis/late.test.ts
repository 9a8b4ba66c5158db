// A replica that has got nothing yet, however late: the master tells what was made, what is lost, and what is gone. What
// readers of a filter that forgets are told: rights.test.ts.

import { afterAll, beforeEach, expect, it } from 'vitest';
import { adapterOf, RedisBloomFilter } from '../../src/entries/redis.ts';
import { connect } from './clients.ts';
import { intercepted } from './intercept.ts';
import { server as master, client as writer } from './one-server.ts';
import { Server } from './servers.ts';

const NAME = 'late';
const SIZE = { bits: 256 * 127 * 4, spread: 2 };
const FROM_REPLICA = { readFrom: 'replica' } as const;
const KEYS = Array.from({ length: 500 }, (_, i) => `key ${i}`);
const LOST = { code: 'LOST' };
const ABSENT = { code: 'ABSENT', message: `there is no filter "${NAME}"` };
const GONE = { code: 'ABSENT', message: expect.stringMatching(/ that was opened is gone: /) };

const replica = await Server.start();
const connection = await connect('redis', [replica.port]);
const late = adapterOf(connection.client);
/** A client that may not write, and whose lookups go to the replica. */
const reader = intercepted(writer, async (send, { key, command, options }) => {
  if (!String(command[0]).endsWith('_ro')) throw new Error('NOPERM this user has no permissions');
  return options.readOnly ? late.send(key, command, options) : send();
});

beforeEach(async () => {
  for (const server of [master, replica]) await server.send('flushall');
});

afterAll(() => {
  connection.close();
  replica.stop();
});

const piecesOn = async (server: Server): Promise<string[]> =>
  ((await server.send('keys', `${NAME}:{*`)) as string[]).filter((key) => /:\d+$/.test(key));

it('a filter is read, lost, and gone as on the master', async () => {
  const written = await RedisBloomFilter.open(writer, NAME, SIZE);
  await written.addMany(KEYS);
  const read = await RedisBloomFilter.open(reader, NAME, FROM_REPLICA);
  const expectFailures = async (error: object): Promise<void> => {
    await expect(read.hasMany(KEYS)).rejects.toMatchObject(error);
    await expect(read.toLocal()).rejects.toMatchObject(error);
  };
  expect(await read.omit(KEYS)).toEqual([]);
  expect(await replica.send('dbsize')).toBe(0);
  await written.clear();
  await written.addMany(['next']);
  expect(await read.hasMany(['next', ...KEYS])).toEqual(await written.hasMany(['next', ...KEYS]));
  await master.send('del', NAME);
  await expect(RedisBloomFilter.open(reader, NAME, FROM_REPLICA)).rejects.toMatchObject(ABSENT);
  await RedisBloomFilter.open(writer, NAME);
  expect(await read.has('next')).toBe(true);
  await master.send('del', (await piecesOn(master))[0] ?? '');
  await expectFailures(LOST);
  await RedisBloomFilter.delete(writer, NAME);
  await expectFailures({ code: 'ABSENT' });
  await RedisBloomFilter.open(writer, NAME, SIZE);
  await expectFailures(GONE);
});

it('the policy of the master matters', async () => {
  await RedisBloomFilter.open(writer, NAME, SIZE);
  const policy = (server: Server, name: string): Promise<unknown> =>
    server.send('config', 'set', 'maxmemory-policy', name, 'maxmemory', '1gb');
  await policy(replica, 'allkeys-lru');
  await RedisBloomFilter.open(reader, NAME, FROM_REPLICA);
  await policy(replica, 'noeviction');
  await policy(master, 'allkeys-lru');
  await expect(RedisBloomFilter.open(reader, NAME, FROM_REPLICA)).rejects.toMatchObject({ code: 'EVICTION' });
  await policy(master, 'noeviction');
});

it('what a replica that is behind has no more is read from the master', async () => {
  const written = await RedisBloomFilter.open(writer, NAME, SIZE);
  await written.addMany(KEYS);
  await replica.send('replicaof', '127.0.0.1', master.port);
  await replica.follows();
  await replica.send('replicaof', 'no', 'one');
  const read = await RedisBloomFilter.open(reader, NAME, FROM_REPLICA);
  expect(await read.omit(KEYS)).toEqual([]);
  await written.clear();
  expect(await read.omit(KEYS)).toEqual([]);
  await replica.send('del', (await piecesOn(replica))[0] ?? '');
  expect((await read.omit(KEYS)).length).toBeGreaterThan(KEYS.length / 8);
  expect(await read.fillRatio()).toBe(0);
  expect((await read.toLocal()).fillRatio()).toBe(0);
});
