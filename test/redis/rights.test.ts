import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisBloomFilter, type RedisClient, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { connect, PASSWORD } from './clients.ts';
import { Server } from './servers.ts';

const CAPACITY = { capacity: 1000 };
const ROTATING = { ...CAPACITY, window: 3_600_000 };

/** The rights that the documents give to users, who reach the filter "seen". */
const commands = readFileSync('docs/redis.md', 'utf8').match(/^ACL SETUSER .*$/gm) ?? [];
const rulesOf = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => line.split(' ').slice(3)).map((rule) => rule.replace('>secret', `>${PASSWORD}`));
const [ADDING = '', WHOLE = '', FORGETTING = '', READING = ''] = commands;

let server: Server;

beforeAll(async () => {
  server = await Server.start();
}, 60_000);

afterAll(() => server.stop());

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

/** Starts with nothing but a filter that holds `a`, if it is one for readers. */
async function reset(isRead: boolean): Promise<void> {
  await server.send('flushall');
  await server.send('script', 'flush');
  if (!isRead) return;
  const { client, close } = await connect('redis', [server.port]);
  await (await RedisBloomFilter.open(client, 'seen', CAPACITY)).add('a');
  close();
}

/** What is done, the rights that it needs, and those of them that only it needs. */
const cases = [
  ['adding', add, [ADDING], ADDING],
  ['merging and counting', useWhole, [ADDING, WHOLE], WHOLE],
  ['forgetting', forget, [ADDING, FORGETTING], FORGETTING],
  ['looking up', read, [READING], READING],
] as const;

describe('the rights in the documents', () => {
  it('are four lines', () => expect(commands).toHaveLength(4));

  it.each(cases)('are enough for %s', async (_, use, lines) => {
    await reset(use === read);
    await withRights(rulesOf(lines), use);
  });

  const needed = cases.flatMap(([name, use, lines, line]) =>
    rulesOf([line])
      .filter((rule) => rule.startsWith('+'))
      .map((rule) => [rule, name, use, lines] as const),
  );
  it.each(needed)('include %s only because it is needed, for %s', async (rule, _, use, lines) => {
    await reset(use === read);
    const rules = rulesOf(lines).filter((each) => each !== rule);
    await expect(withRights(rules, use)).rejects.toMatchObject({ code: 'NOPERM' });
  });

  it('reach only the keys of the filter', async () => {
    await reset(true);
    const open = (client: RedisClient) => RedisBloomFilter.open(client, 'seen2', CAPACITY);
    await expect(withRights(rulesOf([ADDING]), open)).rejects.toMatchObject({ code: 'NOPERM' });
    const asReader = (client: RedisClient) => RedisBloomFilter.open(client, 'seen');
    await expect(withRights(rulesOf([READING]), asReader)).rejects.toMatchObject({ code: 'NOPERM' });
  });
});
