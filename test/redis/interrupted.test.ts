// Calls that fail after a part of their keys was answered.

import { describe, expect, it, onTestFinished } from 'vitest';
import { RedisBloomFilter, RedisFilterError } from '../../src/entries/redis.ts';
import { connect, type Library, libraries } from './clients.ts';
import { intercepted } from './intercept.ts';
import { newName, server, client as unbroken } from './one-server.ts';
import { Relay } from './relay.ts';
import { until } from './servers.ts';

/** The keys of each script call. */
const PART = 128;
const keys = Array.from({ length: 600 }, (_, i) => `key ${i}`);

/** Opens a filter through a relay, which sends one call at a time. */
async function open(library: Library, settings: object): Promise<{ shared: RedisBloomFilter; relay: Relay }> {
  const relay = await Relay.start(server.port);
  const { client, close } = await connect(library, [relay.port]);
  onTestFinished(() => {
    close();
    relay.close();
  });
  const options = { capacity: 10_000, inFlight: PART, ...settings };
  const shared = await RedisBloomFilter.open(client, newName(), options);
  await shared.add('warm');
  return { shared, relay };
}

async function failureOf(call: Promise<unknown>): Promise<RedisFilterError> {
  const error: unknown = await call.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(RedisFilterError);
  return error as RedisFilterError;
}

/** Expects an error that says of one part of the keys that it is done, and of no other. */
async function expectOnePart(call: Promise<unknown>, code: string): Promise<void> {
  const error = await failureOf(call);
  const done = Uint8Array.from(keys, (_, i) => Number(i < PART));
  expect(error).toMatchObject({ code, answers: { done, flags: done } });
  expect(error.message).toMatch(/\(128 of the first 600 keys are done\)$/);
}

describe.each(libraries)('with %s, a batch', (library) => {
  it('whose second reply comes too late says which keys are done, and no key is new twice', async () => {
    const { shared, relay } = await open(library, { timeout: 300 });
    relay.delayReplies(800, { spared: 1 });
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

it('a server that hangs makes all waiting calls fail within the time limit, however many keys they have', async () => {
  let isHanging = false;
  const adapter = intercepted(unbroken, (send) => (isHanging ? new Promise(() => {}) : send()));
  const timeout = 300;
  const shared = await RedisBloomFilter.open(adapter, newName(), { capacity: 1000, timeout });
  isHanging = true;
  const start = performance.now();
  const numbers = Uint32Array.from({ length: 40_000 }, (_, i) => i);
  const calls = [shared.hasMany(numbers), shared.addMany(numbers), shared.hasMany(keys), shared.has('a')];
  for (const error of await Promise.all(calls.map(failureOf))) expect(error.code).toBe('TIMEOUT');
  // One limit after another would be a hundred.
  expect(performance.now() - start).toBeLessThan(20 * timeout);
  isHanging = false;
  await shared.addMany(keys);
  expect(await shared.pick(keys)).toEqual(keys);
});
