// Replies that no server gives, or only by chance, without a server.

import { describe, expect, it } from 'vitest';
import { describeNew, describeRotating, finished } from '../../src/redis/parameters.ts';
import { COUNT, FIELDS, HAS, READ, ROTATING_HAS, type Script } from '../../src/redis/scripts.ts';
import { type Argument, type RedisAdapter, RedisBloomFilter, RotatingRedisBloomFilter } from '../../src/redis.ts';

const PARAMETERS = { cellCount: 2560, hashes: 8, seed: 3, capacity: 200, errorRate: 0.01 };
const fixed = JSON.stringify(finished(describeNew(PARAMETERS, 1)));
const rotating = JSON.stringify(describeRotating(PARAMETERS, 1, 1000));

/** A client of a server that holds a filter, and gives these replies to scripts. */
function clientWith(text: string, replies: readonly (readonly [Script, unknown])[]): RedisAdapter {
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

describe('MOVED, which is the reply while a slot goes from one master to another', () => {
  /** A client whose script has moved for so many times before it runs, and the number of times that it was sent. */
  function moving(times: number, cluster: boolean): { client: RedisAdapter; sent: () => number } {
    const { send, ...rest } = clientWith(fixed, [[HAS, '1']]);
    let sent = 0;
    return {
      sent: () => sent,
      client: {
        ...rest,
        cluster,
        async send(key, command, options) {
          if ((await HAS.sha) === command[1] && ++sent <= times) throw new Error('MOVED 3999 127.0.0.1:6381');
          return send(key, command, options);
        },
      },
    };
  }

  it('is asked again in a cluster, until the time is up', async () => {
    const { client, sent } = moving(2, true);
    expect(await (await RedisBloomFilter.open(client, 'seen')).has('a')).toBe(true);
    expect(sent()).toBe(3);
    const endless = await RedisBloomFilter.open(moving(Number.POSITIVE_INFINITY, true).client, 'seen', {
      timeout: 100,
    });
    const message = 'not done within 100 ms: MOVED 3999 127.0.0.1:6381';
    await expect(endless.has('a')).rejects.toMatchObject({ code: 'TIMEOUT', message });
  });

  it('is an error to a client of a single server, which does not follow it', async () => {
    const { client, sent } = moving(2, false);
    const message = 'MOVED 3999 127.0.0.1:6381';
    const filter = await RedisBloomFilter.open(client, 'seen');
    await expect(filter.has('a')).rejects.toMatchObject({ code: 'REDIS', message });
    expect(sent()).toBe(1);
  });
});
