// Replies of a type that no server should give, without a server.

import { describe, expect, it } from 'vitest';
import { describeNew, describeRotating, finished } from '../../src/redis/parameters.ts';
import { COUNT, FIELDS, HAS, READ, ROTATING_HAS, type Script } from '../../src/redis/scripts.ts';
import { type Argument, RedisBloomFilter, type RedisClient, RotatingRedisBloomFilter } from '../../src/redis.ts';

const PARAMETERS = { cellCount: 2560, hashes: 8, seed: 3, capacity: 200, errorRate: 0.01 };
const fixed = JSON.stringify(finished(describeNew(PARAMETERS, 1)));
const rotating = JSON.stringify(describeRotating(PARAMETERS, 1, 1000));

/** A client of a server that holds a filter, and gives these replies to scripts. */
function clientWith(text: string, replies: readonly (readonly [Script, unknown])[]): RedisClient {
  return {
    cluster: false,
    isClosed: () => false,
    master: () => 0,
    async send(key: string, [, sha]: readonly Argument[]) {
      for (const [script, reply] of replies) if ((await script.sha) === sha) return reply;
      if ((await FIELDS.sha) === sha) return [];
      return (await READ.sha) === sha && !key.includes(':') ? text : '1';
    },
  };
}

const refused = (wanted: string, got: string): object => ({
  code: 'REDIS',
  message: `Redis was expected to reply with ${wanted}, but replied with ${got}`,
});

describe('a reply of a wrong type', () => {
  it.each([
    ['111', '"111"'],
    ['2', '"2"'],
  ])('is an error in place of flags: %j', async (reply, got) => {
    const filter = await RedisBloomFilter.open(clientWith(fixed, [[HAS, reply]]), 'seen');
    await expect(filter.has('a')).rejects.toMatchObject(refused('a flag for each of 1 keys', got));
  });

  it.each([
    [1, '1'],
    [['1'], 'an object (Array)'],
  ])('is an error in place of a text: %j', async (reply, got) => {
    const filter = await RedisBloomFilter.open(clientWith(fixed, [[HAS, reply]]), 'seen');
    await expect(filter.has('a')).rejects.toMatchObject(refused('a text', got));
    await expect(RedisBloomFilter.open(clientWith(fixed, [[READ, reply]]), 'seen')).rejects.toMatchObject(
      refused('a text', got),
    );
  });

  it.each(['!', '!x', '!1.5'])('is an error in place of the number of a window: %s', async (reply) => {
    const client = clientWith(rotating, [[ROTATING_HAS, reply]]);
    const filter = await RotatingRedisBloomFilter.open(client, 'seen');
    await expect(filter.has('a')).rejects.toMatchObject(refused('an integer', JSON.stringify(reply.slice(1))));
  });

  it('is an error in place of a number of bits: more than there are', async () => {
    const filter = await RedisBloomFilter.open(clientWith(fixed, [[COUNT, 2560]]), 'seen');
    expect(await filter.fillRatio()).toBe(1);
    const wrong = await RedisBloomFilter.open(clientWith(fixed, [[COUNT, 2561]]), 'seen');
    await expect(wrong.fillRatio()).rejects.toMatchObject(refused('an integer up to 2560', '2561'));
  });

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [[null], 'an object (Array)'],
    [{}, 'an object (Object)'],
  ])('is an error in place of a list: %j', async (reply, got) => {
    const client = clientWith(fixed, [
      [READ, null],
      [FIELDS, reply],
    ]);
    await expect(RedisBloomFilter.open(client, 'seen')).rejects.toMatchObject(refused('a list of texts', got));
  });
});
