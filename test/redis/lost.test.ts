// What each caller is told of a filter that has lost parts. That no key is absent without an error: law.test.ts. And a server
// that has lost its latest writes, and with them which of two filters has the name: none of them is deleted, and what
// clients have certainly left is.

import { describe, expect, it } from 'vitest';
import { RedisBloomFilter, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { intercepted } from './intercept.ts';
import { client, keysOf, listsOf, newName, piecesOf, server, stored, textOf } from './one-server.ts';
import { keys, ROTATING, SIZE } from './samples.ts';
import { shiftWindows } from './servers.ts';

const local = BlockedBloomFilter.from(keys, SIZE);

const open = (name: string, options: object = SIZE) => RedisBloomFilter.open(client, name, options);
const openRotating = (name: string, options: object = ROTATING) => RotatingRedisBloomFilter.open(client, name, options);
const bring = (name: string) => RedisBloomFilter.fromLocal(client, name, local);
const remove = (name: string) => RedisBloomFilter.delete(client, name);

const failure = (code: string, message: RegExp): object => ({ code, message: expect.stringMatching(message) });
const LOST = failure('LOST', /^a part of "filter:.*" is missing/);
const ABSENT = failure('ABSENT', /^there is no filter/);
const GONE = failure('ABSENT', /^the filter "filter:.*" that was opened is gone: .* another one has been made/);

async function expectFailures(error: object, ...calls: (() => Promise<unknown>)[]): Promise<void> {
  for (const call of calls) await expect(call()).rejects.toMatchObject(error);
}

async function filled(make: typeof open | typeof openRotating = open): Promise<RedisBloomFilter> {
  const filter = await make(newName());
  await filter.addMany(keys);
  return filter as RedisBloomFilter;
}

describe('without its parameters, a filter', () => {
  it('that is whole is found again as it was, and not made again in another way', async () => {
    const old = await filled();
    const { name } = old;
    // Its id is not that of the first filter of this name.
    await old.clear();
    await old.addMany(keys);
    const text = await server.send('get', name);
    for (const [code, call] of [
      [undefined, () => open(name, {})],
      [undefined, () => open(name)],
      ['MISMATCH', () => open(name, { capacity: 100 })],
      ['MISMATCH', () => open(name, { capacity: 1_000_000 })],
      ['MISMATCH', () => openRotating(name)],
      ['EXISTS', () => bring(name)],
    ] as const) {
      await server.send('del', name);
      expect(await call().catch((error: unknown) => error)).toMatchObject(code ? { code } : { name });
      expect(await server.send('get', name)).toBe(text);
    }
    expect(await old.omit(keys)).toEqual([]);
    const rotating = await filled(openRotating);
    await server.send('del', rotating.name);
    await expectFailures({ code: 'MISMATCH' }, () => openRotating(rotating.name, { ...SIZE, window: 1 }));
    // Also if a list does not say which windows were made.
    const pieces = await piecesOf(rotating.name);
    const [list = ''] = await listsOf(rotating.name);
    expect(await server.send('hdel', list, `${(await stored(rotating.name)).id}.window`)).toBe(1);
    await server.send('del', rotating.name);
    await openRotating(rotating.name);
    expect(await piecesOf(rotating.name)).toEqual(pieces);
  });

  it.each(['a piece', 'the list beside it'])('and without %s is lost to all', async (part) => {
    const { name } = await filled();
    const [piece = ''] = await piecesOf(name);
    await server.send('del', name, part === 'a piece' ? piece : piece.replace(/:\w+:\d+$/, ':filters'));
    const sizes = [SIZE, { capacity: 1_000_000 }, {}];
    await expectFailures(LOST, ...sizes.map((size) => () => open(name, size)), () => bring(name));
  });

  it('that was never whole, if only one list says so, holds nothing, and is made again', async () => {
    const { name } = await open(newName());
    for (const list of await listsOf(name)) {
      await server.send('hdel', list, `${(await stored(name)).id}.whole`);
      await server.send('del', name);
      await expectFailures(ABSENT, () => open(name, {}));
      await open(name);
    }
  });

  it('is neither deleted nor made again if the lists have one of a later version', async () => {
    const { name } = await filled();
    const later = (await textOf(name)).replace('"bloomery":1', '"bloomery":9');
    const [list = ''] = await listsOf(name);
    await server.send('hset', list, '0'.repeat(16), later);
    await expectFailures({ code: 'VERSION' }, () => remove(name));
    await server.send('del', name);
    for (const call of [remove, open]) await expectFailures({ code: 'VERSION' }, () => call(name));
    await server.send('hdel', list, '0'.repeat(16));
    expect(await (await open(name, {})).omit(keys)).toEqual([]);
  });
});

it.each([
  ['plain', open],
  ['that forgets', openRotating],
] as const)('an object of a filter (%s) that is gone is told so, and never takes another for it', async (_, make) => {
  const old = await filled(make);
  await server.send('flushall');
  const calls: (() => Promise<unknown>)[] = [() => old.hasMany(keys), () => old.add('key 1')];
  const wholeCalls = [() => old.toLocal(), () => old.fillRatio(), () => old.clear(), () => old.merge(local)];
  if (old instanceof RedisBloomFilter) calls.push(...wholeCalls);
  await expectFailures(ABSENT, ...calls);
  await old.delete();
  const next = await make(old.name);
  await next.addMany(['theirs']);
  await expectFailures(GONE, ...calls, () => old.delete());
  expect(await next.has('theirs')).toBe(true);
  expect((await next.pick(keys)).length).toBeLessThan(keys.length / 2);
  await server.send('del', next.name);
  await expectFailures(GONE, () => old.delete());
  expect(await (await make(next.name)).has('theirs')).toBe(true);
});

describe('a filter that forgets, with a generation that has lost a piece', () => {
  /** The lists, each with its field that says that the generation is made. */
  const notesOf = async (name: string): Promise<[list: string, field: string, value: string][]> => {
    const field = `${(await stored(name)).id}.window`;
    const lists = await listsOf(name);
    return Promise.all(lists.map(async (list) => [list, field, String(await server.send('hget', list, field))]));
  };

  it('is lost, however few of the lists know that it was made, and if the lists are gone', async () => {
    const old = await filled(openRotating);
    const expectLost = async (): Promise<void> => {
      const next = await openRotating(old.name, {});
      const reader = await openRotating(old.name, { readFrom: 'replica' });
      const calls = [() => next.hasMany(keys), () => next.addMany(keys), () => old.hasMany(keys)];
      await expectFailures(LOST, () => reader.hasMany(keys));
      await expectFailures(LOST, ...calls);
    };
    const all = await notesOf(old.name);
    expect(all.length).toBeGreaterThan(2);
    await server.send('del', (await piecesOf(old.name))[0] ?? '');
    // Only one list knows: a different one in each round.
    for (const left of all) {
      const gone = all.filter((each) => each !== left);
      for (const [list, field] of gone) await server.send('hdel', list, field);
      await expectLost();
      for (const note of gone) await server.send('hset', ...note);
    }
    await server.send('del', ...all.map(([list]) => list));
    await expectLost();
  });

  it('is finished if no list knows of it, for then nobody has added to it', async () => {
    const name = newName();
    await (await openRotating(name)).has('a');
    const pieces = await piecesOf(name);
    for (const [list, field] of await notesOf(name)) await server.send('hdel', list, field);
    await server.send('del', ...pieces.slice(1));
    expect(await (await openRotating(name, {})).dedupe(keys)).toEqual(keys);
    expect(await piecesOf(name)).toEqual(pieces);
  });
});

const makingOf = (name: string): string => `${name}:{${name}}:making`;

/** Replaces a filter, and takes back what the server of the name has done in the end. Returns the new filter. */
async function loseReplacement(name: string): Promise<RedisBloomFilter> {
  const old = await server.send('get', name);
  const filter = await RedisBloomFilter.fromLocal(client, name, local, { replace: true });
  const text = await textOf(name);
  if (old === null) await server.send('del', name);
  else await server.send('set', name, String(old));
  await server.send('hset', makingOf(name), JSON.parse(text).id, text);
  return filter;
}

const befores = ['another filter had the name', 'there was none before'];
it.each(befores)('a filter in use that has lost the name is left alone, and gets it back, if %s', async (before) => {
  const name = newName();
  if (before === befores[0]) await open(name);
  const filter = await loseReplacement(name);
  const { problems } = await RedisBloomFilter.check(client, name);
  const [told] = problems.filter(({ code }) => code === 'MISMATCH');
  expect(told).toMatchObject({ level: 'critical', message: expect.stringMatching(/ which is in use if a server /) });
  expect(await RedisBloomFilter.repair(client, name)).toEqual([]);
  // Nor is it swept by those who open the filter as it is.
  await RedisBloomFilter.open(client, name).catch(() => {});
  expect(await filter.omit(keys)).toEqual([]);
  const [, field = '', notes = ''] = /the value of the field (\S+) of (\S+); /.exec(told?.remedy ?? '') ?? [];
  await server.send('set', name, String(await server.send('hget', notes, field)));
  expect(await (await open(name)).omit(keys)).toEqual([]);
  expect(await server.send('exists', makingOf(name))).toBe(0);
  expect(await RedisBloomFilter.check(client, name)).toMatchObject({ status: 'ok' });
});

it('a filter with some of its marks is left alone beside one that is not whole', async () => {
  const name = newName();
  await open(name);
  await loseReplacement(name);
  const [id = ''] = (await server.send('hkeys', makingOf(name))) as string[];
  await server.send('del', makingOf(name));
  const [list = ''] = await listsOf(name);
  await server.send('hdel', list, `${id}.whole`);
  const count = (await piecesOf(name)).length;
  expect(await RedisBloomFilter.repair(client, name)).toEqual([]);
  expect((await piecesOf(name)).length).toBe(count);
  const { problems } = await RedisBloomFilter.check(client, name);
  const remedy = expect.stringMatching(/^leave it/);
  expect(problems).toContainEqual(expect.objectContaining({ code: 'MISMATCH', remedy }));
  // A new filter is whole, and then all else is garbage.
  await (await RedisBloomFilter.open(client, name)).clear();
  expect(await RedisBloomFilter.check(client, name)).toMatchObject({ status: 'ok' });
});

/** A filter that forgets, whose second window some client has begun to note in the lists when it died. */
async function beginWindow(name: string): Promise<RotatingRedisBloomFilter> {
  const filter = await openRotating(name);
  await filter.addMany(keys);
  await shiftWindows(server, name, -1);
  let marks = 0;
  const dying = intercepted(client, async (send, { command }) => {
    // The script that notes a generation, and the one before.
    const isMark = command[2] === '2' && command[9] === String(Number(command[7]) - 1);
    if (isMark && marks++ > 1) throw new TypeError('it died');
    return send();
  });
  const late = await RotatingRedisBloomFilter.open(dying, name, ROTATING);
  await expect(late.add('late')).rejects.toThrow('it died');
  return openRotating(name);
}

it('a window that a client has begun to note is no loss: the next call goes on', async () => {
  const name = newName();
  const filter = await beginWindow(name);
  const report = await RedisBloomFilter.check(client, name);
  expect(report).toMatchObject({
    status: 'warning',
    problems: [{ code: 'UNFINISHED', remedy: expect.stringMatching(/^the next call goes on/) }],
  });
  expect(await filter.omit(keys)).toEqual([]);
  expect(await RedisBloomFilter.check(client, name)).toMatchObject({ status: 'ok' });
});

it('repair goes on with it too, and not where keys may be lost', async () => {
  const name = newName();
  const filter = await beginWindow(name);
  expect(await RedisBloomFilter.repair(client, name)).toMatchObject([{ action: 'lists' }]);
  expect(await RedisBloomFilter.check(client, name)).toMatchObject({ status: 'ok' });
  await filter.add('later');
  const { id } = await stored(name);
  const number = Math.floor(Date.now() / ROTATING.window);
  for (const list of await keysOf(`${name}:*:filters`)) {
    await server.send('hset', list, `${id}.window`, number - 1);
    const { status } = await RedisBloomFilter.check(client, name);
    if (status === 'critical') expect(await RedisBloomFilter.repair(client, name)).toEqual([]);
    await server.send('hset', list, `${id}.window`, number);
  }
});
