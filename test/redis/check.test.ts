// What `check` says of a filter to which something has happened. Each row is a command that does damage, and what the
// person on call is told.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RedisBloomFilter, type RedisFilterReport, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { RotatingBloomFilter } from '../../src/entries/rotating.ts';
import { connect, PASSWORD } from './clients.ts';
import {
  addLater,
  all,
  copyPiece,
  cutPiece,
  editCapacity,
  editState,
  editVersion,
  endLeases,
  type Harm,
  leave,
  remove,
  removeMark,
  removeParameters,
  restoreOld,
  spoilList,
} from './harms.ts';
import { intercepted } from './intercept.ts';
import { client, listsOf, listsWithPieces, newName, piecesOf, server, stored, textOf } from './one-server.ts';
import { keys, ROTATING, SIZE, told } from './samples.ts';
import { shiftWindows } from './servers.ts';

const check = (name: string, options?: object) => RedisBloomFilter.check(client, name, options);
const fill = async (name: string) => (await RedisBloomFilter.open(client, name, SIZE)).addMany(keys);
const fillRotating = async (name: string) =>
  (await RotatingRedisBloomFilter.open(client, name, ROTATING)).addMany(keys);

/** The lists in slots without pieces. */
async function spareListsOf(name: string): Promise<string[]> {
  const beside = new Set(await listsWithPieces(name));
  return (await listsOf(name)).filter((list) => !beside.has(list));
}

/** The remedy for orphans that may be needed. */
const NOT_YET = /^leave them until nothing critical is wrong/;

it('describes a filter that is well', async () => {
  const name = newName();
  await fill(name);
  const { bits, id } = await stored(name);
  const report = await check(name);
  const lists = await listsOf(name);
  const filter = await RedisBloomFilter.open(client, name);
  expect(report).toEqual({
    name,
    status: 'ok',
    problems: [],
    parameters: { version: 1, id, ...SIZE, errorRate: 0.01, bits, hashes: 8, seed: 0, window: 0, spread: 4 },
    lists: expect.arrayContaining(lists.map((key) => ({ key, isRight: true, others: [] }))),
    bodies: [
      {
        generation: null,
        pieces: 4,
        missing: [],
        damaged: [],
        fillRatio: await filter.fillRatio(),
        estimatedCount: expect.closeTo(300, -1),
      },
    ],
    pending: [],
    orphans: [],
    byteLength: bits / 8,
    memory: expect.any(Number),
    masters: [
      {
        address: null,
        version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
        policy: 'noeviction',
        maxMemory: 0,
        usedMemory: expect.any(Number),
        clockAhead: expect.closeTo(0, -2),
        hasParameters: true,
        lists: lists.length,
        pieces: 4,
      },
    ],
  });
  expect(report.lists).toHaveLength(lists.length);
  expect(report.memory).toBeGreaterThan(bits / 8);
  expect(report.memory).toBeLessThan(1.1 * (bits / 8));
  expect((await check(name, { orphans: false })).orphans).toBeNull();
});

const addNumbers =
  (count: number): Harm =>
  async (name) =>
    (await RedisBloomFilter.open(client, name)).addMany(Array(count).keys());

