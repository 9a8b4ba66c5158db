import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BlockedBloomFilter } from '../../src/index.ts';
import { RedisBloomFilter, type RedisClient, RotatingRedisBloomFilter } from '../../src/redis.ts';
import { connect, PASSWORD } from './clients.ts';
import { intercepted, isPublishing } from './intercept.ts';
import { keysOf, listsOf, server, client as writer } from './one-server.ts';
import { shiftWindows, until } from './servers.ts';

const CAPACITY = { capacity: 1000 };
const ROTATING = { ...CAPACITY, window: 3_600_000 };

/** The rights that the documents give to users, who reach the filter "seen". */
const commands = readFileSync('docs/redis.md', 'utf8').match(/^ACL SETUSER .*$/gm) ?? [];
const rulesOf = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => line.split(' ').slice(3)).map((rule) => rule.replace('>secret', `>${PASSWORD}`));
const [ADDING = '', WHOLE = '', FORGETTING = '', READING = '', READING_FORGETTING = ''] = commands;

/** Calls `use` with a client that has some rights, on a server without data and scripts. */
async function withRights<T>(rules: readonly string[], use: (client: RedisClient) => Promise<T>): Promise<T> {
  await server.send('acl', 'setuser', 'user', 'reset', ...rules);
  const { client, close } = await connect('redis', [server.port], { username: 'user' });
  try {
    return await use(client);
  } finally {
    close();
  }
}

async function add(client: RedisClient): Promise<void> {
  const seen = await RedisBloomFilter.open(client, 'seen', CAPACITY);
  expect(await seen.dedupe(['a', 'b', 'a'])).toEqual(['a', 'b']);
  await seen.addMany(['c']);
  expect((await seen.toLocal()).hasMany(['a', 'd'])).toEqual(Uint8Array.of(1, 0));
  await seen.clear();
  await RedisBloomFilter.fromLocal(client, 'seen', BlockedBloomFilter.from(['e'], CAPACITY), { replace: true });
  expect(await seen.hasMany(['a', 'e'])).toEqual(Uint8Array.of(0, 1));
  await seen.delete();
}

async function useWhole(client: RedisClient): Promise<void> {
  const seen = await RedisBloomFilter.open(client, 'seen', CAPACITY);
  await seen.merge(BlockedBloomFilter.from(['a'], CAPACITY));
  expect(await seen.fillRatio()).toBe((await seen.toLocal()).fillRatio());
}

async function forget(client: RedisClient): Promise<void> {
  const seen = await RotatingRedisBloomFilter.open(client, 'seen', ROTATING);
  expect(await seen.dedupe(['a', 'a', 'b'])).toEqual(['a', 'b']);
  expect(await seen.hasMany(['a', 'c'])).toEqual(Uint8Array.of(1, 0));
  await seen.delete();
}

async function read(client: RedisClient): Promise<void> {
  const seen = await RedisBloomFilter.open(client, 'seen', { readFrom: 'replica' });
  expect(await seen.hasMany(['a', 'b'])).toEqual(Uint8Array.of(1, 0));
  expect(await seen.fillRatio()).toBe((await seen.toLocal()).fillRatio());
  await expect(seen.add('b')).rejects.toMatchObject({ code: 'NOPERM' });
}

async function readForgetting(client: RedisClient): Promise<void> {
  const seen = await RotatingRedisBloomFilter.open(client, 'seen', { readFrom: 'replica' });
  expect(await seen.hasMany(['a', 'b'])).toEqual(Uint8Array.of(1, 0));
  await expect(seen.add('b')).rejects.toMatchObject({ code: 'NOPERM' });
}

/** Starts with nothing but a filter that holds `a`, if it is one for readers. */
async function reset(use: (client: RedisClient) => Promise<void>): Promise<void> {
  await server.send('flushall');
  await server.send('script', 'flush');
  if (use === read) await (await RedisBloomFilter.open(writer, 'seen', CAPACITY)).add('a');
  if (use === readForgetting) await (await RotatingRedisBloomFilter.open(writer, 'seen', ROTATING)).add('a');
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

  it.each(cases)('are enough for %s', async (_, use, lines) => {
    await reset(use);
    await withRights(rulesOf(lines), use);
  });

  const needed = cases.flatMap(([name, use, lines, line]) =>
    rulesOf([line])
      .filter((rule) => rule.startsWith('+'))
      .map((rule) => [rule, name, use, lines] as const),
  );
  it.each(needed)('include %s only because it is needed, for %s', async (rule, _, use, lines) => {
    await reset(use);
    const rules = rulesOf(lines).filter((each) => each !== rule);
    await expect(withRights(rules, use)).rejects.toMatchObject({ code: 'NOPERM' });
  });

  it('reach only the keys of the filter', async () => {
    await reset(read);
    const open = (client: RedisClient) => RedisBloomFilter.open(client, 'seen2', CAPACITY);
    await expect(withRights(rulesOf([ADDING]), open)).rejects.toMatchObject({ code: 'NOPERM' });
    const asReader = (client: RedisClient) => RedisBloomFilter.open(client, 'seen');
    await expect(withRights(rulesOf([READING]), asReader)).rejects.toMatchObject({ code: 'NOPERM' });
  });

  it('are enough to look up while another client replaces the filter', async () => {
    await reset(read);
    // A client that dies before it deletes the old pieces.
    let isDead = false;
    const dying = intercepted(writer, (send, sending) => {
      if (isDead) return Promise.reject(new Error('closed'));
      isDead = isPublishing(sending, 'seen');
      return send();
    });
    const local = BlockedBloomFilter.from(['a'], CAPACITY);
    const replacing = RedisBloomFilter.fromLocal({ ...dying, isClosed: () => isDead }, 'seen', local, {
      replace: true,
    });
    await expect(replacing).rejects.toMatchObject({ code: 'CONNECTION' });
    await withRights(rulesOf([READING]), read);
    expect(await server.send('hlen', 'seen:{seen}:making')).toBe(1);
  });

  it('are enough to look keys up in a window whose pieces nobody has made', async () => {
    await reset(readForgetting);
    const open = () => RotatingRedisBloomFilter.open(writer, 'seen', ROTATING);
    await shiftWindows(server, 'seen', -1);
    await withRights(rulesOf([READING, READING_FORGETTING]), async (client) => {
      const openToRead = () => RotatingRedisBloomFilter.open(client, 'seen', { readFrom: 'replica' });
      const seen = await openToRead();
      expect(await seen.hasMany(['a', 'b'])).toEqual(Uint8Array.of(1, 0));
      await (await open()).add('b');
      expect(await seen.hasMany(['a', 'b'])).toEqual(Uint8Array.of(1, 1));
      await server.send('flushall');
      const added = await open();
      const first = await openToRead();
      expect(await first.has('b')).toBe(false);
      await added.add('b');
      expect(await first.has('b')).toBe(true);
      // One list is left, which knows that the window was made. From time to time, the reader asks for it.
      const all = await keysOf('seen:{*');
      const [left] = (await listsOf('seen')).toReversed();
      await server.send('del', ...all.filter((key) => key !== left));
      await until('it is noticed', () =>
        first.has('b').then(
          () => false,
          (error: { code: string }) => error.code === 'LOST',
        ),
      );
    });
  });
});
