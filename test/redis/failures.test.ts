// Servers that are gone, and connections that break after a part of the keys was answered. And, without a server, replies
// that none gives, or only by chance.

import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import {
  type Argument,
  type RedisAdapter,
  RedisBloomFilter,
  RedisFilterError,
  RotatingRedisBloomFilter,
} from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { describeNew, describeRotating, finished } from '../../src/redis/parameters.ts';
import { integersIn } from '../../src/redis/replies.ts';
import { COUNT, EXPORT, FIELDS, HAS, LISTED, READ, ROTATING_HAS, type Script } from '../../src/redis/scripts.ts';
import { type Client, connect, type Library, libraries } from './clients.ts';
import { newName, server } from './one-server.ts';
import { Relay } from './relay.ts';
import { forTest } from './samples.ts';
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

it('a server that is gone has refused the connection, and is reached when it is back: with all clients', async () => {
  const gone = await forTest(Server.start());
  const clients = await Promise.all(libraries.map((library) => connectTo(library, [gone.port])));
  const options = { ...CAPACITY, timeout: 800 };
  const filters = await Promise.all(clients.map(({ client }) => RedisBloomFilter.open(client, 'x', options)));
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

it('a master of a cluster that is gone has refused the connection: with all clients', async () => {
  const cluster = await forTest(Cluster.start(3));
  const options = { capacity: 100_000, timeout: 1500 };
  const openBy = async (library: Library): Promise<RedisBloomFilter> =>
    RedisBloomFilter.open((await connectTo(library, cluster.ports, { cluster: true })).client, library, options);
  const filters = await Promise.all(libraries.map(openBy));
  cluster.masters[0]?.kill();
  const calls = filters.map((shared) => () => shared.hasMany(keys));
  await expectTimeouts(/^not done within 1500 ms: ./, calls);
}, 60_000);

it.each(libraries)('a server that is busy with a script is waited for: %s', async (library) => {
  const busy = await forTest(Server.start('--busy-reply-threshold', '10'));
  const { client } = await connectTo(library, [busy.port]);
  const [blocker, other] = [await connectTo('redis', [busy.port]), await connectTo('redis', [busy.port])];
  const reasons = new Set<string>();
  const onEvent = ({ reason = '' }): unknown => reasons.add(reason);
  const options = { ...CAPACITY, wait: { replicas: 1, ms: 1 }, onEvent };
  const shared = await RedisBloomFilter.open(client, 'x', options);
  const script = blocker.send('eval', 'while true do end', '0').catch(({ message }: Error) => message);
  const ping = (): Promise<unknown> => other.send('ping').catch(({ message }) => message);
  await until('it is busy', async () => String(await ping()).startsWith('BUSY '));
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

const PARAMETERS = { cellCount: 2560, hashes: 8, seed: 3, capacity: 200, errorRate: 0.01 };
const fixed = JSON.stringify(finished(describeNew(PARAMETERS, 1)));
const rotating = JSON.stringify(describeRotating(PARAMETERS, 1, 1000));

/** Whether a command runs a script, named by its hash or its text. */
function runs([, script]: readonly Argument[], { source }: Script): boolean {
  return script === source || script === createHash('sha1').update(source).digest('hex');
}

/** A client of a server that holds a filter, and gives these replies to scripts. */
function clientWith(text: string, replies: readonly (readonly [Script, unknown])[]): RedisAdapter {
  return {
    cluster: false,
    isClosed: () => false,
    master: () => 0,
    async send(key: string, command: readonly Argument[]) {
      for (const [script, reply] of replies) if (runs(command, script)) return reply;
      if (runs(command, FIELDS)) return [];
      return runs(command, READ) && !key.includes(':') ? text : '1';
    },
  };
}

const openOn = (...replies: (readonly [Script, unknown])[]): Promise<RedisBloomFilter> =>
  RedisBloomFilter.open(clientWith(fixed, replies), 'seen', { timeout: 500 });

const refused = (wanted: string, got: string): object => ({
  code: 'REDIS',
  message: `Redis was expected to reply with ${wanted}, but replied with ${got}`,
});

describe('a reply of a wrong type', () => {
  it.each([
    ['111', 'a flag for each of 1 keys', '"111"'],
    ['2', 'a flag for each of 1 keys', '"2"'],
    [1, 'a text', '1'],
    [['1'], 'a text', 'an object (Array)'],
  ])('is an error in place of flags: %j', async (reply, wanted, got) => {
    await expect((await openOn([HAS, reply])).has('a')).rejects.toMatchObject(refused(wanted, got));
    if (wanted === 'a text') await expect(openOn([READ, reply])).rejects.toMatchObject(refused(wanted, got));
  });

  it.each(['!', '!x', '!1.5'])('is an error in place of the number of a generation: %s', async (reply) => {
    const filter = await RotatingRedisBloomFilter.open(clientWith(rotating, [[ROTATING_HAS, reply]]), 'seen');
    await expect(filter.has('a')).rejects.toMatchObject(refused('an integer', JSON.stringify(reply.slice(1))));
  });

  it('is an error in place of a number of bits: more than there are', async () => {
    expect(await (await openOn([COUNT, 2560])).fillRatio()).toBe(1);
    const error = refused('an integer up to 2560', '2561');
    await expect((await openOn([COUNT, 2561])).fillRatio()).rejects.toMatchObject(error);
  });

  const others = { undefined, null: null, 'a list of null': [null], 'an object': {} };
  it.each(Object.entries(others))('is an error in place of a list: %s', async (_, reply) => {
    const got = typeof reply === 'object' && reply ? `an object (${reply.constructor.name})` : String(reply);
    await expect(openOn([READ, null], [FIELDS, reply])).rejects.toMatchObject(refused('a list of texts', got));
  });

  it.each([
    ['12', '"12"'],
    [[1], 'an object (Array)'],
    [[1, 2, 3], 'an object (Array)'],
  ])('is an error in place of two integers: %j', (reply, got) => {
    expect(() => integersIn(reply, 2)).toThrow(expect.objectContaining(refused('2 integers', got)));
    expect(integersIn([1, '2'], 2)).toEqual([1, 2]);
    expect(() => integersIn([1, 'x'], 2)).toThrow(expect.objectContaining(refused('an integer', '"x"')));
  });

  it('is an error in place of bits: a piece that is too short is lost, and the memory for the copy is freed', async () => {
    const dispose = vi.spyOn(BlockedBloomFilter.prototype, 'dispose');
    for (const reply of [new Uint8Array(319), 'text']) {
      await expect((await openOn([EXPORT, reply])).toLocal()).rejects.toMatchObject({ code: 'LOST' });
    }
    expect(dispose).toHaveBeenCalledTimes(2);
    for (const reply of [new Uint8Array(320), runInNewContext('new Uint8Array(320)')]) {
      expect((await (await openOn([EXPORT, reply])).toLocal()).fillRatio()).toBe(0);
    }
    // The pieces may be left of a filter that its list does not have.
    await expect((await openOn([EXPORT, new Uint8Array(320)], [LISTED, 0])).toLocal()).rejects.toThrow(/missing/);
  });
});

it.each<[string, Error, boolean, string]>([
  ['a client that is closed', new Error('closed'), true, 'closed'],
  // As GLIDE throws it.
  [
    'a client that is closed, without a message',
    Object.assign(new Error(''), { name: 'ClosingError' }),
    true,
    'ClosingError',
  ],
  ['a mistake', new TypeError('no'), false, 'no'],
])('is not asked again, whatever is asked: %s', async (_, error, isClosed, message) => {
  const send = vi.fn(async () => Promise.reject(error));
  const failing = { ...clientWith(fixed, []), isClosed: () => isClosed, send };
  await expect(RedisBloomFilter.check(failing, 'x', { timeout: 500 })).rejects.toMatchObject({
    code: 'CONNECTION',
    message,
  });
  expect(send).toHaveBeenCalledTimes(1);
});

it('the master of the parameters must not evict them either', async () => {
  const { send, ...rest } = clientWith(fixed, []);
  const evicting: RedisAdapter['send'] = async (key, command, options) =>
    key === 'seen' && !runs(command, READ) ? 'allkeys-lru' : send(key, command, options);
  const client = { ...rest, master: (key: string) => key, send: evicting };
  await expect(RedisBloomFilter.open(client, 'seen')).rejects.toMatchObject({ code: 'EVICTION' });
});

describe('an error that says to come back later', () => {
  const MOVED = 'MOVED 3999 127.0.0.1:6381';

  /** Calls `has` of a filter whose server gives an error some times first. Returns the answer, and how often it was asked. */
  async function ask(error: string, times: number, cluster: boolean, timeout = 500): Promise<[unknown, number]> {
    const { send, ...rest } = clientWith(fixed, [[HAS, '1']]);
    let sent = 0;
    const failing: RedisAdapter['send'] = async (key, command, options) => {
      if (runs(command, HAS) && ++sent <= times) throw new Error(error);
      return send(key, command, options);
    };
    const filter = await RedisBloomFilter.open({ ...rest, cluster, send: failing }, 'seen', { timeout });
    return [await filter.has('a').catch((reason: unknown) => reason), sent];
  }

  it.each([
    ['TRYAGAIN Multiple keys request during rehashing of slot', false],
    ['CLUSTERDOWN The cluster is down', false],
    ['LOADING Redis is loading the dataset in memory', false],
    ['MASTERDOWN Link with MASTER is down', false],
    ['BUSY Redis is busy running a script', false],
    [MOVED, true],
    ['ASK 3999 127.0.0.1:6381', true],
  ])('is followed by another attempt, until the time is up: %s', async (error, cluster) => {
    expect(await ask(error, 2, cluster)).toEqual([true, 3]);
    // They end at different times between two attempts.
    const timeouts = [500, 506, 512, 518];
    const failures = await Promise.all(timeouts.map((each) => ask(error, Number.POSITIVE_INFINITY, cluster, each)));
    for (const [i, [failure]] of failures.entries()) {
      const message = `not done within ${timeouts[i]} ms: ${error}`;
      expect(failure).toMatchObject({ code: 'TIMEOUT', message, cause: expect.any(Error) });
    }
  });

  it.each([MOVED, 'ERR unknown'])('is no other one: %s, from a single server', async (message) => {
    expect(await ask(message, 1, false)).toEqual([expect.objectContaining({ code: 'REDIS', message }), 1]);
  });
});
