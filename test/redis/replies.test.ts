// Replies that no server gives, or only by chance, without a server.

import { createHash } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import {
  type Argument,
  type RedisAdapter,
  RedisBloomFilter,
  RotatingRedisBloomFilter,
} from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { describeNew, describeRotating, finished } from '../../src/redis/parameters.ts';
import { integersIn } from '../../src/redis/replies.ts';
import { COUNT, EXPORT, FIELDS, HAS, LISTED, READ, ROTATING_HAS, type Script } from '../../src/redis/scripts.ts';

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

const open = (...replies: (readonly [Script, unknown])[]): Promise<RedisBloomFilter> =>
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
    await expect((await open([HAS, reply])).has('a')).rejects.toMatchObject(refused(wanted, got));
    if (wanted === 'a text') await expect(open([READ, reply])).rejects.toMatchObject(refused(wanted, got));
  });

  it.each(['!', '!x', '!1.5'])('is an error in place of the number of a generation: %s', async (reply) => {
    const filter = await RotatingRedisBloomFilter.open(clientWith(rotating, [[ROTATING_HAS, reply]]), 'seen');
    await expect(filter.has('a')).rejects.toMatchObject(refused('an integer', JSON.stringify(reply.slice(1))));
  });

  it('is an error in place of a number of bits: more than there are', async () => {
    expect(await (await open([COUNT, 2560])).fillRatio()).toBe(1);
    const error = refused('an integer up to 2560', '2561');
    await expect((await open([COUNT, 2561])).fillRatio()).rejects.toMatchObject(error);
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a list of null', [null]],
    ['an object', {}],
  ])('is an error in place of a list: %s', async (_, reply) => {
    const got = typeof reply === 'object' && reply ? `an object (${reply.constructor.name})` : String(reply);
    await expect(open([READ, null], [FIELDS, reply])).rejects.toMatchObject(refused('a list of texts', got));
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
      await expect((await open([EXPORT, reply])).toLocal()).rejects.toMatchObject({ code: 'LOST' });
    }
    expect(dispose).toHaveBeenCalledTimes(2);
    dispose.mockRestore();
    expect((await (await open([EXPORT, new Uint8Array(320)])).toLocal()).fillRatio()).toBe(0);
    // The pieces may be left of a filter that its list does not have.
    await expect((await open([EXPORT, new Uint8Array(320)], [LISTED, 0])).toLocal()).rejects.toThrow(/missing/);
  });
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
