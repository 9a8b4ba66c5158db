// What `check` says of the servers themselves: whether they take keys, and keep them. And what it and `list` say of filters
// in a cluster, with each client.

import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { adapterOf, RedisBloomFilter, type RedisClient, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { type Client, connect, libraries } from './clients.ts';
import { intercepted } from './intercept.ts';
import { cluster, keysInCluster } from './one-cluster.ts';
import { forTest, keys, ROTATING, SIZE, told } from './samples.ts';
import { Server, until } from './servers.ts';

async function start(...args: string[]): Promise<{ server: Server; client: RedisClient }> {
  const server = await forTest(Server.start(...args));
  return { server, client: (await forTest(connect('redis', [server.port]))).client };
}

/** A client that changes what servers tell of themselves. */
const changing = (client: RedisClient, change: (told: string[]) => string[]) =>
  intercepted(client, async (send, { command }) => {
    const reply = await send();
    return command.length === 4 && Array.isArray(reply) && reply.length === 11 ? change(reply) : reply;
  });

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
  // The status of the file is told last.
  const failing = changing(client, (told) => told.with(-1, 'err'));
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
  // Memory for replicas does not count.
  const uncounted = changing(client, (told) => told.with(6, String(Math.round(used / 10))));
  expect(told(await RedisBloomFilter.check(uncounted, 'seen'))).toEqual(['ok']);
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

const connections = await Promise.all(libraries.map((library) => connect(library, cluster.ports, { cluster: true })));
const [{ client }] = connections as [Client];
afterAll(() => {
  for (const { close } of connections) close();
});

const LARGE = { capacity: 100_000 };
let names = 0;
/** Without a colon: pieces are told by the number after one. */
const newName = (): string => `filter ${names++}`;

const rows = libraries.map((library, i) => [library, connections[i] as Client] as const);
describe.each(rows)('with %s,', (_, { client }) => {
  it('tells which masters hold what', async () => {
    const name = newName();
    await (await RedisBloomFilter.open(client, name, LARGE)).addMany(keys);
    const report = await RedisBloomFilter.check(client, name);
    expect(report).toMatchObject({ status: 'ok', problems: [], orphans: [] });
    const addresses = cluster.masters.map(({ port }) => `127.0.0.1:${port}`);
    expect(report.masters.map(({ address }) => address).toSorted()).toEqual(addresses.toSorted());
    for (const [at, master] of cluster.masters.entries()) {
      const held = (await master.send('keys', `${name}*`)) as string[];
      const { hasParameters, lists, pieces } = report.masters.find(({ address }) => address === addresses[at]) ?? {};
      expect([hasParameters, lists, pieces]).toEqual([
        held.includes(name),
        held.filter((key) => key.endsWith(':filters')).length,
        held.filter((key) => /:\d+$/.test(key)).length,
      ]);
    }
  });

  it('lists the filters of all masters', async () => {
    const name = newName();
    const { pieces } = await RedisBloomFilter.open(client, name, LARGE);
    const listed = await RedisBloomFilter.list(client);
    expect(listed.find((each) => each.name === name)).toMatchObject({ pieces, hasParameters: true, orphans: 0 });
  });

  it('tells what is gone with a master, and what is left on the others', async () => {
    const name = newName();
    await RedisBloomFilter.open(client, name, LARGE);
    for (const master of cluster.masters) {
      if (((await master.send('keys', name)) as string[]).length > 0) await master.send('flushall');
    }
    const { problems, masters } = await RedisBloomFilter.check(client, name);
    expect(problems.map(({ code, message }) => [code, message])).toEqual([
      ['LOST', 'the parameters are gone; the lists have them'],
      ['LOST', expect.stringMatching(/^\d lists .* of 16 lack the filter/)],
      ['LOST', expect.stringMatching(/^\d+ pieces .* of 17 are missing/)],
    ]);
    expect(masters.filter(({ pieces }) => Number(pieces) > 0)).toHaveLength(2);
    // Nothing is left that says which filter it was, but the strings are found.
    const lists = await keysInCluster(`${name}:*:filters`);
    for (const master of cluster.masters) for (const list of lists) await master.send('del', list).catch(() => {});
    const left = await RedisBloomFilter.check(client, name);
    expect(left.problems.map(({ code }) => code)).toEqual(['ABSENT', 'ORPHANS']);
    expect(left.orphans).toEqual(await keysInCluster(`${name}:*`));
  });
});

it.each([
  [0, 3_600_000, []],
  [950, 3_600_000, []],
  [950, 2000, [['warning', expect.any(String)]]],
  [5000, 3_600_000, [['warning', expect.stringMatching(/^the clocks of the masters differ by [45]\d{3} ms/)]]],
  [3_700_000, 3_600_000, [['critical', expect.any(String)]]],
])('tells of clocks that are %i ms apart, with a window of %i ms', async (difference, window, told) => {
  const name = newName();
  await RotatingRedisBloomFilter.open(client, name, { ...LARGE, window });
  let asked = 0;
  const late = changing(client, (told) => {
    if (asked++ > 0) return told;
    const micros = Number(told[0]) * 1e6 + Number(told[1]) - 1000 * difference;
    return [String(Math.floor(micros / 1e6)), String(micros % 1e6), ...told.slice(2)];
  });
  const { problems } = await RotatingRedisBloomFilter.check(late, name);
  expect(problems.map(({ level, message }) => [level, message])).toEqual(told);
});

it('does not tell of masters that hold nothing of the filter', async () => {
  const policyOf = async (name: string, policy: string): Promise<unknown> => {
    await RedisBloomFilter.open(client, name, { ...LARGE, spread: 1 });
    const { masters } = await RedisBloomFilter.check(client, name);
    const other = masters.find(({ hasParameters, lists }) => !hasParameters && lists === 0);
    const server = cluster.masters.find(({ port }) => other?.address?.endsWith(`:${port}`));
    if (server === undefined) return policyOf(newName(), policy);
    await server.send('config', 'set', 'maxmemory', '1gb', 'maxmemory-policy', policy);
    const { problems } = await RedisBloomFilter.check(client, name);
    await server.send('config', 'set', 'maxmemory', '0', 'maxmemory-policy', 'noeviction');
    return problems;
  };
  expect(await policyOf(newName(), 'allkeys-lru')).toEqual([]);
});

it('tells which master does not answer', async () => {
  const adapter = adapterOf(client);
  // Also the first one that is asked which masters there are.
  const dead = adapter.master('{0}');
  let name = newName();
  while (adapter.master(name) !== dead) name = newName();
  await RedisBloomFilter.open(client, name, LARGE);
  const without = intercepted(client, (send, { key }) =>
    adapter.master(key) === dead ? new Promise(() => {}) : send(),
  );
  const report = await RedisBloomFilter.check(without, name, { timeout: 500 });
  const { masters } = await RedisBloomFilter.check(client, name);
  const address = masters.find(({ hasParameters }) => hasParameters)?.address;
  const message = `${address} does not answer: Redis did not answer within 500 ms`;
  expect(report).toMatchObject({ status: 'critical', problems: [{ code: 'TIMEOUT', message }], parameters: null });
  expect(report).toMatchObject({ byteLength: null, memory: null, orphans: null });
  for (const each of report.masters) expect(each).toMatchObject({ hasParameters: null, lists: null, pieces: null });
  const others = masters.map((each) => each.address).filter((each) => each !== address);
  expect(report.masters.map((each) => each.address).toSorted()).toEqual(others.toSorted());
  for (const verb of ['repair', 'delete'] as const) {
    await expect(RedisBloomFilter[verb](without, name, { timeout: 500 })).rejects.toMatchObject({ code: 'TIMEOUT' });
  }
  const refused = intercepted(client, (send, { key }) =>
    adapter.master(key) === dead ? Promise.reject(new Error('refused')) : send(),
  );
  const { problems } = await RedisBloomFilter.check({ ...refused, isClosed: () => true }, name);
  expect(problems.map(({ code }) => code)).toEqual(['CONNECTION']);
});
