// What is confirmed to be on disk, by WAITAOF. Redis has it from 7.2, and Debian 12 only in Valkey. And an error whose text
// is another one since then.

import { afterAll, expect, it } from 'vitest';
import { adapterOf, RedisBloomFilter, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { RotatingBloomFilter } from '../../src/entries/rotating.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { connect, type Library, libraries, PASSWORD } from './clients.ts';
import { forTest } from './samples.ts';
import { Cluster, Server, until } from './servers.ts';

const start = (...args: string[]): Promise<Server> => Server.startAs('valkey-server', ...args);
const AOF = ['--appendonly', 'yes', '--appendfsync', 'always'];

const [master, replica] = await Promise.all([start(...AOF), start(...AOF)]);
const [plain, old] = await Promise.all([start(), start('--rename-command', 'waitaof', '')]);
afterAll(() => {
  for (const server of [master, replica, plain, old]) server.stop();
});
await replica.send('replicaof', '127.0.0.1', master.port);
await replica.follows();

const LONG = { timeout: 40_000, wait: { replicas: 1, ms: 20_000, local: 1 } };
const SHORT = { wait: { replicas: 1, ms: 100, local: 1 } };

it.each(libraries)('keys are confirmed once master and replica have them on disk: %s', async (library) => {
  const { client } = await forTest(connect(library, [master.port]));
  const made = await RedisBloomFilter.open(client, library, { capacity: 1000, ...LONG });
  expect(await made.add('a')).toBe(true);
  expect(await made.replicated(LONG.wait)).toBe(1);
  const before = await master.callsOf('waitaof');
  expect(before).toBeGreaterThan(1);
  expect(await master.callsOf('wait')).toBe(0);
  // A replica that holds keys in memory only confirms nothing.
  await replica.send('config', 'set', 'appendonly', 'no');
  const shared = await RedisBloomFilter.open(client, library, SHORT);
  await expect(shared.addMany(['b', 'c'])).rejects.toMatchObject({
    code: 'UNREPLICATED',
    message: 'some of the keys are not on the disks of the master and 1 replica (0 of the first 2 keys are confirmed)',
    answers: { done: Uint8Array.of(1, 1), confirmed: Uint8Array.of(0, 0) },
  });
  expect(await shared.replicated(SHORT.wait)).toBe(0);
  // The master alone has them.
  expect(await shared.replicated({ replicas: 0, ms: 20_000, local: 1 })).toBe(0);
  const alone = await RedisBloomFilter.open(client, library, { wait: { replicas: 0, ms: 20_000, local: 1 } });
  expect(await alone.add('d')).toBe(true);
  await replica.send('config', 'set', 'appendonly', 'yes');
  expect(await made.add('e')).toBe(true);
  await master.send('config', 'set', 'appendfsync', 'no');
  const late = await RedisBloomFilter.open(client, library, { wait: { replicas: 0, ms: 100, local: 1 } });
  const message = 'some of the keys are not on the disks of the master';
  await expect(late.add('f')).rejects.toMatchObject({ code: 'UNREPLICATED', message });
  await master.send('config', 'set', 'appendfsync', 'always');
});

it('a late disk is waited for once, however many slots the keys are in', async () => {
  const single = await forTest(start(...AOF, '--cluster-enabled', 'yes'));
  await single.send('cluster', 'addslotsrange', 0, 16383);
  await until('it serves', async () => String(await single.send('cluster', 'info')).includes('cluster_state:ok'));
  const { client } = await forTest(connect('redis', [single.port], { cluster: true }));
  await single.send('config', 'set', 'appendfsync', 'no');
  const ms = 200;
  const wait = { replicas: 0, ms, local: 1 };
  const shared = await RedisBloomFilter.open(client, 'many slots', { capacity: 1_000_000, wait });
  const before = await single.callsOf('waitaof');
  const keys = Array.from({ length: 200 }, (_, i) => `key ${i}`);
  await expect(shared.addMany(keys)).rejects.toMatchObject({ code: 'UNREPLICATED' });
  expect((await single.callsOf('waitaof')) - before).toBe(1);
});

/** Expects that a filter is neither opened nor brought there, and nothing is left. */
async function expectRefusal(server: Server, library: Library, message: RegExp): Promise<void> {
  const { client } = await forTest(connect(library, [server.port]));
  const error = { code: 'REDIS', message: expect.stringMatching(message) };
  await expect(RedisBloomFilter.open(client, 'x', { capacity: 1000, ...SHORT })).rejects.toMatchObject(error);
  const local = new BlockedBloomFilter({ capacity: 1000 });
  await expect(RedisBloomFilter.fromLocal(client, 'x', local, SHORT)).rejects.toMatchObject(error);
  expect(await server.send('exists', 'x')).toBe(0);
}

it.each(libraries)('a server that cannot do so is refused when the filter is opened: %s', async (library) => {
  const unknown = /^wait\.local needs Redis 7\.2 or later, or Valkey: .*unknown command/;
  await expectRefusal(old, library, unknown);
  await expectRefusal(plain, library, /appendonly is disabled/);
});

it('in a cluster it is refused for each name, and asking writes to no key of another name', async () => {
  const cluster = await forTest(Cluster.start(3));
  const { client } = await forTest(connect('redis', cluster.ports, { cluster: true }));
  const { send } = adapterOf(client);
  const plain = { readOnly: false, binary: false };
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const other = `${name}:wait`;
    await send(other, ['set', other, 'mine'], plain);
    const opened = RedisBloomFilter.open(client, name, { capacity: 1000, ...SHORT });
    await expect(opened).rejects.toMatchObject({ code: 'REDIS' });
    expect(await send(other, ['get', other], plain)).toBe('mine');
  }
  const local = new RotatingBloomFilter({ capacity: 10, generations: 2, window: 1000 });
  const brought = RotatingRedisBloomFilter.fromLocal(client, 'a', local, SHORT);
  await expect(brought).rejects.toMatchObject({ code: 'REDIS' });
});

it('a right that is missing inside a script is named as such', async () => {
  const rules = ['on', `>${PASSWORD}`, '~*', '+@all', '-getrange'];
  await plain.send('acl', 'setuser', 'limited', 'reset', ...rules);
  const { client } = await forTest(connect('redis', [plain.port], { username: 'limited' }));
  const shared = await RedisBloomFilter.open(client, 'limited', { capacity: 1000 });
  const error = { code: 'NOPERM', message: expect.stringMatching(/ACL failure in script/) };
  await expect(shared.has('a')).rejects.toMatchObject(error);
});

it('a master that has become a replica confirms nothing', async () => {
  const { client } = await forTest(connect('redis', [master.port]));
  const shared = await RedisBloomFilter.open(client, 'demoted', { capacity: 1000, ...SHORT });
  await replica.send('replicaof', 'no', 'one');
  await master.send('replicaof', '127.0.0.1', replica.port);
  expect(await shared.replicated(LONG.wait)).toBe(-1);
});
