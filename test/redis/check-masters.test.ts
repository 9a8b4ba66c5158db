// What `check` says of the servers themselves: whether they take keys, and keep them.

import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { RedisBloomFilter, type RedisClient, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { connect } from './clients.ts';
import { forTest } from './for-test.ts';
import { intercepted } from './intercept.ts';
import { keys, ROTATING, SIZE, told } from './samples.ts';
import { Server, until } from './servers.ts';

async function start(...args: string[]): Promise<{ server: Server; client: RedisClient }> {
  const server = await forTest(Server.start(...args));
  return { server, client: (await forTest(connect('redis', [server.port]))).client };
}

it('tells that a server is a replica, which takes no keys', async () => {
  const [{ server, client }, { server: other }] = await Promise.all([start(), start()]);
  const filter = await RedisBloomFilter.open(client, 'seen', SIZE);
  await other.send('replicaof', '127.0.0.1', server.port);
  await other.follows();
  await server.send('replicaof', '127.0.0.1', other.port);
  await expect(filter.add('x')).rejects.toMatchObject({ code: 'READONLY' });
  const report = await RedisBloomFilter.check(client, 'seen');
  expect(report.problems[0]).toMatchObject({ code: 'READONLY', level: 'critical' });
});

it('tells that a server has too few replicas to take keys', async () => {
  const { server, client } = await start();
  const filter = await RedisBloomFilter.open(client, 'seen', SIZE);
  await server.send('config', 'set', 'min-replicas-to-write', 1);
  await expect(filter.add('x')).rejects.toMatchObject({ code: 'REDIS', message: expect.stringMatching(/NOREPLICAS/) });
  const { problems } = await RedisBloomFilter.check(client, 'seen');
  const message = expect.stringMatching(/^the server takes no keys: NOREPLICAS/);
  expect(problems).toMatchObject([{ code: 'REDIS', level: 'critical', message }]);
});

it('tells that a snapshot could not be written', async () => {
  const { server, client } = await start();
  const filter = await RedisBloomFilter.open(client, 'seen', SIZE);
  // Pairs, or an object of them.
  const pairs = (await server.send('config', 'get', 'dir')) as object;
  rmSync(String(Object.values(pairs).at(-1)), { recursive: true });
  await server.send('config', 'set', 'save', '3600 1');
  await server.send('bgsave');
  await until('it has failed', async () => (await server.info('persistence', 'rdb_last_bgsave_status')) === 'err');
  await expect(filter.add('x')).rejects.toMatchObject({ code: 'REDIS', message: expect.stringMatching(/MISCONF/) });
  const { problems } = await RedisBloomFilter.check(client, 'seen');
  expect(problems).toMatchObject([{ code: 'REDIS', level: 'warning', message: expect.stringMatching(/MISCONF$/) }]);
});

it('tells that the append-only file could not be written', async () => {
  const { client } = await start();
  await RedisBloomFilter.open(client, 'seen', SIZE);
  const failing = intercepted(client, async (send, { command }) => {
    const reply = await send();
    // The answer with which a server tells of itself. Its last part is the status of the file.
    return command.length === 4 && Array.isArray(reply) && reply.length === 11 ? [...reply.slice(0, -1), 'err'] : reply;
  });
  expect(told(await RedisBloomFilter.check(client, 'seen'))).toEqual(['ok']);
  expect(told(await RedisBloomFilter.check(failing, 'seen'))).toEqual(['critical', 'REDIS critical']);
});

it('tells of an eviction policy, of what it has taken, and of memory that is nearly full', async () => {
  const { server: small, client } = await start('--maxmemory', '30mb', '--maxmemory-policy', 'noeviction');
  const checkSmall = (name: string) => RedisBloomFilter.check(client, name);
  const filter = await RedisBloomFilter.open(client, 'seen', { capacity: 1_000_000 });
  await filter.addMany(keys);
  await RotatingRedisBloomFilter.open(client, 'lately', ROTATING);
  await small.send('config', 'set', 'maxmemory-policy', 'allkeys-lru');
  expect(told(await checkSmall('seen'))).toEqual(['critical', 'EVICTION critical']);
  await small.send('config', 'set', 'maxmemory-policy', 'noeviction');
  const fillMemory = async (): Promise<void> => {
    for (let i = 0; i < 300; i++) await small.send('set', `other ${i}`, 'x'.repeat(100_000));
  };
  await expect(fillMemory()).rejects.toThrow('OOM');
  const used = Number(await small.info('memory', 'used_memory'));
  const limit = (share: number) => small.send('config', 'set', 'maxmemory', Math.round(used / share));
  await limit(0.95);
  expect(told(await checkSmall('seen'))).toEqual(['warning', 'OOM warning']);
  await limit(1.05);
  await expect(filter.add('one more')).rejects.toMatchObject({ code: 'OOM' });
  expect(told(await checkSmall('seen'))).toEqual(['critical', 'OOM critical']);
  // A cache that evicts other keys is always nearly full.
  await small.send('config', 'set', 'maxmemory-policy', 'volatile-lru');
  expect(told(await checkSmall('seen'))).toEqual(['warning', 'OOM warning']);
  await limit(0.95);
  expect(told(await checkSmall('seen'))).toEqual(['ok']);
  expect(told(await checkSmall('lately'))).toEqual(['critical', 'EVICTION critical']);
  await small.send('config', 'set', 'maxmemory', '30mb');
  await small.send('config', 'set', 'maxmemory-policy', 'allkeys-lru');
  await fillMemory();
  expect(told(await checkSmall('seen'))).toEqual(expect.arrayContaining(['LOST critical', 'EVICTION critical']));
  small.kill();
  await small.run();
  expect(told(await checkSmall('seen'))).toEqual(['critical', 'ABSENT critical']);
});
