// A key that was added is never absent without an error, and never new again, whatever happens to one of the small keys
// that a filter consists of, or to several. Each cell of the table is a part, what happens to it, and a call after that.
//
// The table is walked by pairs: all that can happen on one server with one client; that keys were deleted in a cluster
// with all clients, because what a server says of a missing key depends neither on the client nor on how it was lost.

import { describe, expect, it } from 'vitest';
import { BlockedBloomFilter } from '../../src/index.ts';
import {
  RedisBloomFilter,
  type RedisClient,
  RedisFilterError,
  RotatingRedisBloomFilter,
  slotOf,
} from '../../src/redis.ts';
import { connect, libraries } from './clients.ts';
import { cluster } from './one-cluster.ts';
import { client, server } from './one-server.ts';
import { type Server, until } from './servers.ts';

type Filter = RedisBloomFilter | RotatingRedisBloomFilter;

/** Four pieces, in four slots, and two more slots with lists. */
const SIZE = { capacity: 10_000 };
const ROTATING = { capacity: 5000, window: 3_600_000 };
const keys = Array.from({ length: 300 }, (_, i) => `key ${i}`);
const later = keys.map((key) => `later ${key}`);
const local = BlockedBloomFilter.from(keys, SIZE);

/** Chooses keys in Redis, given all keys of a filter. */
type Part = (all: readonly string[], name: string) => string[];

const isPiece = (key: string): boolean => /:\d+$/.test(key) && !key.includes(':once:');
const tagOf = (key: string): string => key.slice(0, key.indexOf('}'));
const lists: Part = (all) => all.filter((key) => key.endsWith(':filters'));
const pieces: Part = (all) => all.filter(isPiece);
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

const parts: Record<string, Part> = {
  'the parameters': parameters,
  'a piece': first(pieces),
  'a list': first(near),
  'the lists beside the pieces': near,
  'the other lists': far,
  'all lists': lists,
  'the parameters and a list': both(parameters, first(near)),
  [REST]: both(parameters, near, pieces),
  'a remembered answer': (all) => all.filter((key) => key.includes(':once:')),
  'the notes': (_, name) => [`${name}:{${name}}:making`],
  // The next client that opens it makes an empty filter: there is nothing that it could find.
  [UNNOTICED]: both(parameters, lists),
};
const isOne = (part: string): boolean => / (parameters|piece|list|answer|notes)$/.test(part) && !part.includes(' and ');

const backupOf = (key: string): string => `backup:${key}`;

/** What happens to a key. The backups are from before the filter was cleared, or before an earlier one was deleted. */
const harms: Record<string, (server: Server, key: string) => Promise<void>> = {
  async deleted(server, key) {
    await server.send('del', key);
  },
  async expired(server, key) {
    await server.send('pexpire', key, 1);
    await until('it has expired', async () => (await server.send('exists', key)) === 0);
  },
  async evicted(server, key) {
    await server.send('pexpire', key, 60_000);
    await server.send('config', 'set', 'maxmemory-policy', 'volatile-ttl', 'maxmemory', 1);
    await until('it was evicted', async () => (await server.send('exists', key)) === 0);
    await server.send('config', 'set', 'maxmemory-policy', 'noeviction', 'maxmemory', 0);
  },
  async restored(server, key) {
    await server.send('copy', backupOf(key), key, 'replace');
  },
  async 'a text'(server, key) {
    await server.send('set', key, 'hello');
  },
  async 'of another type'(server, key) {
    await server.send('del', key);
    await server.send('sadd', key, 'hello');
  },
};

/** Calls of an object, and whether their answers hold: those that look up come first, because others may add. */
const calls: Record<string, (filter: Filter) => Promise<boolean>> = {
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
};
const wholeCalls: Record<string, (filter: RedisBloomFilter) => Promise<boolean>> = {
  toLocal: async (filter) => (await filter.toLocal()).omit(keys).length === 0,
  fillRatio: async (filter) => (await filter.fillRatio()) >= local.fillRatio(),
  estimateCount: async (filter) => (await filter.estimateCount()) >= keys.length - 15,
  merge: async (filter) => (await (await filter.merge(local)).pick(keys)).length === keys.length,
};

