// A filter that is moved to another server and back, as examples/redis-move does. That example's own program kills it.

import { expect, it } from 'vitest';
import { MovingFilter, move } from '../../examples/redis-move/redis-move.ts';
import { RedisBloomFilter } from '../../src/entries/redis.ts';
import { connect } from './clients.ts';
import { forTest } from './for-test.ts';
import { client, server as here } from './one-server.ts';
import { keys, SIZE } from './samples.ts';
import { Server } from './servers.ts';

const PERIOD = { period: 5 };

it('a filter is moved there and back and there again, and no key is lost by what an earlier move has left', async () => {
  const there = await forTest(Server.start());
  const { client: next } = await forTest(connect('redis', [there.port]));
  await (await RedisBloomFilter.open(client, 'seen', SIZE)).addMany(keys);
  const added = [...keys];
  for (const [from, to] of [
    [client, next],
    [next, client],
    [client, next],
  ] as const) {
    await move(from, to, 'seen', PERIOD);
    const moved = await RedisBloomFilter.open(to, 'seen');
    expect(await moved.omit(added)).toEqual([]);
    expect(await RedisBloomFilter.delete(from, 'seen')).toBe(false);
    await moved.add(`key ${added.push(`key ${added.length}`) - 1}`);
    // Whoever asks is told of the last move.
    expect(await new MovingFilter(from, to, 'seen').has('key 300')).toBe(true);
  }
  // A filter that is made since where one was moved from, while the other server has a filter of the name.
  await (await RedisBloomFilter.open(client, 'seen', SIZE)).add('later');
  await move(client, next, 'seen', PERIOD);
  expect(await (await RedisBloomFilter.open(next, 'seen')).omit([...added, 'later'])).toEqual([]);
  // And while it has none.
  await (await RedisBloomFilter.open(client, 'seen', SIZE)).add('last');
  await RedisBloomFilter.delete(next, 'seen');
  await expect(move(client, next, 'seen', PERIOD)).rejects.toMatchObject({ code: 'ABSENT' });
  expect(await (await RedisBloomFilter.open(client, 'seen')).has('last')).toBe(true);
  expect(await here.send('exists', 'moving:seen')).toBe(0);
});
