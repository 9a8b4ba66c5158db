// Servers that are gone, and connections that break after a part of the keys was answered. What servers reply that do not
// serve for now: replies.test.ts.

import { describe, expect, it } from 'vitest';
import { RedisBloomFilter, RedisFilterError } from '../../src/entries/redis.ts';
import { type Client, connect, type Library, libraries } from './clients.ts';
import { forTest } from './for-test.ts';
import { newName, server } from './one-server.ts';
import { Relay } from './relay.ts';
import { Cluster, Server, until } from './servers.ts';

const CAPACITY = { capacity: 1000 };
const keys = Array.from({ length: 600 }, (_, i) => `key ${i}`);

const connectTo = (...args: Parameters<typeof connect>): Promise<Client> => forTest(connect(...args));

/** Expects that calls take too long, and that their errors say why, and have an error as their cause. */
async function expectTimeouts(message: RegExp, calls: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const error of await Promise.all(calls.map((call) => call().catch((reason: unknown) => reason)))) {
    expect(error).toBeInstanceOf(RedisFilterError);
    expect(error).toMatchObject({ code: 'TIMEOUT', message: expect.stringMatching(message), cause: expect.any(Error) });
  }
}

describe('with all clients', () => {
  it('a server that is gone has refused the connection, and is reached when it is back', async () => {
    const gone = await forTest(Server.start());
    const clients = await Promise.all(libraries.map((library) => connectTo(library, [gone.port])));
    const filters = await Promise.all(
      clients.map(({ client }) => RedisBloomFilter.open(client, 'x', { ...CAPACITY, timeout: 800 })),
    );
    gone.kill();
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
    await gone.run();
    for (const { client } of clients) {
      expect(await (await RedisBloomFilter.open(client, 'x', CAPACITY)).has('a')).toBe(false);
    }
  });

  it('a master of a cluster that is gone has refused the connection', async () => {
    const cluster = await forTest(Cluster.start(3));
    const options = { capacity: 100_000, timeout: 1500 };
    const filters = await Promise.all(
      libraries.map(async (library) =>
        RedisBloomFilter.open((await connectTo(library, cluster.ports, { cluster: true })).client, library, options),
      ),
    );
    cluster.masters[0]?.kill();
    const calls = filters.map((shared) => () => shared.hasMany(keys));
    await expectTimeouts(/^not done within 1500 ms: ./, calls);
  }, 60_000);
});

it.each(libraries)('a server that is busy with a script is waited for: %s', async (library) => {
  const busy = await forTest(Server.start('--busy-reply-threshold', '10'));
  const { client } = await connectTo(library, [busy.port]);
  const [blocker, other] = [await connectTo('redis', [busy.port]), await connectTo('redis', [busy.port])];
  const reasons = new Set<string>();
  const onEvent = ({ reason = '' }): unknown => reasons.add(reason);
  const options = { ...CAPACITY, wait: { replicas: 1, ms: 1 }, onEvent };
  const shared = await RedisBloomFilter.open(client, 'x', options);
  const script = blocker.send('eval', 'while true do end', '0').catch(({ message }: Error) => message);
  await until('it is busy', () =>
    other.send('ping').then(
      () => false,
      ({ message }) => message.startsWith('BUSY '),
    ),
  );
  const calls = [shared.has('a'), shared.hasMany(['a']), shared.replicated(options.wait)];
  await until('it has refused a command', async () => reasons.size > 0);
  await other.send('script', 'kill');
  expect(await Promise.all(calls)).toEqual([false, Uint8Array.of(0), 0]);
  expect(await script).toMatch(/killed by user/);
  expect([...reasons].every((reason) => reason.startsWith('BUSY '))).toBe(true);
});

/** The keys of each script call. */
const PART = 128;

/** Opens a filter through a relay, which sends one call at a time. */
async function open(library: Library, settings: object): Promise<{ shared: RedisBloomFilter; relay: Relay }> {
  const relay = await forTest(Relay.start(server.port));
  const { client } = await connectTo(library, [relay.port]);
  const options = { capacity: 10_000, inFlight: PART, ...settings };
  const shared = await RedisBloomFilter.open(client, newName(), options);
  await shared.add('warm');
  return { shared, relay };
}

/** Expects an error that says of one part of the keys that it is done, and of no other. */
async function expectOnePart(call: Promise<unknown>, code: string): Promise<void> {
  const error: unknown = await call.catch((reason: unknown) => reason);
  const done = Uint8Array.from(keys, (_, i) => Number(i < PART));
  const message = expect.stringMatching(/\(128 of the first 600 keys are done\)$/);
  expect(error).toBeInstanceOf(RedisFilterError);
  expect(error).toMatchObject({ code, message, answers: { done, flags: done } });
}

describe.each(libraries)('with %s, a batch', (library) => {
  it('whose second reply comes too late says which keys are done, and no key is new twice', async () => {
    const { shared, relay } = await open(library, { timeout: 1500 });
    relay.delayReplies(3000, { spared: 1 });
    await expectOnePart(shared.dedupe(keys), 'TIMEOUT');
    relay.delayReplies(0);
    await until('replies come', async () => !(await shared.has('unknown')));
    // The second part was added, but its answer is lost.
    expect(await shared.dedupe(keys)).toEqual(keys.slice(2 * PART));
  });

  it('whose connection is cut at the second reply is sent again, if the answers are remembered', async () => {
    const { shared, relay } = await open(library, {});
    relay.cutNextReply({ spared: 1 });
    expect(await shared.dedupe(keys)).toEqual(keys);
    relay.cutNextReply();
    expect(await shared.add('z')).toBe(true);
    relay.cutNextReply();
    expect(await shared.has('z')).toBe(true);
    expect(await shared.dedupe(['z', ...keys])).toEqual([]);
  });
});

it('a lost reply that is not remembered is an error if it has flags, and says which keys are done', async () => {
  const { shared, relay } = await open('redis', { once: false });
  relay.cutNextReply({ spared: 1 });
  await expectOnePart(shared.dedupe(keys), 'CONNECTION');
  expect(await shared.dedupe(keys)).toEqual(keys.slice(2 * PART));
  // Without flags, to send it again is harmless.
  relay.cutNextReply();
  await shared.addMany(['v', 'w']);
  expect(await shared.omit(['v', 'w'])).toEqual([]);
});