/** Damage to a filter that was whole, and the problems that are told, with parts of their messages and remedies. */
const damage: Record<string, [harm: Harm, ...problems: [told: string, text: RegExp, remedy?: RegExp][]]> = {
  'FLUSHALL, or a restart without data': [() => server.send('flushall'), ['ABSENT critical', /^there is no filter/]],
  'deleted parameters': [
    removeParameters,
    ['LOST critical', /^the parameters are gone; the lists have them, and all pieces are there$/],
  ],
  'deleted parameters and a deleted piece': [
    all(remove(piecesOf, 0), removeParameters),
    ['LOST critical', /^the parameters are gone; the lists have them$/, /^delete it by its name/],
    ['LOST critical', /^1 piece \(filter:.*\) of 4 is missing/, /^delete it by its name/],
  ],
  'deleted parameters and lists': [
    all(remove(listsOf), removeParameters),
    ['ABSENT critical', /but pieces are left of one: its parameters and all of its lists are gone$/],
    ['ORPHANS warning', /^4 pieces \(such as filter:.*\) that no filter has$/, NOT_YET],
  ],
  'a deleted piece': [remove(piecesOf, 0), ['LOST critical', /^1 piece \(filter:.*\) of 4 is missing/]],
  'a short piece': [cutPiece, ['LOST critical', /^1 piece \(filter:.*\) of 4 has another length/]],
  'a piece of another type': [
    async (name) => {
      const [piece = ''] = await piecesOf(name);
      await server.send('del', piece);
      await server.send('rpush', piece, 'x');
    },
    ['LOST critical', /^1 piece \(filter:.*\) of 4 has another length, or is no string$/],
  ],
  'a deleted list': [
    remove(listsWithPieces, 0),
    ['LOST critical', /^1 list \(filter:.*:filters\) of [56] lacks the filter: calls about their slots/],
  ],
  'a deleted list that no call reads': [
    remove(spareListsOf, 0),
    ['LOST warning', /^1 list \(filter:.*:filters\) of [56] lacks the filter: no call reads/],
  ],
  'a list without its mark': [removeMark, ['LOST critical', /^1 list \(filter:.*:filters\) of [56] lacks the filter/]],
  'a list of another type, and pieces of an earlier filter': [
    all(copyPiece, spoilList),
    ['LOST critical', /^1 list/],
    ['FOREIGN critical', /:filters cannot be read: .* holds something other than a filter$/],
    ['ORPHANS warning', /^1 piece/, NOT_YET],
  ],
  'a list with a field that is no filter': [
    async (name) => server.send('hset', (await listsOf(name))[0] ?? '', '0'.repeat(16), '{}'),
    ['FOREIGN critical', /:filters cannot be read/, /^delete that one field: HDEL filter:\S+:filters 0{16}$/],
  ],
  'a list with a filter of a later version': [addLater('0'.repeat(16)), ['VERSION critical', /version 9/]],
  'parameters of a later version': [editVersion, ['VERSION critical', /version 9/]],
  'edited parameters': [editCapacity, ['DAMAGED critical', /^the parameters of "filter:.*" are damaged$/]],
  'a foreign text': [(name) => server.send('set', name, 'mine'), ['FOREIGN critical', /something other than a filter/]],
  'a foreign type': [
    all(removeParameters, (name) => server.send('rpush', name, 'mine')),
    ['FOREIGN critical', /something other than a filter/],
  ],
  'more keys than it is made for': [
    addNumbers(15_000),
    ['OVERFULL warning', /^about 15\d\d\d keys in a filter made for 10000: the error rate is 0\.0/],
  ],
  'a few more keys than it is made for': [addNumbers(10_300)],
  'bits that are all set': [
    async (name) => {
      const script = "redis.call('set',KEYS[1],string.rep('\\255',redis.call('strlen',KEYS[1])))";
      for (const piece of await piecesOf(name)) await server.send('eval', script, 1, piece);
    },
    ['OVERFULL warning', /^far more keys in a filter made for 10000: the error rate is 1/],
  ],
  'pieces of an earlier filter': [
    copyPiece,
    ['ORPHANS warning', /^1 piece \(filter:.*:a{16}:\d\) that no filter has$/],
  ],
  'parameters from a backup that is older than the last clear': [
    restoreOld(),
    ['LOST critical', /^6 lists .* of 6 lack the filter/],
    ['MISMATCH critical', /^the lists have 1 other filter \([0-9a-f]{16}\), so the parameters may be those of an/],
    ['LOST critical', /^4 pieces .* of 4 are missing/],
  ],
  'a maker that died before it was done': [
    all(editState, remove(piecesOf, 1)),
    ['UNFINISHED warning', /^the filter is half made/],
  ],
  'a maker that died while it replaced the filter': [
    async (name) => {
      await leave(name);
      const { pending, problems } = await check(name);
      expect([pending, problems]).toEqual([[{ id: expect.any(String), isAtWork: true }], []]);
      await endLeases(name);
    },
    ['ORPHANS warning', /^1 filter \([0-9a-f]{16}\) without a name/],
  ],
};

