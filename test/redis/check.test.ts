// What `check` says of a filter to which something has happened. Each row is a command that does damage, and what the
// person on call is told.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RedisBloomFilter, type RedisFilterReport, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { connect, PASSWORD } from './clients.ts';
import { intercepted, isPublishing } from './intercept.ts';
import { client, keysOf, listsOf, listsWithPieces, newName, piecesOf, server } from './one-server.ts';
import { shiftWindows } from './servers.ts';

/** Four pieces in four slots, and two more slots with lists. */
const SIZE = { capacity: 10_000 };
const ROTATING = { ...SIZE, window: 3_600_000 };
const keys = Array.from({ length: 300 }, (_, i) => `key ${i}`);

const check = (name: string, options?: object) => RedisBloomFilter.check(client, name, options);
const told = ({ status, problems }: RedisFilterReport): unknown[] => [
  status,
  ...problems.map(({ code, level }) => `${code} ${level}`),
];

async function fill(name: string): Promise<void> {
  await (await RedisBloomFilter.open(client, name, SIZE)).addMany(keys);
}
async function fillRotating(name: string): Promise<void> {
  await (await RotatingRedisBloomFilter.open(client, name, ROTATING)).addMany(keys);
}
/** Leaves what a client leaves that dies while it replaces a filter. */
async function leave(name: string): Promise<void> {
  const dying = intercepted(client, (send, sending) =>
    isPublishing(sending, name) ? Promise.reject(new TypeError('died')) : send(),
  );
  const local = BlockedBloomFilter.from(keys, SIZE);
  await expect(RedisBloomFilter.fromLocal(dying, name, local, { replace: true })).rejects.toThrow('died');
}
/** A list in a slot without pieces. */
async function spareListOf(name: string): Promise<string> {
  const beside = new Set(await listsWithPieces(name));
  return (await listsOf(name)).find((list) => !beside.has(list)) ?? '';
}
const stored = async (name: string) => JSON.parse(String(await server.send('get', name)));

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

it('takes wrong arguments for errors', async () => {
  await expect(check('')).rejects.toThrow(RangeError);
  await expect(check('x', { orphans: 1 })).rejects.toThrow(TypeError);
  await expect(check('x', { orphan: true })).rejects.toThrow('unknown option orphan; the options are orphans, ');
});