/** Servers of one kind, and a client of them. */
class Place {
  readonly servers: readonly Server[];
  readonly client: RedisClient;

  constructor(servers: readonly Server[], client: RedisClient) {
    this.servers = servers;
    this.client = client;
  }

  serverOf(key: string): Server {
    return this.servers[Math.floor((slotOf(key) * this.servers.length) / 16384)] as Server;
  }

  async keysOf(name: string): Promise<string[]> {
    const found = await Promise.all(this.servers.map((server) => server.send('keys', `${name}*`)));
    return (found.flat() as string[]).toSorted();
  }
}

let names = 0;
let cells = 0;

/** One of the two classes: how its filters are opened, and how they come to be empty. */
interface Kind {
  readonly open: (client: RedisClient, name: string, isSized: boolean) => Promise<Filter>;
  readonly renew: (filter: Filter) => Promise<unknown>;
  readonly calls: Record<string, (filter: Filter) => Promise<boolean>>;
  readonly ends: Record<string, (client: RedisClient, name: string, old: Filter) => Promise<unknown>>;
}

const kinds: Record<string, Kind> = {
  RedisBloomFilter: {
    open: (client, name, isSized) => RedisBloomFilter.open(client, name, isSized ? SIZE : {}),
    renew: (filter) => (filter as RedisBloomFilter).clear(),
    calls: { ...calls, ...(wholeCalls as typeof calls) },
    ends: {
      clear: (_client, _name, old) => (old as RedisBloomFilter).clear(),
      'clear of another object': async (client, name) => (await RedisBloomFilter.open(client, name)).clear(),
      fromLocal: (client, name) =>
        RedisBloomFilter.fromLocal(client, name, new BlockedBloomFilter(SIZE), { replace: true }),
      delete: (_client, _name, old) => old.delete(),
      'delete by name': (client, name) => RedisBloomFilter.delete(client, name),
    },
  },
  RotatingRedisBloomFilter: {
    open: (client, name, isSized) => RotatingRedisBloomFilter.open(client, name, isSized ? ROTATING : {}),
    renew: (filter) => filter.delete(),
    calls,
    ends: {
      delete: (_client, _name, old) => old.delete(),
      'delete by name': (client, name) => RotatingRedisBloomFilter.delete(client, name),
    },
  },
};

