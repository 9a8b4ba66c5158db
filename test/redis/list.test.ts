// What `list` finds, and how the command line shows it, and the checks and repairs of single filters.

import { beforeEach, expect, it } from 'vitest';
import { RedisBloomFilter, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { run, workInFolder } from '../cli/run.ts';
import { makeProject } from './clients.ts';
import { copyPiece } from './harms.ts';
import { interrupted, type Sending } from './intercept.ts';
import { client, listsOf, piecesOf, server } from './one-server.ts';
import { ROTATING, SIZE } from './samples.ts';

workInFolder();
makeProject('.', 'redis');
beforeEach(() => server.send('flushall'));

process.env['REDIS_URL'] = `redis://127.0.0.1:${server.port}`;
const told = async (...words: string[]): Promise<[number | null, string, string]> => {
  const { code, stdout, stderr } = await run('redis', ...words);
  return [code, stdout.toString(), stderr];
};

const IDLE = 1000;
/** Restores a key as one that nobody has used for a while. Returns its length. */
const RESTORE_IDLE = `local dump,length=redis.call('dump',KEYS[1]),redis.call('strlen',KEYS[1])
redis.call('restore',KEYS[1],0,dump,'REPLACE','IDLETIME',${IDLE})
return length`;

/** Makes a filter of each class, some keys of others, and pieces that nothing knows. */
async function make(): Promise<void> {
  await RedisBloomFilter.open(client, 'b:all *[x]', { ...SIZE, errorRate: 0.001 });
  await (await RotatingRedisBloomFilter.open(client, 'a', ROTATING)).add('x');
  await RedisBloomFilter.open(client, 'gone', SIZE);
  await server.send('del', 'gone', ...(await listsOf('gone')));
  await RedisBloomFilter.open(client, 'c', { bits: 2560 });
  await server.send('del', 'c');
  // Not of the package, however much they look like it.
  const [piece = ''] = await piecesOf('gone');
  for (const key of [piece.replace('gone', 'other'), '{x}', 'x:{y}:filters', 'x:{x}:makings', 'a:{']) {
    await server.send('set', key, 'mine');
  }
}

it('has filters of both classes, and what is left of others', async () => {
  await make();
  const filter = await RedisBloomFilter.open(client, 'b:all *[x]');
  const listed = await RedisBloomFilter.list(client);
  const parts = { hasParameters: true, orphans: 0, orphanMemory: 0, idle: expect.any(Number) };
  expect(listed).toEqual([
    {
      ...{ ...parts, name: 'a', pieces: (await piecesOf('a')).length, memory: expect.any(Number) },
      parameters: expect.objectContaining({ ...ROTATING, version: 1 }),
    },
    {
      ...{ ...parts, name: 'b:all *[x]', pieces: filter.pieces, memory: expect.any(Number) },
      parameters: expect.objectContaining({ ...SIZE, errorRate: 0.001, bits: filter.bits, window: 0 }),
    },
    {
      ...{ ...parts, name: 'c', pieces: 1, memory: expect.any(Number), hasParameters: false },
      parameters: expect.objectContaining({ capacity: 0, bits: 2560 }),
    },
    {
      ...{ ...parts, name: 'gone', hasParameters: false, parameters: null, pieces: 0, memory: 0, idle: null },
      ...{ orphans: 4, orphanMemory: expect.any(Number) },
    },
  ]);
  const { memory = 0 } = listed[1] ?? {};
  expect(memory).toBeGreaterThan(filter.byteLength);
  await server.send('config', 'set', 'maxmemory-policy', 'allkeys-lfu');
  expect((await RedisBloomFilter.list(client)).map(({ idle }) => idle)).toEqual(Array(4).fill(null));
  await server.send('config', 'set', 'maxmemory-policy', 'noeviction');
});

it('finds filters among so many other keys that some pages of them have nothing of a filter', async () => {
  await make();
  await server.send('debug', 'populate', 100_000);
  expect((await RedisBloomFilter.list(client)).map(({ name }) => name)).toEqual(['a', 'b:all *[x]', 'c', 'gone']);
});

it('is no use of the pieces', async () => {
  await RedisBloomFilter.open(client, 'a', SIZE);
  // As if nobody had used them for a while.
  for (const piece of await piecesOf('a')) {
    const bytes = String(await server.send('get', piece)).length;
    expect(await server.send('eval', RESTORE_IDLE, 1, piece)).toBe(bytes);
  }
  const idleOf = async (): Promise<number> => (await RedisBloomFilter.list(client))[0]?.idle ?? -1;
  expect(await idleOf()).toBeGreaterThanOrEqual(IDLE);
  expect(await idleOf()).toBeGreaterThanOrEqual(IDLE);
  await RedisBloomFilter.check(client, 'a');
  expect(await idleOf()).toBeLessThan(IDLE);
  // As if only one piece had been used, of four; and a fifth one is of no filter.
  for (const piece of (await piecesOf('a')).slice(1)) await server.send('eval', RESTORE_IDLE, 1, piece);
  expect(await idleOf()).toBeLessThan(IDLE);
  await copyPiece('a');
  expect(await RedisBloomFilter.list(client)).toMatchObject([{ pieces: 4, orphans: 1 }]);
});

it('takes nothing for orphans that is left of a filter which a client was deleting when it died', async () => {
  await RedisBloomFilter.open(client, 'd', SIZE);
  const text = String(await server.send('get', 'd'));
  await server.send('hset', 'd:{d}:making', JSON.parse(text).id, text);
  const lists = await listsOf('d');
  await server.send('del', 'd', ...lists);
  const left = { name: 'd', hasParameters: false, orphans: 0, orphanMemory: 0 };
  expect(await RedisBloomFilter.list(client)).toEqual([expect.objectContaining(left)]);
  // Or only a list, which cannot be read.
  await server.send('flushall');
  await server.send('set', lists[0] ?? '', 'x');
  expect(await RedisBloomFilter.list(client)).toEqual([expect.objectContaining(left)]);
});

it('takes nothing for orphans that is deleted while it looks, and for no lack of a right', async () => {
  const filter = await RedisBloomFilter.open(client, 'a', SIZE);
  await (await RotatingRedisBloomFilter.open(client, 'b', ROTATING)).add('x');
  const gone = await RedisBloomFilter.open(client, 'gone', SIZE);
  const [piece = ''] = await piecesOf('b');
  // The keys of all were found, and those of the first one were measured.
  const isMeasured = ({ key }: Sending): boolean => key === 'a';
  const racing = interrupted(client, isMeasured, async () => {
    await filter.clear();
    await server.send('del', piece);
    await gone.delete();
  });
  expect(await RedisBloomFilter.list(racing)).toMatchObject([
    { name: 'a', orphans: 0, orphanMemory: 0, memory: expect.any(Number) },
    { name: 'b', orphans: 0, pieces: 3, memory: expect.any(Number) },
  ]);
});

it('is a table on the command line, or JSON', async () => {
  expect(await told('list')).toEqual([0, '', '']);
  await make();
  const [code, table, stderr] = await told('list');
  const lines = table.split('\n').map((line) => line.replace(/[\d.]+ (kB|bytes|s)/g, '1 $1').split(/ {2,}/));
  expect([code, stderr, lines]).toEqual([
    0,
    '',
    [
      ['name', 'keys', 'rate', 'window', 'pieces', 'memory', 'idle', 'orphans'],
      ['a', '10,000', '0.01', '1 h 0 min', '4', '1 kB', '1 s', '-'],
      ['b:all *[x]', '10,000', '0.001', '-', '6', '1 kB', '1 s', '-'],
      ['c (no parameters)', '?', '?', '-', '1', '1 kB', '1 s', '-'],
      ['gone (no parameters)', '?', '?', '-', '0', '1 bytes', '?', '4, 1 kB'],
      [''],
    ],
  ]);
  const [, json] = await told('list', '--json');
  const names = JSON.parse(json).map(({ name }: { name: string }) => name);
  expect(names).toEqual(['a', 'b:all *[x]', 'c', 'gone']);
});

it('check ends with 0, 1 or 2, and says in its first line what is wrong, and then what to do', async () => {
  await make();
  const plain = /^ok: b:all \*\[x\]: nothing is wrong\n\nkind +blocked\nmade for +10,000 keys, error rate 0.001\n/;
  expect(await told('check', 'b:all *[x]')).toEqual([0, expect.stringMatching(plain), '']);
  const rotating =
    /\nkind +blocked, forgets after 1 h 0 min or [\s\S]*\nwindow \d+ +4 of 4 are right, fill ratio .*, about 1 key\n.*; clock -?0\.0\d\d s ahead\n$/;
  expect(await told('check', 'a')).toEqual([0, expect.stringMatching(rotating), '']);
  const orphan = (await piecesOf('c'))[0]?.replace(/[0-9a-f]{16}:/, `${'a'.repeat(16)}:`) ?? '';
  await RedisBloomFilter.open(client, 'c');
  await server.send('set', orphan, 'x');
  const warning = /^warning: c: ORPHANS: 1 piece [\s\S]*\n\nwarning ORPHANS: .*\n {2}run "bloomery redis repair"/;
  expect(await told('check', 'c')).toEqual([1, expect.stringMatching(warning), '']);
  expect((await told('check', 'c', '--no-orphans'))[0]).toBe(0);
  const absent = /^critical: none: ABSENT: there is no filter "none"\n\ncritical ABSENT: [\s\S]*\nserver +version /;
  expect(await told('check', 'none')).toEqual([2, expect.stringMatching(absent), '']);
  const [code, json] = await told('check', 'gone', '--json');
  const { masters, ...report } = JSON.parse(json);
  const { masters: _, ...expected } = await RedisBloomFilter.check(client, 'gone');
  expect([code, report, masters.length]).toEqual([2, JSON.parse(JSON.stringify(expected)), 1]);
  expect(await told('check', '{x}')).toEqual([2, '', expect.stringMatching(/^bloomery: name must be/)]);
});

it('repair says each step before it is done, and ends as check does', async () => {
  await make();
  const steps = /^would restore the parameters from the lists\n\ncritical: c: LOST: the parameters are gone; /;
  expect(await told('repair', 'c', '--dry-run')).toEqual([2, expect.stringMatching(steps), '']);
  const done = /^restore the parameters from the lists\n\nok: c: nothing is wrong\n/;
  expect(await told('repair', 'c')).toEqual([0, expect.stringMatching(done), '']);
  const nothing = /^there is nothing to repair\n\nok: a: nothing is wrong\n/;
  expect(await told('repair', 'a')).toEqual([0, expect.stringMatching(nothing), '']);
  const left = /^nothing can be repaired\n\ncritical: gone: ABSENT: /;
  expect(await told('repair', 'gone')).toEqual([2, expect.stringMatching(left), '']);
  await (await RedisBloomFilter.open(client, 'few', { capacity: 10 })).addMany(Array(100).keys());
  const overfull = /^nothing can be repaired\n\nwarning: few: OVERFULL: /;
  expect(await told('repair', 'few')).toEqual([1, expect.stringMatching(overfull), '']);
});