/** Damage to a filter that was whole, and the problems that are told, with a part of their messages. */
const damage: Record<string, [harm: (name: string) => Promise<unknown>, ...problems: [told: string, text: RegExp][]]> =
  {
    'FLUSHALL, or a restart without data': [() => server.send('flushall'), ['ABSENT critical', /^there is no filter/]],
    'deleted parameters': [
      (name) => server.send('del', name),
      ['LOST critical', /^the parameters are gone; the lists have them, and all pieces are there$/],
    ],
    'deleted parameters and a deleted piece': [
      async (name) => server.send('del', name, (await piecesOf(name))[0] ?? ''),
      ['LOST critical', /^the parameters are gone; the lists have them$/],
      ['LOST critical', /^1 piece \(filter:.*\) of 4 is missing/],
    ],
    'deleted parameters and lists': [
      async (name) => server.send('del', name, ...(await listsOf(name))),
      ['ABSENT critical', /but pieces are left of one: its parameters and all of its lists are gone$/],
      ['ORPHANS warning', /^4 pieces \(such as filter:.*\) that no filter has$/],
    ],
    'a deleted piece': [
      async (name) => server.send('del', (await piecesOf(name))[0] ?? ''),
      ['LOST critical', /^1 piece \(filter:.*\) of 4 is missing/],
    ],
    'a short piece': [
      async (name) => {
        const [piece = ''] = await piecesOf(name);
        await server.send('set', piece, String(await server.send('getrange', piece, 0, 99)));
      },
      ['LOST critical', /^1 piece \(filter:.*\) of 4 has another length/],
    ],
    'a piece of another type': [
      async (name) => {
        const [piece = ''] = await piecesOf(name);
        await server.send('del', piece);
        await server.send('rpush', piece, 'x');
      },
      ['LOST critical', /^1 piece \(filter:.*\) of 4 has another length, or is no string$/],
    ],
    'a deleted list': [
      async (name) => server.send('del', (await listsWithPieces(name))[0] ?? ''),
      ['LOST critical', /^1 list \(filter:.*:filters\) of [56] lacks the filter: calls about their slots/],
    ],
    'a deleted list that no call reads': [
      async (name) => server.send('del', await spareListOf(name)),
      ['LOST warning', /^1 list \(filter:.*:filters\) of [56] lacks the filter: no call reads/],
    ],
    'a list without its mark': [
      async (name) => server.send('hdel', (await listsWithPieces(name))[0] ?? '', `${(await stored(name)).id}.whole`),
      ['LOST critical', /^1 list \(filter:.*:filters\) of [56] lacks the filter/],
    ],
    'a list of another type': [
      async (name) => {
        const [list = ''] = await listsWithPieces(name);
        await server.send('set', list, 'x');
      },
      ['LOST critical', /^1 list/],
      ['FOREIGN critical', /:filters cannot be read: .* holds something other than a filter$/],
    ],
    'a list with a field that is no filter': [
      async (name) => server.send('hset', (await listsOf(name))[0] ?? '', '0'.repeat(16), '{}'),
      ['FOREIGN critical', /:filters cannot be read/],
    ],
    'a list with a filter of a later version': [
      async (name) => {
        const later = String(await server.send('get', name)).replace('"bloomery":1', '"bloomery":9');
        await server.send('hset', (await listsOf(name))[0] ?? '', '0'.repeat(16), later);
      },
      ['VERSION critical', /version 9/],
    ],
    'parameters of a later version': [
      async (name) => {
        const later = String(await server.send('get', name)).replace('"bloomery":1', '"bloomery":9');
        await server.send('set', name, later);
      },
      ['VERSION critical', /version 9/],
    ],
    'edited parameters': [
      async (name) => {
        const edited = String(await server.send('get', name)).replace('"capacity":10000', '"capacity":20000');
        await server.send('set', name, edited);
      },
      ['DAMAGED critical', /^the parameters of "filter:.*" are damaged$/],
    ],
    'a foreign text': [
      (name) => server.send('set', name, 'mine'),
      ['FOREIGN critical', /something other than a filter/],
    ],
    'a foreign type': [
      async (name) => {
        await server.send('del', name);
        await server.send('rpush', name, 'mine');
      },
      ['FOREIGN critical', /something other than a filter/],
    ],
    'more keys than it is made for': [
      async (name) => {
        const filter = await RedisBloomFilter.open(client, name);
        await filter.addMany(Array.from({ length: 15_000 }, (_, i) => i));
      },
      ['OVERFULL warning', /^about 15\d\d\d keys in a filter made for 10000: the error rate is 0\.0/],
    ],
    'bits that are all set': [
      async (name) => {
        for (const piece of await piecesOf(name)) {
          const script = "redis.call('set',KEYS[1],string.rep('\\255',redis.call('strlen',KEYS[1])))";
          await server.send('eval', script, 1, piece);
        }
      },
      ['OVERFULL warning', /^far more keys in a filter made for 10000: the error rate is 1/],
    ],
    'pieces of an earlier filter': [
      async (name) => {
        const [piece = ''] = await piecesOf(name);
        const { id } = await stored(name);
        await server.send('copy', piece, piece.replace(id, 'a'.repeat(16)));
      },
      ['ORPHANS warning', /^1 piece \(filter:.*:a{16}:\d\) that no filter has$/],
    ],
    'parameters from a backup that is older than the last clear': [
      async (name) => {
        const old = String(await server.send('get', name));
        await (await RedisBloomFilter.open(client, name)).clear();
        await server.send('set', name, old);
      },
      ['LOST critical', /^6 lists .* of 6 lack the filter/],
      ['MISMATCH critical', /^the lists have 1 other filter \([0-9a-f]{16}\), so the parameters may be those of an/],
      ['LOST critical', /^4 pieces .* of 4 are missing/],
    ],
    'a maker that died before it was done': [
      async (name) => {
        const text = String(await server.send('get', name));
        await server.send('set', name, text.replace('"ready"', '"creating"'));
        await server.send('del', (await piecesOf(name))[1] ?? '');
      },
      ['UNFINISHED warning', /^the filter is half made/],
    ],
    'a maker that died while it replaced the filter': [
      async (name) => {
        const dying = intercepted(client, (send, sending) =>
          isPublishing(sending, name) ? Promise.reject(new TypeError('died')) : send(),
        );
        const local = BlockedBloomFilter.from(keys, SIZE);
        await expect(RedisBloomFilter.fromLocal(dying, name, local, { replace: true })).rejects.toThrow('died');
        const { pending, problems } = await check(name);
        expect([pending, problems]).toEqual([[{ id: expect.any(String), isAtWork: true }], []]);
        await server.send('del', ...(await keysOf(`${name}:*:making:*`)));
      },
      ['ORPHANS warning', /^1 filter \([0-9a-f]{16}\) without a name/],
    ],
  };

