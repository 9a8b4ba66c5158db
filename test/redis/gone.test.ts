// What each caller is told of a filter that has lost parts. That no key is absent without an error: law.test.ts.

import { describe, expect, it } from 'vitest';
import { BlockedBloomFilter } from '../../src/index.ts';
import { RedisBloomFilter, RotatingRedisBloomFilter } from '../../src/redis.ts';
import { client, keysOf, listsOf, newName, piecesOf, server } from './one-server.ts';

const HOUR = 3_600_000;
const SIZE = { capacity: 10_000 };
const ROTATING = { ...SIZE, window: HOUR };
const keys = Array.from({ length: 300 }, (_, i) => `key ${i}`);
const local = BlockedBloomFilter.from(keys, SIZE);

const failure = (code: string, message: RegExp): object => ({ code, message: expect.stringMatching(message) });
const LOST = failure('LOST', /^a part of "filter:.*" is missing/);
const ABSENT = failure('ABSENT', /^there is no filter/);
const GONE = failure('ABSENT', /^the filter "filter:.*" that was opened is gone: .* another one has been made/);

describe('without its parameters, a filter', () => {
  it.each([{}, SIZE])('that is whole is found again as it was: opened with %o', async (size) => {
    const name = newName();
    const old = await RedisBloomFilter.open(client, name, SIZE);
    // Its id is not that of the first filter of this name.
    await old.clear();
    await old.addMany(keys);
    const text = await server.send('get', name);
    await server.send('del', name);
    const found = await RedisBloomFilter.open(client, name, size);
    expect(await server.send('get', name)).toBe(text);
    expect(await found.omit(keys)).toEqual([]);
  });

  it('is not made again in another way, so that there are never two', async () => {
    const names = [newName(), newName()] as const;
    const old = await RedisBloomFilter.open(client, names[0], SIZE);
    await old.addMany(keys);
    await (await RotatingRedisBloomFilter.open(client, names[1], ROTATING)).add('a');
    for (const [code, name, open] of [
      ['MISMATCH', names[0], (name: string) => RedisBloomFilter.open(client, name, { capacity: 100 })],
      ['MISMATCH', names[0], (name: string) => RedisBloomFilter.open(client, name, { capacity: 1_000_000 })],
      ['MISMATCH', names[0], (name: string) => RotatingRedisBloomFilter.open(client, name, ROTATING)],
      ['EXISTS', names[0], (name: string) => RedisBloomFilter.fromLocal(client, name, local)],
      ['MISMATCH', names[1], (name: string) => RotatingRedisBloomFilter.open(client, name, { ...SIZE, window: 1 })],
    ] as const) {
      await server.send('del', name);
      await expect(open(name)).rejects.toMatchObject({ code });
    }
    expect(await old.omit(keys)).toEqual([]);
  });

  it.each([
    ['a piece', piecesOf],
    ['a list', listsOf],
  ])('and without %s is lost to all until it is deleted, which leaves nothing', async (_, partsOf) => {
    const name = newName();
    const old = await RedisBloomFilter.open(client, name, SIZE);
    await old.addMany(keys);
    await server.send('del', name, (await partsOf(name))[0] ?? '');
    for (const size of [SIZE, SIZE, { capacity: 1_000_000 }, { capacity: 100 }, {}]) {
      await expect(RedisBloomFilter.open(client, name, size)).rejects.toMatchObject(LOST);
    }
    await expect(RedisBloomFilter.fromLocal(client, name, local)).rejects.toMatchObject(LOST);
    await expect(RotatingRedisBloomFilter.open(client, name, ROTATING)).rejects.toMatchObject(LOST);
    await expect(old.hasMany(keys)).rejects.toMatchObject({ code: 'ABSENT' });
    expect(await RedisBloomFilter.delete(client, name)).toBe(true);
    expect(await keysOf(`${name}*`)).toEqual([]);
    expect(await RedisBloomFilter.delete(client, name)).toBe(false);
  });

  it('is neither deleted nor made again if the lists have one of a later version', async () => {
    const name = newName();
    const old = await RedisBloomFilter.open(client, name, SIZE);
    await old.addMany(keys);
    const later = String(await server.send('get', name)).replace('"bloomery":1', '"bloomery":9');
    const [list = ''] = await listsOf(name);
    await server.send('hset', list, '0'.repeat(16), later);
    await expect(RedisBloomFilter.delete(client, name)).rejects.toMatchObject({ code: 'VERSION' });
    expect(await old.omit(keys)).toEqual([]);
    await server.send('del', name);
    await expect(RedisBloomFilter.delete(client, name)).rejects.toMatchObject({ code: 'VERSION' });
    await expect(RedisBloomFilter.open(client, name, SIZE)).rejects.toMatchObject({ code: 'VERSION' });
    await server.send('hdel', list, '0'.repeat(16));
    expect(await (await RedisBloomFilter.open(client, name)).omit(keys)).toEqual([]);
  });
});