it.each(Object.entries(damage))('tells %s', async (_, [harm, ...problems]) => {
  const name = newName();
  await fill(name);
  await harm(name);
  const report = await check(name, {});
  expect(told(report).slice(1)).toEqual(problems.map(([each]) => each));
  for (const [i, [, text, remedy = /./]] of problems.entries()) {
    expect(report.problems[i]).toMatchObject({
      message: expect.stringMatching(text),
      remedy: expect.stringMatching(remedy),
    });
  }
  expect(report.status).toBe(report.problems[0]?.level ?? 'ok');
  // It is JSON, and nothing was changed.
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  expect(told(await RotatingRedisBloomFilter.check(client, name))).toEqual(told(report));
});

describe('of a filter that forgets, tells', () => {
  const window = ROTATING.window;

  it('its generations, and which lists and pieces of them are missing', async () => {
    const name = newName();
    expect(told(await check(name))).toEqual(['critical', 'ABSENT critical']);
    const filter = await RotatingRedisBloomFilter.open(client, name, ROTATING);
    // Nothing has been made yet.
    expect(await check(name)).toMatchObject({ status: 'ok', bodies: [], memory: 0, parameters: { window } });
    await filter.addMany(keys);
    await shiftWindows(server, name, -1);
    await fillRotating(name);
    const report = await check(name);
    const number = Math.floor(Date.now() / window);
    expect(report).toMatchObject({
      status: 'ok',
      byteLength: (2 * filter.bits) / 8,
      bodies: [number - 1, number].map((generation) => ({ generation, estimatedCount: expect.closeTo(300, -1) })),
    });
    const [list = ''] = await listsWithPieces(name);
    const piece = (await piecesOf(name)).find((key) => key.includes(`:${number - 1}:`)) ?? '';
    for (const [key, text] of [
      [piece, /^1 piece .* of generation \d+ is missing/],
      [list, /^1 list .* lacks the filter: calls/],
    ] as const) {
      expect(await server.send('rename', key, 'aside')).toBe('OK');
      const { problems } = await check(name);
      expect(problems).toMatchObject([{ code: 'LOST', message: expect.stringMatching(text) }]);
      await server.send('rename', 'aside', key);
    }
    await server.send('del', ...(await listsOf(name)));
    expect(told(await check(name))).toEqual(['critical', 'LOST critical']);
  });

  it.each(['x', '-5', '1e300', '8640000000000000', ''])('that a list has %j for a number', async (number) => {
    const name = newName();
    await fillRotating(name);
    const { id } = await stored(name);
    for (const list of await listsOf(name)) await server.send('hset', list, `${id}.window`, number);
    expect(told(await check(name))).toEqual(['critical', 'LOST critical']);
    await server.send('hset', (await listsOf(name))[0] ?? '', `${id}.window`, Math.floor(Date.now() / window));
    expect(told(await check(name))).toEqual(['critical', 'LOST critical']);
  });

  it('that a clock was ahead', async () => {
    const name = newName();
    await fillRotating(name);
    await shiftWindows(server, name, 2);
    const report = await check(name);
    expect(told(report)).toEqual(['warning', 'CLOCKS warning']);
    expect(report.problems[0]?.message).toMatch(/^the filter is in a window that begins at 2\d{3}-/);
  });

  it('that it has more keys than one window may have', async () => {
    const over = await RotatingRedisBloomFilter.open(client, newName(), ROTATING);
    await over.addMany(Array.from({ length: 11_500 }, (_, i) => i));
    expect(told(await check(over.name))).toEqual(['warning', 'OVERFULL warning']);
    // A copy is a filter as any other.
    expect(RotatingBloomFilter.fromBytes((await over.toLocal()).toBytes()).has(7)).toBe(true);
  });

  it('that its parameters may be old, and what to do if they are not', async () => {
    const name = newName();
    await fillRotating(name);
    const old = await textOf(name);
    await RedisBloomFilter.delete(client, name);
    await fillRotating(name);
    await server.send('set', name, old);
    const mismatches = (await check(name)).problems.filter(({ code }) => code === 'MISMATCH');
    expect(mismatches).toMatchObject([{ remedy: expect.stringMatching(/; else delete it by its name, open it, /) }]);
  });
});