describe('tells', () => {
  it.each(Object.entries(damage))('%s', async (_, [harm, ...problems]) => {
    const name = newName();
    await fill(name);
    await harm(name);
    const report = await check(name, {});
    expect(told(report).slice(1)).toEqual(problems.map(([each]) => each));
    for (const [i, [, text]] of problems.entries()) expect(report.problems[i]?.message).toMatch(text);
    for (const { remedy } of report.problems) expect(remedy).not.toBe('');
    expect(report.status).toBe(report.problems[0]?.level ?? 'ok');
    // It is JSON, and nothing was changed.
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
    expect(told(await RotatingRedisBloomFilter.check(client, name))).toEqual(told(report));
  });
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
      bodies: [number - 1, number].map((generation) => ({ generation, estimatedCount: expect.closeTo(300, -1) })),
    });
    const [list = ''] = await listsWithPieces(name);
    for (const [key, text] of [
      [
        (await piecesOf(name)).find((key) => key.includes(`:${number - 1}:`)),
        /^1 piece .* of generation \d+ is missing/,
      ],
      [list, /^1 list .* lacks the filter: calls/],
    ] as const) {
      const before = await server.send('rename', String(key), 'aside');
      expect(before).toBe('OK');
      const { problems } = await check(name);
      expect(problems).toMatchObject([{ code: 'LOST', message: expect.stringMatching(text) }]);
      await server.send('rename', 'aside', String(key));
    }
    await server.send('del', ...(await listsOf(name)));
    expect(told(await check(name))).toEqual(['critical', 'LOST critical']);
  });

  it.each(['x', '-5', '1e300', '9007199254740991', ''])('that a list has %j for a number', async (number) => {
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
});

it('looks twice before it tells of what another client is doing', async () => {
  const name = newName();
  await fill(name);
  const creating = String(await server.send('get', name)).replace('"ready"', '"creating"');
  const ready = await server.send('set', name, creating, 'get');
  // The bits are counted in the end of each look.
  const finishing = intercepted(client, async (send, { command }) => {
    if (command.length === 5 && command[3]?.toString().match(/:\d+$/)) await server.send('set', name, String(ready));
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
  await server.send('set', half, String(await server.send('get', half)).replace('"ready"', '"creating"'));
  const lists = await listsOf(half);
  await server.send('del', lists[0] ?? '');
  const rightOf = async (name: string) => (await check(name)).lists.map(({ isRight }) => isRight).toSorted();
  expect(await rightOf(half)).toEqual([false, ...lists.slice(1).map(() => true)]);
  // One that forgets has none before it is used, and none once all is forgotten.
  const unused = newName();
  await RotatingRedisBloomFilter.open(client, unused, ROTATING);
  expect(await rightOf(unused)).toEqual([]);
});