it.each([
  ['plain', (name: string) => RedisBloomFilter.open(client, name, SIZE)],
  ['that forgets', (name: string) => RotatingRedisBloomFilter.open(client, name, ROTATING)],
])('an object of a filter (%s) that is gone is told so, and never takes another for it', async (_, open) => {
  const name = newName();
  const old = await open(name);
  await old.addMany(keys);
  await server.send('flushall');
  const whole = old instanceof RedisBloomFilter ? old : undefined;
  const calls: (() => Promise<unknown>)[] = [() => old.hasMany(keys), () => old.add('key 1')];
  if (whole)
    calls.push(
      () => whole.toLocal(),
      () => whole.fillRatio(),
      () => whole.clear(),
      () => whole.merge(local),
    );
  for (const call of calls) await expect(call()).rejects.toMatchObject(ABSENT);
  await old.delete();
  const next = await open(name);
  await next.addMany(['theirs']);
  for (const call of [...calls, () => old.delete()]) await expect(call()).rejects.toMatchObject(GONE);
  expect(await next.has('theirs')).toBe(true);
  expect((await next.pick(keys)).length).toBeLessThan(keys.length / 2);
});

describe('a filter that forgets, with a window that has lost a part', () => {
  /** The lists, each with its field that says that the window is made. */
  const notesOf = async (name: string): Promise<[list: string, field: string, value: string][]> => {
    const field = `${JSON.parse(String(await server.send('get', name))).id}.window`;
    const noteOf = async (list: string): Promise<[string, string, string]> => [
      list,
      field,
      String(await server.send('hget', list, field)),
    ];
    return Promise.all((await listsOf(name)).map(noteOf));
  };

  it('is lost, however few of the lists know that it was made', async () => {
    const name = newName();
    const old = await RotatingRedisBloomFilter.open(client, name, ROTATING);
    await old.addMany(keys);
    const all = await notesOf(name);
    await server.send('del', (await piecesOf(name))[0] ?? '');
    // Only one list knows: a different one in each round.
    for (const left of all) {
      const gone = all.filter((each) => each !== left);
      for (const [list, field] of gone) await server.send('hdel', list, field);
      const next = await RotatingRedisBloomFilter.open(client, name);
      await expect(next.hasMany(keys)).rejects.toMatchObject(LOST);
      await expect(next.addMany(keys)).rejects.toMatchObject(LOST);
      await expect(old.hasMany(keys)).rejects.toMatchObject(LOST);
      for (const note of gone) await server.send('hset', ...note);
    }
    expect(all.length).toBeGreaterThan(2);
  });

  it('is finished if no list knows of it, for then nobody has added to it', async () => {
    const name = newName();
    const old = await RotatingRedisBloomFilter.open(client, name, ROTATING);
    await old.has('a');
    const pieces = await piecesOf(name);
    for (const [list, field] of await notesOf(name)) await server.send('hdel', list, field);
    await server.send('del', ...pieces.slice(1));
    const next = await RotatingRedisBloomFilter.open(client, name);
    expect(await next.dedupe(keys)).toEqual(keys);
    expect(await piecesOf(name)).toEqual(pieces);
  });

  it('is lost if the lists are gone, for then nobody knows', async () => {
    const name = newName();
    const old = await RotatingRedisBloomFilter.open(client, name, ROTATING);
    await old.addMany(keys);
    await server.send('del', ...(await listsOf(name)), ...(await piecesOf(name)).slice(1));
    const next = await RotatingRedisBloomFilter.open(client, name);
    await expect(next.hasMany(keys)).rejects.toMatchObject(LOST);
    await expect(old.hasMany(keys)).rejects.toMatchObject(LOST);
  });
});
