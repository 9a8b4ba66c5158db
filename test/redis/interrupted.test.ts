// Calls that fail after a part of their keys was answered.

import { afterEach, describe, expect, it } from 'vitest';
import { RedisBloomFilter, RedisFilterError } from '../../src/redis.ts';
import { type Client, connect, libraries } from './clients.ts';
import { intercepted } from './intercept.ts';
import { newName, server } from './one-server.ts';
import { Relay } from './relay.ts';
import { until } from './servers.ts';

const COUNT = 600;
/** The keys of each script call. */
const PART = 128;
/** One call at a time. */
const OPTIONS = { capacity: 10_000, inFlight: PART };
const keys = Array.from({ length: COUNT }, (_, i) => `key ${i}`);

let relay: Relay;
let client: Client;

afterEach(() => {
  client?.close();
  relay?.close();
});

async function failureOf(call: Promise<unknown>): Promise<RedisFilterError> {
  const error: unknown = await call.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(RedisFilterError);
  return error as RedisFilterError;
}

describe.each(libraries)('with %s, a batch', (library) => {
  const open = async (settings: object): Promise<RedisBloomFilter> => {
    relay = await Relay.start(server.port);
    client = await connect(library, [relay.port]);
    return RedisBloomFilter.open(client.client, newName(), { ...OPTIONS, ...settings });
  };

  /** Expects that one part of the keys is known to be done, and that no other key is. */
  function expectOnePart({ answers, message }: RedisFilterError): void {
    expect(message).toMatch(/\(128 of the first 600 keys are done\)$/);
    expect(answers?.done).toEqual(Uint8Array.from(keys, (_, i) => Number(i < PART)));
    expect(answers?.flags).toEqual(answers?.done);
  }

  it('whose second reply comes too late says which keys are done, and no key is new twice', async () => {
    const shared = await open({ timeout: 500 });
    await shared.add('warm');
    relay.delayReplies(1200, { spared: 1 });
    const error = await failureOf(shared.dedupe(keys));
    expect(error.code).toBe('TIMEOUT');
    expectOnePart(error);
    relay.delayReplies(0);
    await until('replies come', async () => !(await shared.has('unknown')));
    // The second part was added, but its answer is lost.
    expect(await shared.dedupe(keys)).toEqual(keys.slice(2 * PART));
  });

  it('whose connection is cut at the second reply is sent again, if the answers are remembered', async () => {
    const shared = await open({});
    await shared.add('warm');
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
  relay = await Relay.start(server.port);
  client = await connect('redis', [relay.port]);
  const shared = await RedisBloomFilter.open(client.client, newName(), { ...OPTIONS, once: false });
  await shared.add('warm');
  relay.cutNextReply({ spared: 1 });
  const { code, answers } = await failureOf(shared.dedupe(keys));
  expect(code).toBe('CONNECTION');
  expect(answers?.done).toEqual(Uint8Array.from(keys, (_, i) => Number(i < PART)));
  expect(answers?.flags).toEqual(answers?.done);
  expect(await shared.dedupe(keys)).toEqual(keys.slice(2 * PART));
  // Without flags, to send it again is harmless.
  relay.cutNextReply();
  await shared.addMany(['v', 'w']);
  expect(await shared.omit(['v', 'w'])).toEqual([]);
});

it('a command that ioredis sends again by itself lies if Redis does not remember its answers', async () => {
  relay = await Relay.start(server.port);
  client = await connect('ioredis', [relay.port]);
  const shared = await RedisBloomFilter.open(client.client, newName(), { ...OPTIONS, once: false });
  await shared.add('warm');
  relay.cutNextReply();
  expect(await shared.dedupe(['x', 'y'])).toEqual([]);
});

it('a server that hangs makes all waiting calls fail within the time limit, however many keys they have', async () => {
  client = await connect('redis', [server.port]);
  let isHanging = false;
  const adapter = intercepted(client.client, (send) => (isHanging ? new Promise(() => {}) : send()));
  const timeout = 500;
  const shared = await RedisBloomFilter.open(adapter, newName(), { capacity: 1000, timeout });
  isHanging = true;
  const start = performance.now();
  const numbers = Uint32Array.from({ length: 40_000 }, (_, i) => i);
  const calls = [shared.hasMany(numbers), shared.addMany(numbers), shared.hasMany(keys), shared.has('a')];
  for (const error of await Promise.all(calls.map(failureOf))) expect(error.code).toBe('TIMEOUT');
  expect(performance.now() - start).toBeLessThan(5 * timeout);
  isHanging = false;
  await shared.addMany(keys);
  expect(await shared.pick(keys)).toEqual(keys);
});
