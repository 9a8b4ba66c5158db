// Calls that fail after a part of their keys was answered.

import { describe, expect, it, onTestFinished } from 'vitest';
import { RedisBloomFilter, RedisFilterError } from '../../src/entries/redis.ts';
import { connect, type Library, libraries } from './clients.ts';
import { newName, server } from './one-server.ts';
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