it('looks a few times at a name that changes each time', async () => {
  let looks = 0;
  const name = newName();
  const changing = intercepted(client, async (send, { key }) => {
    const reply = await send();
    return key === name && reply === null ? String(Math.min(looks++, 99)) : reply;
  });
  const { problems } = await RedisBloomFilter.check(changing, name, { orphans: false });
  expect([problems[0]?.code, looks]).toEqual(['FOREIGN', 12]);
});

it('looks twice before it tells of what another client is doing', async () => {
  const name = newName();
  await fill(name);
  const ready = await textOf(name);
  await editState(name);
  // The bits are counted in the end of each look.
  const finishing = intercepted(client, async (send, { command }) => {
    if (command.length === 5 && command[3]?.toString().match(/:\d+$/)) await server.send('set', name, ready);
    return send();
  });
  expect(told(await RedisBloomFilter.check(finishing, name))).toEqual(['ok']);
});

it('needs the rights that the documents give, and says what it cannot know without others', async () => {
  const name = newName();
  await fill(name);
  await leave(name);
  const lines = readFileSync('docs/redis-operations.md', 'utf8').match(/^ACL SETUSER checker .*$/gm) ?? [];
  const rules = lines.flatMap((line) => line.split(' ').slice(3));
  const checkWith = async (...changes: string[]): Promise<RedisFilterReport> => {
    const rights = rules.map((rule) => rule.replace('>secret', `>${PASSWORD}`).replaceAll('~seen', `~${name}`));
    await server.send('acl', 'setuser', 'checker', 'reset', ...rights, ...changes);
    const checker = await connect('redis', [server.port], { username: 'checker' });
    return RedisBloomFilter.check(checker.client, name).finally(() => checker.close());
  };
  const whole = await check(name);
  expect({ ...(await checkWith()), masters: [] }).toEqual({ ...whole, masters: [] });
  const less = await checkWith('-info', '-time', '-memory', '-object');
  expect(told(less)).toEqual(['ok', 'EVICTION note']);
  expect(less.memory).toBeNull();
  expect(less.masters).toMatchObject([{ policy: null, clockAhead: null, version: null }]);
  for (const right of ['get', 'hgetall', 'exists', 'strlen', 'bitcount', 'scan']) {
    expect(lines[0]).toContain(` +${right}`);
    await expect(checkWith(`-${right}`)).rejects.toMatchObject({ code: 'NOPERM' });
  }
});

it('does not count what is deleted while it looks', async () => {
  const name = newName();
  await fill(name);
  const [piece = ''] = await piecesOf(name);
  const deleting = intercepted(client, async (send, { key, command }) => {
    // The bits of a piece are counted.
    if (key === piece && command.length === 5) await server.send('del', piece);
    return send();
  });
  const report = await RedisBloomFilter.check(deleting, name);
  expect(told(report)).toEqual(['critical', 'LOST critical']);
  expect(report.bodies).toMatchObject([{ missing: [piece], fillRatio: null, estimatedCount: null }]);
});

it('tells which lists are right', async () => {
  const half = newName();
  await fill(half);
  await editState(half);
  const lists = await listsOf(half);
  await server.send('del', lists[0] ?? '');
  const rightOf = async (name: string) => (await check(name)).lists.map(({ isRight }) => isRight).toSorted();
  expect(await rightOf(half)).toEqual([false, ...lists.slice(1).map(() => true)]);
  // One that forgets has none before it is used, and none once all is forgotten.
  const unused = newName();
  await RotatingRedisBloomFilter.open(client, unused, ROTATING);
  expect(await rightOf(unused)).toEqual([]);
});
