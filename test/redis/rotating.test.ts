import { describe, expect, it } from 'vitest';
import { RedisBloomFilter, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { client, newName, piecesOf, server } from './one-server.ts';
import { keys } from './samples.ts';
import { shiftWindows, until } from './servers.ts';

const HOUR = 3_600_000;
const generationOf = (piece: string): number => Number(piece.split(':').at(-2));

const open = (name: string, window = HOUR): Promise<RotatingRedisBloomFilter> =>
  RotatingRedisBloomFilter.open(client, name, { capacity: 5000, window });

describe('a filter that forgets', () => {
  it('answers within a window as one in memory does, at half the error rate', async () => {
    const shared = await open(newName(), 24 * HOUR);
    const local = new BlockedBloomFilter({ capacity: 5000, errorRate: 0.005 });
    const keys = Array.from({ length: 4000 }, (_, i) => `key ${i % 3000}`);
    expect(await shared.dedupe(keys)).toEqual(local.dedupe(keys));
    expect(await shared.hasMany(Uint32Array.of(1, 2, 3))).toEqual(local.hasMany(Uint32Array.of(1, 2, 3)));
    expect(await Promise.all(['key 1', 'other'].map((key) => shared.add(key)))).toEqual([false, true]);
    const { bits } = local;
    expect(shared).toMatchObject({ capacity: 5000, errorRate: 0.01, window: 24 * HOUR, bits, byteLength: bits / 4 });
  });

  it('leaves only its parameters when all that it knew is forgotten', async () => {
    const name = newName();
    const shared = await open(name, 150);
    const start = Date.now();
    await shared.add('a');
    await until('all generations have expired', async () => (await piecesOf(name)).length === 0);
    // At least the window after its own, and a second.
    expect(Date.now() - start).toBeGreaterThanOrEqual(149 + 1000);
    expect(await server.send('exists', name)).toBe(1);
    expect([await shared.has('a'), await shared.add('a')]).toEqual([false, true]);
  });

  it('knows a key in the window after its own, and not in the one after that', async () => {
    const name = newName();
    await (await open(name)).addMany(keys);
    for (const known of [keys, []]) {
      await shiftWindows(server, name, -1);
      expect(await (await open(name)).pick(keys)).toEqual(known);
    }
  });

  it('turns to the next window as soon as the server does', async () => {
    const [name, window] = [newName(), 500];
    const shared = await open(name, window);
    await shared.add('a');
    const [first = 0] = (await piecesOf(name)).map(generationOf);
    await until('it is the next window', async () => Date.now() >= (first + 1) * window);
    await shared.add('b');
    expect(Math.max(...(await piecesOf(name)).map(generationOf))).toBeGreaterThan(first);
  });

  it('tells a lost piece of the generation before from one that was never made', async () => {
    const name = newName();
    await (await open(name)).add('a');
    await shiftWindows(server, name, -1);
    const shared = await open(name);
    expect([await shared.add('a'), await shared.add('b'), await shared.add('b')]).toEqual([false, true, false]);
    const pieces = (await piecesOf(name)).toSorted((one, other) => generationOf(one) - generationOf(other));
    expect(pieces).toHaveLength(2 * shared.pieces);
    await server.send('del', pieces[0] ?? '');
    for (const each of [shared, await open(name)]) {
      await expect(each.hasMany(keys)).rejects.toMatchObject({ code: 'LOST' });
      await expect(each.addMany(keys)).rejects.toMatchObject({ code: 'LOST' });
    }
  });

  it('does not go back when the clock does, as after a failover to a server whose clock is behind', async () => {
    const name = newName();
    const shared = await open(name);
    await shared.addMany(keys);
    // The generation becomes one that this server has yet to reach.
    await shiftWindows(server, name, 3);
    const other = await open(name);
    for (const each of [shared, other]) {
      expect(await each.omit(keys)).toEqual([]);
      expect(await each.dedupe(['key 1', `key of ${each === other}`])).toEqual([`key of ${each === other}`]);
    }
    await shared.delete();
    expect(await piecesOf(name)).toEqual([]);
  });

  it('is not opened as one that does not, nor with other parameters', async () => {
    const name = newName();
    await open(name);
    const message = /^window of .* must be 3600000, as the filter was made, got 720/;
    await expect(open(name, 2 * HOUR)).rejects.toThrow(message);
    for (const options of [{}, { capacity: 5000 }]) {
      await expect(RedisBloomFilter.open(client, name, options)).rejects.toThrow(/as the RotatingRedisBloomFilter/);
    }
    const plain = newName();
    await RedisBloomFilter.open(client, plain, { capacity: 5000 });
    await expect(RotatingRedisBloomFilter.open(client, plain)).rejects.toThrow(/as the RedisBloomFilter that it is$/);
  });

  it('leaves nothing behind when it is deleted, and is not made again by an object of it', async () => {
    const name = newName();
    const window = 500;
    const [shared, other] = [await open(name, window), await open(name, window)];
    await shared.hasMany(['a']);
    const [first = 0] = (await piecesOf(name)).map(generationOf);
    await shared.delete();
    expect(await server.send('keys', `${name}*`)).toEqual([]);
    // The next generation is made by whoever reaches it.
    await until('it is another window', async () => Date.now() / window > first + 2);
    await expect(other.add('a')).rejects.toMatchObject({ code: 'ABSENT' });
    expect(await server.send('exists', name)).toBe(0);
  });
});
