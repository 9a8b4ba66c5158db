// A key that was added is never absent without an error, and never new again, whatever happens to one of the small keys
// that a filter consists of, or to several. Each cell of the table is a part, what happens to it, and a call after that.
//
// The axes are walked by pairs. On one server, each part meets each harm, each call and each end; in a cluster, each part
// is deleted. What a server says of a missing key does not depend on the client, so there is one.

import { expect, it } from 'vitest';
import {
  RedisBloomFilter,
  type RedisClient,
  RedisFilterError,
  RotatingRedisBloomFilter,
  slotOf,
} from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { connect } from './clients.ts';
import { cluster } from './one-cluster.ts';
import { client, server } from './one-server.ts';
import { forTest, keys, SIZE } from './samples.ts';
import type { Server } from './servers.ts';

const ROTATING = { capacity: 5000, window: 3_600_000 };
const later = keys.map((key) => `later ${key}`);
const local = BlockedBloomFilter.from(keys, SIZE);

/** Chooses keys in Redis, given all keys of a filter. */
type Part = (all: readonly string[], name: string) => string[];

const tagOf = (key: string): string => key.slice(0, key.indexOf('}'));
const lists: Part = (all) => all.filter((key) => key.endsWith(':filters'));
const pieces: Part = (all) => all.filter((key) => /:\d+$/.test(key) && !key.includes(':once:'));
const parameters: Part = (_, name) => [name];
const near: Part = (all, name) => {
  const tags = new Set(pieces(all, name).map(tagOf));
  return lists(all, name).filter((key) => tags.has(tagOf(key)));
};
const far: Part = (all, name) => lists(all, name).filter((key) => !near(all, name).includes(key));
const first =
  (part: Part): Part =>
  (...args) =>
    part(...args).slice(0, 1);
const both =
  (...parts: Part[]): Part =>
  (...args) =>
    parts.flatMap((part) => part(...args));

const UNNOTICED = 'the parameters and all lists';
const REST = 'all that is not in the other lists';

/** Parts that are one key. */
const single: Record<string, Part> = {
  'the parameters': parameters,
  'a piece': first(pieces),
  'a list': first(near),
  'a remembered answer': (all) => all.filter((key) => key.includes(':once:')),
  'the notes': (_, name) => [`${name}:{${name}}:making`],
};
const parts: Record<string, Part> = {
  ...single,
  'the lists beside the pieces': near,
  'the other lists': far,
  'all lists': lists,
  'the parameters and a list': both(parameters, first(near)),
  'the parameters and a piece': both(parameters, first(pieces)),
  [REST]: both(parameters, near, pieces),
  // The next client that opens it makes an empty filter: there is nothing that it could find.
  [UNNOTICED]: both(parameters, lists),
};

/** In the same slot. */
const backupOf = (key: string): string => (key.includes('{') ? `backup:${key}` : `backup:{${key}}`);

/**
 * What happens to a key; one that expires or is evicted is deleted. The backups are from before the filter was cleared,
 * or before an earlier one was deleted.
 */
const harms: Record<string, (server: Server, key: string) => Promise<unknown>> = {
  deleted: (server, key) => server.send('del', key),
  restored: (server, key) => server.send('copy', backupOf(key), key, 'replace'),
  'a text': (server, key) => server.send('set', key, 'hello'),
  async 'of another type'(server, key) {
    await server.send('del', key);
    await server.send('sadd', key, 'hello');
  },
};

/** Calls of an object, and whether their answers hold: those that look up come first, because others may add. */
const calls: Record<string, (filter: RedisBloomFilter) => Promise<boolean>> = {
  has: (filter) => filter.has('key 1'),
  hasMany: async (filter) => (await filter.hasMany(keys)).every(Boolean),
  pick: async (filter) => (await filter.pick(keys)).length === keys.length,
  omit: async (filter) => (await filter.omit(keys)).length === 0,
  add: async (filter) => !(await filter.add('key 2')),
  'addMany with flags': async (filter) => {
    const flags = new Uint8Array(keys.length);
    await filter.addMany(keys, flags);
    return !flags.some(Boolean);
  },
  dedupe: async (filter) => (await filter.dedupe(keys)).length === 0,
  addMany: async (filter) => (await filter.addMany(keys)).pieces > 0,
  toLocal: async (filter) => (await filter.toLocal()).omit(keys).length === 0,
  fillRatio: async (filter) => (await filter.fillRatio()) >= local.fillRatio(),
  estimateCount: async (filter) => (await filter.estimateCount()) >= keys.length - 15,
  merge: async (filter) => (await (await filter.merge(local)).pick(keys)).length === keys.length,
};

/** How filters come to be empty. */
const ends: Record<string, (client: RedisClient, name: string, old: RedisBloomFilter) => Promise<unknown>> = {
  delete: (_client, _name, old) => old.delete(),
  'delete by name': (client, name) => RedisBloomFilter.delete(client, name),
  clear: (_client, _name, old) => old.clear(),
  'clear of another object': async (client, name) => (await RedisBloomFilter.open(client, name)).clear(),
  fromLocal: (client, name) =>
    RedisBloomFilter.fromLocal(client, name, new BlockedBloomFilter(SIZE), { replace: true }),
};

/** One of the two classes. The one that forgets has the first of the calls and of the ends. */
interface Kind {
  readonly open: (client: RedisClient, name: string, isSized: boolean) => Promise<RedisBloomFilter>;
  readonly renew: (filter: RedisBloomFilter) => Promise<unknown>;
  readonly calls: readonly string[];
  readonly ends: readonly string[];
}