/** Tries all calls after some harm to a part. Returns the cells that break the law. */
async function broken(place: Place, kind: Kind, [part, harm, ends]: Row): Promise<string[]> {
  const found: string[] = [];
  const { client } = place;
  const cell = async <T>(
    what: string,
    call: () => Promise<T>,
    holds: (answer: T) => boolean,
  ): Promise<T | undefined> => {
    cells++;
    try {
      const answer = await call();
      if (!holds(answer)) found.push(`${part}, ${harm}: ${what}`);
      return answer;
    } catch (error) {
      if (!(error instanceof RedisFilterError)) throw error;
      if (error.code === 'REDIS' || error.code === 'TIMEOUT') found.push(`${part}, ${harm}: ${what}: ${error.message}`);
      return undefined;
    }
  };
  const make = async (): Promise<[string, Filter]> => {
    const name = `law:${names++}:`;
    let old = await kind.open(client, name, true);
    await old.addMany(keys.slice(100));
    const before = harm === 'restored' ? await place.keysOf(name) : [];
    for (const key of before) await place.serverOf(key).send('copy', key, backupOf(key));
    await kind.renew(old);
    if (old instanceof RotatingRedisBloomFilter) old = await kind.open(client, name, true);
    await old.addMany(keys);
    await old.add('key 0');
    const all = harm === 'restored' ? before : await place.keysOf(name);
    for (const key of parts[part]?.(all, name) ?? []) await harms[harm]?.(place.serverOf(key), key);
    return [name, old];
  };
  const tryAll = async (who: string, filter: Filter): Promise<void> => {
    for (const [what, call] of Object.entries(kind.calls)) await cell(`${what} of ${who}`, () => call(filter), Boolean);
  };
  const [name, old] = await make();
  await tryAll('the object', old);
  const knows = async (filter: Filter): Promise<boolean> => (await filter.omit(later)).length === 0;
  for (const isSized of [false, true]) {
    const opened = await cell(`open ${isSized}`, () => kind.open(client, name, isSized), Boolean);
    if (opened && part !== UNNOTICED) await tryAll('another object', opened);
    // There is one filter, not two.
    const isAdded = opened && (await cell('addMany of more', () => opened.addMany(later), Boolean));
    if (isAdded) await cell('has of the object, of more', () => knows(old), Boolean);
  }
  await tryAll('the object, later', old);
  for (const [what, end] of Object.entries(ends ? kind.ends : {})) {
    const [name, old] = await make();
    let isDone = false;
    await cell(
      what,
      async () => {
        await end(client, name, old);
        isDone = true;
      },
      () => true,
    );
    if (!isDone || part === UNNOTICED) continue;
    // Nobody knows of a piece of an earlier one from a backup.
    if (what.startsWith('delete') && harm !== 'restored') {
      const left = (await place.keysOf(name)).filter((key) => !key.includes(':once:') && !key.endsWith(':making'));
      await cell(
        `${what}, then what is left`,
        async () => left,
        ({ length }) => length === 0,
      );
    }
    const next = await cell(`${what}, then open`, () => kind.open(client, name, true), Boolean);
    await cell(
      `${what}, then add`,
      async () => next?.addMany(later),
      () => true,
    );
    if (next) await cell(`${what}, then has`, () => knows(next), Boolean);
    if (next) await cell(`${what}, then has of the object`, () => knows(old), Boolean);
  }
  return found;
}

/** A part, what happens to it, and whether to try how a filter ends after that. */
type Row = readonly [part: string, harm: string, ends: boolean];

/** Each part with each harm; what a server says of a missing key does not depend on how it came to be missing. */
const rows: Row[] = Object.keys(parts).flatMap((part) => [
  [part, 'deleted', true] as const,
  // Restored with its pieces, the filter is what it was, like all of Redis from a backup.
  ...(part === REST ? [] : [[part, 'restored', true] as const]),
  [part, 'of another type', true] as const,
  ...(isOne(part) ? ['expired', 'evicted', 'a text'] : []).map((harm): Row => [part, harm, false]),
]);

async function walk(place: Place, rows: readonly Row[]): Promise<void> {
  const found: string[] = [];
  for (const [kindName, kind] of Object.entries(kinds)) {
    for (const row of rows) {
      // All keys of a filter that forgets expire, so all would be evicted.
      if (row[1] === 'evicted' && kindName !== 'RedisBloomFilter') continue;
      found.push(...(await broken(place, kind, row)).map((each) => `${kindName}: ${each}`));
    }
  }
  expect(found).toEqual([]);
}

describe('what was added is never absent without an error', () => {
  it('after anything, with redis', async () => {
    await walk(new Place([server], client), rows);
  }, 300_000);

  it.each(libraries)(
    'after keys were deleted, in a cluster, with %s',
    async (library) => {
      const connection = await connect(library, cluster.ports, { cluster: true });
      const isAll = library === 'redis';
      const some = Object.keys(parts).filter((part) => isAll || isOne(part) || part === UNNOTICED);
      const deleted = some.map((part): Row => [part, 'deleted', isAll]);
      await walk(new Place(cluster.masters, connection.client), deleted);
      connection.close();
    },
    120_000,
  );

  it('in thousands of cells', () => expect(cells).toBeGreaterThan(6500));
});
