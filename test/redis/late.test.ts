// A replica that has got nothing yet, however late: the master tells what was made, what is lost, and what is gone.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  adapterOf,
  type RedisAdapter,
  RedisBloomFilter,
  type RedisClient,
  RotatingRedisBloomFilter,
} from '../../src/redis.ts';
import { type Client, connect } from './clients.ts';
import { intercepted } from './intercept.ts';
import { Server, until } from './servers.ts';

const NAME = 'late';
const SIZE = { bits: 256 * 127 * 4, spread: 2 };
const ROTATING = { capacity: 10_000, window: 3_600_000 };
const FROM_REPLICA = { readFrom: 'replica' } as const;
const KEYS = Array.from({ length: 500 }, (_, i) => `key ${i}`);

let master: Server;
let replica: Server;
let connections: Client[];
let writer: RedisClient;
/** A client that may not write, and whose lookups go to the replica. */
let reader: RedisAdapter;

beforeAll(async () => {
  [master, replica] = await Promise.all([Server.start(), Server.start()]);
  connections = await Promise.all([master, replica].map(({ port }) => connect('redis', [port])));
  const [toMaster, toReplica] = connections.map(({ client }) => client) as [RedisClient, RedisClient];
  writer = toMaster;
  const late = adapterOf(toReplica);
  reader = intercepted(toMaster, async (send, { key, command, options }) => {
    if (!String(command[0]).endsWith('_ro')) throw new Error('NOPERM this user has no permissions');
    return options.readOnly ? late.send(key, command, options) : send();
  });
}, 60_000);

beforeEach(async () => {
  for (const server of [master, replica]) await server.send('flushall');
});

afterAll(() => {
  for (const { close } of connections) close();
  for (const server of [master, replica]) server.stop();
});

const LOST = { code: 'LOST' };
const GONE = { code: 'ABSENT', message: expect.stringMatching(/ that was opened is gone: /) };

async function deletePieces(count: number): Promise<void> {
  const keys = (await master.send('keys', `${NAME}:{*`)) as string[];
  for (const key of keys.filter((key) => /:\d+$/.test(key)).slice(0, count)) await master.send('del', key);
}

describe('with a replica that has nothing yet', () => {
  it('a filter is read, lost, and gone as on the master', async () => {
    const written = await RedisBloomFilter.open(writer, NAME, SIZE);
    await written.addMany(KEYS);
    const read = await RedisBloomFilter.open(reader, NAME, FROM_REPLICA);
    expect(await read.omit(KEYS)).toEqual([]);
    expect(await replica.send('dbsize')).toBe(0);
    await written.clear();
    await written.addMany(['next']);
    expect(await read.hasMany(['next', ...KEYS])).toEqual(await written.hasMany(['next', ...KEYS]));
    await master.send('del', NAME);
    await expect(RedisBloomFilter.open(reader, NAME, FROM_REPLICA)).rejects.toMatchObject({
      code: 'ABSENT',
      message: `there is no filter "${NAME}"`,
    });
    await RedisBloomFilter.open(writer, NAME);
    expect(await read.has('next')).toBe(true);
    await deletePieces(1);
    await expect(read.hasMany(KEYS)).rejects.toMatchObject(LOST);
    await expect(read.toLocal()).rejects.toMatchObject(LOST);
    await RedisBloomFilter.delete(writer, NAME);
    await expect(read.hasMany(KEYS)).rejects.toMatchObject({ code: 'ABSENT' });
    await RedisBloomFilter.open(writer, NAME, SIZE);
    await expect(read.hasMany(KEYS)).rejects.toMatchObject(GONE);
    await expect(read.toLocal()).rejects.toMatchObject(GONE);
  });

  it('a filter that forgets is read at once, and lost, though its reader may make nothing', async () => {
    const written = await RotatingRedisBloomFilter.open(writer, NAME, ROTATING);
    await written.addMany(KEYS);
    const read = await RotatingRedisBloomFilter.open(reader, NAME, FROM_REPLICA);
    expect(await read.omit(KEYS)).toEqual([]);
    await deletePieces(Number.POSITIVE_INFINITY);
    await expect(read.hasMany(KEYS)).rejects.toMatchObject(LOST);
    await RedisBloomFilter.delete(writer, NAME);
    await RotatingRedisBloomFilter.open(writer, NAME, ROTATING);
    await expect(read.hasMany(KEYS)).rejects.toMatchObject(GONE);
  });

  it('the policy of the master matters', async () => {
    await RedisBloomFilter.open(writer, NAME, SIZE);
    const evict = async (server: Server, limit: string): Promise<void> => {
      await server.send('config', 'set', 'maxmemory-policy', limit === '0' ? 'noeviction' : 'allkeys-lru');
      await server.send('config', 'set', 'maxmemory', limit);
    };
    await evict(replica, '1gb');
    await RedisBloomFilter.open(reader, NAME, FROM_REPLICA);
    await evict(replica, '0');
    await evict(master, '1gb');
    await expect(RedisBloomFilter.open(reader, NAME, FROM_REPLICA)).rejects.toMatchObject({ code: 'EVICTION' });
    await evict(master, '0');
  });
});

it('what a replica that is behind has no more is read from the master', async () => {
  const written = await RedisBloomFilter.open(writer, NAME, SIZE);
  await written.addMany(KEYS);
  await replica.send('replicaof', '127.0.0.1', master.port);
  await until('it has all', async () => (await replica.info('replication', 'master_link_status')) === 'up');
  await replica.send('replicaof', 'no', 'one');
  const read = await RedisBloomFilter.open(reader, NAME, FROM_REPLICA);
  expect(await read.omit(KEYS)).toEqual([]);
  await written.clear();
  expect(await read.omit(KEYS)).toEqual([]);
  const [piece = ''] = ((await replica.send('keys', `${NAME}:{*`)) as string[]).filter((key) => /:\d+$/.test(key));
  await replica.send('del', piece);
  expect((await read.omit(KEYS)).length).toBeGreaterThan(KEYS.length / 8);
  expect(await read.fillRatio()).toBe(0);
  expect((await read.toLocal()).fillRatio()).toBe(0);
});