const kinds: Record<string, Kind> = {
  RedisBloomFilter: {
    open: (client, name, isSized) => RedisBloomFilter.open(client, name, isSized ? SIZE : {}),
    renew: (filter) => filter.clear(),
    calls: Object.keys(calls),
    ends: Object.keys(ends),
  },
  RotatingRedisBloomFilter: {
    open: async (client, name, isSized) =>
      (await RotatingRedisBloomFilter.open(client, name, isSized ? ROTATING : {})) as object as RedisBloomFilter,
    renew: (filter) => filter.delete(),
    calls: Object.keys(calls).slice(0, 8),
    ends: ['delete', 'delete by name'],
  },
};

/** A part, what happens to it, and which ends of the filter to try after that: all, or one, by its number. */
type Row = readonly [part: string, harm: string, ends?: 'all' | number];

let names = 0;
let cells = 0;

/** Tries all calls after some harm to a part. Returns the cells that break the law. */
async function broken(
  servers: readonly Server[],
  client: RedisClient,
  kind: Kind,
  [part, harm, isTried]: Row,
): Promise<string[]> {
  const found: string[] = [];
  const serverOf = (key: string): Server => servers[Math.floor((slotOf(key) * servers.length) / 16384)] as Server;
  const keysOf = async (name: string): Promise<string[]> =>
    ((await Promise.all(servers.map((server) => server.send('keys', `${name}*`)))).flat() as string[]).toSorted();
  const cell = async <T>(what: string, call: () => Promise<T>, holds: (answer: T) => boolean = () => true) => {
    cells++;
    try {
      const answer = await call();
      if (!holds(answer)) found.push(what);
      return answer;
    } catch (error) {
      if (!(error instanceof RedisFilterError)) throw error;
      if (error.code === 'REDIS' || error.code === 'TIMEOUT') found.push(`${what}: ${error.message}`);
      return undefined;
    }
  };
  const make = async (): Promise<[string, RedisBloomFilter]> => {
    const name = `law:${names++}:`;
    let old = await kind.open(client, name, true);
    await old.addMany(keys.slice(100));
    const before = harm === 'restored' ? await keysOf(name) : [];
    for (const key of before) await serverOf(key).send('copy', key, backupOf(key));
    await kind.renew(old);
    if (kind === kinds['RotatingRedisBloomFilter']) old = await kind.open(client, name, true);
    await old.addMany(keys);
    await old.add('key 0');
    const all = harm === 'restored' ? before : await keysOf(name);
    for (const key of parts[part]?.(all, name) ?? []) await harms[harm]?.(serverOf(key), key);
    return [name, old];
  };
  const tryAll = async (who: string, filter: RedisBloomFilter, names = kind.calls): Promise<void> => {
    for (const name of names) await cell(`${name} of ${who}`, async () => calls[name]?.(filter), Boolean);
  };
  const knows = async (filter: RedisBloomFilter): Promise<boolean> => (await filter.omit(later)).length === 0;
  const [name, old] = await make();
  await tryAll('the object', old);
  for (const isSized of [false, true]) {
    const opened = await cell<RedisBloomFilter>(`open ${isSized}`, () => kind.open(client, name, isSized));
    if (opened && !isSized && part !== UNNOTICED) await tryAll('another object', opened);
    // There is one filter, not two.
    const isAdded = opened && (await cell('addMany of more', async () => Boolean(await opened.addMany(later))));
    if (isAdded) await cell('has of the object, of more', () => knows(old), Boolean);
  }
  const few = kind.calls.filter((name) => ['omit', 'dedupe', 'toLocal'].includes(name));
  await tryAll('the object, later', old, few);
  for (const what of kind.ends.filter((_, i) => isTried === 'all' || i === (isTried ?? -1) % kind.ends.length)) {
    const [name, old] = await make();
    const isDone = await cell(what, async () => {
      await ends[what]?.(client, name, old);
      return true;
    });
    if (!isDone || part === UNNOTICED) continue;
    // Nobody knows of a piece of an earlier one from a backup.
    if (what.startsWith('delete') && harm !== 'restored') {
      const left = (await keysOf(name)).filter((key) => !key.includes(':once:') && !key.endsWith(':making'));
      if (left.length > 0) found.push(`${what} leaves ${left}`);
    }
    const next = await cell<RedisBloomFilter>(`${what}, then open`, () => kind.open(client, name, true));
    if (!next) continue;
    await cell(`${what}, then add`, async () => Boolean(await next.addMany(later)));
    await cell(`${what}, then has`, () => knows(next), Boolean);
    await cell(`${what}, then has of the object`, () => knows(old), Boolean);
  }
  return found;
}

async function walk(servers: readonly Server[], client: RedisClient, rows: readonly Row[]): Promise<void> {
  for (const [name, kind] of Object.entries(kinds)) {
    for (const row of rows) expect([name, row, await broken(servers, client, kind, row)]).toEqual([name, row, []]);
  }
}

it('what was added is never absent without an error: after anything, on a server', async () => {
  const rows = Object.keys(parts).flatMap((part, i): Row[] => [
    [part, 'deleted', 'all'],
    // Restored with its pieces, the filter is what it was, like all of Redis from a backup.
    ...(part === REST ? [] : [[part, 'restored', i] as const]),
    [part, 'of another type', i + 1],
    ...(part in single ? [[part, 'a text'] as const] : []),
  ]);
  await walk([server], client, rows);
  expect(cells).toBeGreaterThan(1500);
}, 300_000);

it('what was added is never absent without an error: in a cluster', async () => {
  const { client } = await forTest(connect('redis', cluster.ports, { cluster: true }));
  const rows = Object.keys(parts).map((part, i): Row => [part, 'deleted', i]);
  await walk(cluster.masters, client, rows);
}, 120_000);
