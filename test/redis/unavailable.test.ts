// Servers that do not serve: what an error says of it must not depend on chance.

import { afterEach, describe, expect, it } from 'vitest';
import { RedisBloomFilter, RedisFilterError, type RedisFilterErrorCode } from '../../src/redis.ts';
import { type Client, connect, knowing, libraries } from './clients.ts';
import { Cluster, freePort, Server, until } from './servers.ts';

const CAPACITY = { capacity: 1000 };
const open: (() => void)[] = [];

afterEach(() => {
  for (const close of open.splice(0).reverse()) close();
});

async function start(...args: string[]): Promise<Server> {
  const server = await Server.start(...args);
  open.push(() => server.stop());
  return server;
}

async function connectTo(...args: Parameters<typeof connect>): Promise<Client> {
  const client = await connect(...args);
  open.push(() => client.close());
  return client;
}

async function failuresOf(calls: readonly (() => Promise<unknown>)[]): Promise<RedisFilterError[]> {
  const failures: RedisFilterError[] = [];
  for (const call of calls) {
    const error: unknown = await call().then(
      () => 'no error',
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(RedisFilterError);
    failures.push(error as RedisFilterError);
  }
  return failures;
}

/** Throws unless all failures have this code, a message that matches, and an error as their cause. */
function expectAll(failures: readonly RedisFilterError[], code: RedisFilterErrorCode, message: RegExp): void {
  for (const failure of failures) {
    expect([failure.code, failure.message]).toEqual([code, expect.stringMatching(message)]);
    expect(failure.cause).toBeInstanceOf(Error);
  }
}

describe.each(knowing)('with %s, which says why', (library) => {
  it('a replica without its master says so', async () => {
    const alone = await start('--replicaof', '127.0.0.1', String(await freePort()), '--replica-serve-stale-data', 'no');
    const { client } = await connectTo(library, [alone.port], { more: { enableReadyCheck: false } });
    const failures = await failuresOf(
      Array.from({ length: 6 }, (_, i) => () => RedisBloomFilter.open(client, 'x', { timeout: 250 + i })),
    );
    expectAll(failures, 'TIMEOUT', /^not done within \d+ ms: MASTERDOWN Link with MASTER is down/);
  });

  it('a server that is gone has refused the connection', async () => {
    const server = await start();
    const { client } = await connectTo(library, [server.port]);
    const shared = await RedisBloomFilter.open(client, 'x', { ...CAPACITY, timeout: 800 });
    server.kill();
    const failures = await failuresOf([() => shared.has('a'), () => shared.addMany(['a']), () => shared.clear()]);
    expectAll(failures, 'TIMEOUT', /^not done within 800 ms: .*ECONNREFUSED/);
    await server.run();
    const patient = await RedisBloomFilter.open(client, 'x', CAPACITY);
    expect(await patient.has('a')).toBe(false);
  });
});

describe.each(libraries)('with %s', (library) => {
  it('a server that is loading says so', async () => {
    const server = await start('--key-load-delay', '1000', '--loading-process-events-interval-bytes', '1024');
    await server.send('debug', 'populate', 2500, 'key', 200);
    await server.send('save');
    server.kill();
    await server.run({ serves: false });
    const { client } = await connectTo(library, [server.port], { more: { enableReadyCheck: false } });
    const failures = await failuresOf(
      Array.from({ length: 5 }, (_, i) => () => RedisBloomFilter.open(client, 'x', { timeout: 300 + i })),
    );
    expectAll(failures, 'TIMEOUT', /^not done within \d+ ms: LOADING Redis is loading/);
    await RedisBloomFilter.open(client, 'x', CAPACITY);
  });

  it('a server that is busy with a script is waited for', async () => {
    const server = await start('--busy-reply-threshold', '1');
    const { client, send } = await connectTo(library, [server.port]);
    const shared = await RedisBloomFilter.open(client, 'x', CAPACITY);
    const { send: keepBusy } = await connectTo('redis', [server.port]);
    const busy = keepBusy('eval', "while redis.call('exists','end')==0 do end", '0').catch(String);
    await until('it is busy', () =>
      send('ping').then(
        () => false,
        (error) => /BUSY/.test(String(error)),
      ),
    );
    const added = shared.add('a');
    await expect(RedisBloomFilter.open(client, 'x', { timeout: 100 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    await connectTo('redis', [server.port]).then(({ send }) => send('script', 'kill'));
    expect(await added).toBe(true);
    await busy;
  });

  it('a master of a cluster that is gone has refused the connection', async () => {
    const cluster = await Cluster.start(3);
    open.push(() => cluster.stop());
    const { client } = await connectTo(library, cluster.ports, { cluster: true });
    const shared = await RedisBloomFilter.open(client, 'x', { capacity: 100_000, timeout: 1500 });
    cluster.masters[0]?.kill();
    const keys = Array.from({ length: 300 }, (_, i) => `key ${i}`);
    expectAll(await failuresOf([() => shared.hasMany(keys)]), 'TIMEOUT', /^not done within 1500 ms: ./);
  }, 60_000);
});

it('a server that is gone does not answer @valkey/valkey-glide, which reaches it when it is back', async () => {
  const server = await start();
  const { client } = await connectTo('@valkey/valkey-glide', [server.port]);
  const shared = await RedisBloomFilter.open(client, 'x', { ...CAPACITY, timeout: 300 });
  server.kill();
  const failures = await failuresOf([() => shared.has('a'), () => shared.addMany(['a']), () => shared.clear()]);
  for (const { code } of failures) expect(['TIMEOUT', 'CONNECTION']).toContain(code);
  await server.run();
  const patient = await RedisBloomFilter.open(client, 'x', CAPACITY);
  expect(await patient.has('a')).toBe(false);
});
