import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RedisBloomFilter, type RedisClient, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { connect, PASSWORD } from './clients.ts';
import { keysOf, listsOf, server, client as writer } from './one-server.ts';
import { shiftWindows, until } from './servers.ts';

const CAPACITY = { capacity: 1000 };
const ROTATING = { ...CAPACITY, window: 3_600_000 };
const READ = { readFrom: 'replica' } as const;

const open = (client: RedisClient, options: object = CAPACITY) => RedisBloomFilter.open(client, 'seen', options);
const openRotating = (client: RedisClient, options: object = ROTATING) =>
  RotatingRedisBloomFilter.open(client, 'seen', options);

/** The rights that the documents give to users, who reach the filter "seen". Those of `check` are in check.test.ts. */
const commands = readFileSync('docs/redis-operations.md', 'utf8').match(/^ACL SETUSER (?:writer|reader) .*$/gm) ?? [];
const rulesOf = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => line.split(' ').slice(3)).map((rule) => rule.replace('>secret', `>${PASSWORD}`));
const [ADDING = '', WHOLE = '', FORGETTING = '', READING = '', READING_FORGETTING = ''] = commands;

/** Calls `use` with a client that has some rights. */
async function withRights<T>(rules: readonly string[], use: (client: RedisClient) => Promise<T>): Promise<T> {
  await server.send('acl', 'setuser', 'user', 'reset', ...rules);
  const { client, close } = await connect('redis', [server.port], { username: 'user' });
  return use(client).finally(close);
}

async function add(client: RedisClient): Promise<void> {
  const seen = await open(client);
  expect(await seen.dedupe(['a', 'b', 'a'])).toEqual(['a', 'b']);
  await seen.addMany(['c']);
  expect((await seen.toLocal()).hasMany(['a', 'd'])).toEqual(Uint8Array.of(1, 0));
  await seen.clear();
  expect(await seen.has('a')).toBe(false);
  await seen.delete();
}

async function useWhole(client: RedisClient): Promise<void> {
  const seen = await open(client);
  await seen.merge(BlockedBloomFilter.from(['a'], CAPACITY));
  expect(await seen.fillRatio()).toBeGreaterThan(0);
  await RedisBloomFilter.fromLocal(client, 'seen', BlockedBloomFilter.from(['e'], CAPACITY), { replace: true });
  expect(await seen.hasMany(['a', 'e'])).toEqual(Uint8Array.of(0, 1));
}

async function forget(client: RedisClient): Promise<void> {
  const seen = await openRotating(client);
  expect(await seen.dedupe(['a', 'a', 'b'])).toEqual(['a', 'b']);
  expect(await seen.hasMany(['a', 'c'])).toEqual(Uint8Array.of(1, 0));
  await seen.delete();
}

async function read(client: RedisClient): Promise<void> {
  const seen = await open(client, READ);
  expect(await seen.hasMany(['a', 'b'])).toEqual(Uint8Array.of(1, 0));
  expect(await seen.fillRatio()).toBe((await seen.toLocal()).fillRatio());
  await expect(seen.add('b')).rejects.toMatchObject({ code: 'NOPERM' });
}

async function readForgetting(client: RedisClient): Promise<void> {
  const seen = await openRotating(client, READ);
  expect(await seen.hasMany(['a', 'b'])).toEqual(Uint8Array.of(1, 0));
  await expect(seen.add('b')).rejects.toMatchObject({ code: 'NOPERM' });
}

/** Starts without scripts, and with nothing but a filter that holds `a`, if it is one for readers. */
async function reset(use: (client: RedisClient) => Promise<void>): Promise<void> {
  await server.send('flushall');
  await server.send('script', 'flush');
  if (use === read) await (await open(writer)).add('a');
  if (use === readForgetting) await (await openRotating(writer)).add('a');
}

/** What is done, the rights that it needs, and those of them that only it needs. */
const cases = [
  ['adding', add, [ADDING], ADDING],
  ['merging and counting', useWhole, [ADDING, WHOLE], WHOLE],
  ['forgetting', forget, [ADDING, FORGETTING], FORGETTING],
  ['looking up', read, [READING], READING],
  ['looking up in one that forgets', readForgetting, [READING, READING_FORGETTING], READING_FORGETTING],
] as const;

describe('the rights in the documents', () => {
  it('are five lines', () => expect(commands).toHaveLength(5));

  it.each(cases)('are enough, and none is too many, for %s', async (_, use, lines, line) => {
    await reset(use);
    await withRights(rulesOf(lines), use);
    for (const rule of rulesOf([line]).filter((each) => each.startsWith('+'))) {
      await reset(use);
      const others = rulesOf(lines).filter((each) => each !== rule);
      await expect(withRights(others, use), rule).rejects.toMatchObject({ code: 'NOPERM' });
    }
  });

  it('reach only the keys of the filter', async () => {
    await reset(read);
    for (const [line, name, options] of [
      [ADDING, 'seen2', CAPACITY],
      [READING, 'seen', {}],
    ] as const) {
      const opening = withRights(rulesOf([line]), (client) => RedisBloomFilter.open(client, name, options));
      await expect(opening).rejects.toMatchObject({ code: 'NOPERM' });
    }
  });

  it('are enough to look keys up in a generation whose pieces nobody has made', async () => {
    await reset(readForgetting);
    await shiftWindows(server, 'seen', -1);
    await withRights(rulesOf([READING, READING_FORGETTING]), async (client) => {
      const seen = await openRotating(client, READ);
      expect(await seen.hasMany(['a', 'b'])).toEqual(Uint8Array.of(1, 0));
      await (await openRotating(writer)).add('b');
      expect(await seen.hasMany(['a', 'b'])).toEqual(Uint8Array.of(1, 1));
      await server.send('flushall');
      const added = await openRotating(writer);
      const first = await openRotating(client, READ);
      expect(await first.has('b')).toBe(false);
      await added.add('b');
      expect(await first.has('b')).toBe(true);
      // One list is left, which knows that the generation was made. From time to time, the reader asks for it.
      const [left] = (await listsOf('seen')).toReversed();
      await server.send('del', ...(await keysOf('seen:{*')).filter((key) => key !== left));
      const codeOf = (): Promise<string> => first.has('b').then(String, ({ code }) => code);
      await until('it is noticed', async () => (await codeOf()) === 'LOST');
    });
  });
});
