// Servers that do not serve: what an error says of it must not depend on chance. All clients meet the same server.

import { describe, expect, it, onTestFinished } from 'vitest';
import { RedisBloomFilter, RedisFilterError } from '../../src/entries/redis.ts';
import { type Client, connect, knowing, libraries } from './clients.ts';
import { Cluster, freePort, Server } from './servers.ts';

const CAPACITY = { capacity: 1000 };

async function start(...args: string[]): Promise<Server> {
  const server = await Server.start(...args);
  onTestFinished(() => server.stop());
  return server;
}

async function connectTo(...args: Parameters<typeof connect>): Promise<Client> {
  const client = await connect(...args);
  onTestFinished(() => client.close());
  return client;
}

/** Expects that calls take too long, and that their errors say why, and have an error as their cause. */
async function expectTimeouts(message: RegExp, calls: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const error of await Promise.all(calls.map((call) => call().catch((reason: unknown) => reason)))) {
    expect(error).toBeInstanceOf(RedisFilterError);
    expect(error).toMatchObject({ code: 'TIMEOUT', message: expect.stringMatching(message), cause: expect.any(Error) });
  }
}

describe('with all clients', () => {
  it('a replica without its master says so', async () => {
    const alone = await start('--replicaof', '127.0.0.1', String(await freePort()), '--replica-serve-stale-data', 'no');
    const more = { enableReadyCheck: false };
    const clients = await Promise.all(knowing.map((library) => connectTo(library, [alone.port], { more })));
    // They end at different times between two attempts.
    const openings = clients.flatMap(({ client }) =>
      [1000, 1006, 1012, 1018].map((timeout) => () => RedisBloomFilter.open(client, 'x', { timeout })),
    );
    await expectTimeouts(/^not done within \d+ ms: MASTERDOWN Link with MASTER is down/, openings);
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

  it('a master of a cluster that is gone has refused the connection', async () => {
    const cluster = await Cluster.start(3);
    onTestFinished(() => cluster.stop());
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
