// Servers that do not serve: what an error says of it must not depend on chance. All clients meet the same server.

import { afterEach, describe, expect, it } from 'vitest';
import { RedisBloomFilter, RedisFilterError } from '../../src/entries/redis.ts';
import { type Client, connect, knowing, libraries } from './clients.ts';
import { Cluster, freePort, Server, until } from './servers.ts';

const CAPACITY = { capacity: 1000 };
const UNCHECKED = { more: { enableReadyCheck: false } };
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

/** Expects that calls take too long, and that their errors say why, and have an error as their cause. */
async function expectTimeouts(message: RegExp, calls: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const error of await Promise.all(calls.map((call) => call().catch((reason: unknown) => reason)))) {
    expect(error).toBeInstanceOf(RedisFilterError);
    expect(error).toMatchObject({ code: 'TIMEOUT', message: expect.stringMatching(message), cause: expect.any(Error) });
  }
}

/** Openings that end at different times between two attempts. */
const openings = ({ client }: Client): (() => Promise<unknown>)[] =>
  [1000, 1006, 1012, 1018].map((timeout) => () => RedisBloomFilter.open(client, 'x', { timeout }));

describe('with all clients', () => {
  it('a replica without its master says so', async () => {
    const alone = await start('--replicaof', '127.0.0.1', String(await freePort()), '--replica-serve-stale-data', 'no');
    const clients = await Promise.all(knowing.map((library) => connectTo(library, [alone.port], UNCHECKED)));
    await expectTimeouts(/^not done within \d+ ms: MASTERDOWN Link with MASTER is down/, clients.flatMap(openings));
  });

  it('a server that is gone has refused the connection, and is reached when it is back', async () => {
    const server = await start();
    const clients = await Promise.all(libraries.map((library) => connectTo(library, [server.port])));
    const filters = await Promise.all(
      clients.map(({ client }) => RedisBloomFilter.open(client, 'x', { ...CAPACITY, timeout: 800 })),
    );
    server.kill();
    const failures = filters.map(async (shared, i) => {
      const calls = [() => shared.has('a'), () => shared.addMany(['a']), () => shared.clear()];
      if (libraries[i] !== '@valkey/valkey-glide') {
        return expectTimeouts(/^not done within 800 ms: .*ECONNREFUSED/, calls);
      }
      // It does not say why.
      for (const call of calls) {
        await expect(call()).rejects.toMatchObject({ code: expect.stringMatching(/^(TIMEOUT|CONNECTION)$/) });
      }
    });
    await Promise.all(failures);
    await server.run();
    for (const { client } of clients) {
      expect(await (await RedisBloomFilter.open(client, 'x', CAPACITY)).has('a')).toBe(false);
    }
  });

  it('a server that is loading says so', async () => {
    // It looks for commands after a few keys, and takes two minutes for all of them, unless it is told to be quick.
    const server = await start('--key-load-delay', '2000', '--loading-process-events-interval-bytes', '1024');
    await server.send('debug', 'populate', 60_000, 'key', 200);
    await server.send('save');
    server.kill();
    await server.run({ serves: false });
    const clients = await Promise.all(libraries.map((library) => connectTo(library, [server.port], UNCHECKED)));
    await expectTimeouts(/^not done within \d+ ms: LOADING Redis is loading/, clients.flatMap(openings));
    const opened = clients.map(({ client }) => RedisBloomFilter.open(client, 'x', CAPACITY));
    await clients[0]?.send('config', 'set', 'key-load-delay', '0');
    await Promise.all(opened);
  });

  it('a server that is busy with a script is waited for', async () => {
    const server = await start('--busy-reply-threshold', '1');
    const clients = await Promise.all(libraries.map((library) => connectTo(library, [server.port])));
    const filters = await Promise.all(clients.map(({ client }) => RedisBloomFilter.open(client, 'x', CAPACITY)));
    const [one, other] = await Promise.all([1, 2].map(() => connectTo('redis', [server.port])));
    const busy = one?.send('eval', "while redis.call('exists','end')==0 do end", '0').catch(String);
    await until('it is busy', async () => String(await other?.send('ping').catch(String)).includes('BUSY'));
    const added = filters.map((shared, i) => shared.add(`key ${i}`));
    const opening = clients.map(({ client }) => RedisBloomFilter.open(client, 'x', { timeout: 100 }));
    for (const each of await Promise.allSettled(opening)) {
      expect(each).toMatchObject({ status: 'rejected', reason: { code: 'TIMEOUT' } });
    }
    await other?.send('script', 'kill');
    expect(await Promise.all(added)).toEqual(libraries.map(() => true));
    await busy;
  });

  it('a master of a cluster that is gone has refused the connection', async () => {
    const cluster = await Cluster.start(3);
    open.push(() => cluster.stop());
    const options = { capacity: 100_000, timeout: 1500 };
    const filters = await Promise.all(
      libraries.map(async (library) =>
        RedisBloomFilter.open((await connectTo(library, cluster.ports, { cluster: true })).client, library, options),
      ),
    );
    cluster.masters[0]?.kill();
    const keys = Array.from({ length: 300 }, (_, i) => `key ${i}`);
    const calls = filters.map((shared) => () => shared.hasMany(keys));
    await expectTimeouts(/^not done within 1500 ms: ./, calls);
  }, 60_000);
});
