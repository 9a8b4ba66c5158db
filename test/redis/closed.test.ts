// Clients that are closed in the same turn as calls of a filter.

import { expect, it } from 'vitest';
import { RedisBloomFilter, type RedisClient } from '../../src/entries/redis.ts';
import { connect, libraries } from './clients.ts';
import { cluster } from './one-cluster.ts';
import { newName, server } from './one-server.ts';

const KEYS = Array.from({ length: 100 }, (_, i) => `key ${i}`);

type Closable = RedisClient &
  Record<'get' | 'customCommand', (command: unknown) => Promise<unknown>> &
  Record<'close' | 'quit', () => unknown>;

/** Those that answer commands of the same turn before they close. */
const answering = ['redis', 'ioredis', 'iovalkey', 'ioredis cluster', 'iovalkey cluster'];

it.each(libraries.flatMap((library) => [[library, ''] as const, [library, ' cluster'] as const]))(
  'what was asked before is answered as are commands of the client itself: %s%s',
  async (library, kind) => {
    const ports = kind ? cluster.ports : [server.port];
    const { client: connected } = await connect(library, ports, { cluster: kind !== '' });
    const client = connected as Closable;
    const filter = await RedisBloomFilter.open(client, newName(), { capacity: 1000 });
    // All servers know the scripts.
    for (let i = 0; i < 2; i++) await Promise.all([filter.dedupe(KEYS), filter.addMany(KEYS), filter.hasMany(KEYS)]);
    expect(await filter.add('a')).toBe(true);
    const own = library === '@valkey/valkey-glide' ? client.customCommand(['get', 'x']) : client.get('x');
    const batches = [filter.hasMany(KEYS), filter.dedupe(['b']), filter.addMany(['c'])];
    const calls = [own, filter.has('a'), filter.add('d'), ...batches];
    const next = filter.has('b');
    const isClosed = library.startsWith('io') ? client.quit() : client.close();
    const ends = (await Promise.allSettled([...calls, next])).map(({ status }) => status);
    const end = answering.includes(`${library}${kind}`) ? 'fulfilled' : 'rejected';
    // Single calls after the first would have gone together in a moment.
    expect(ends).toEqual([...calls.map(() => end), 'rejected']);
    await expect(next).rejects.toMatchObject({ code: 'CONNECTION' });
    await isClosed;
  },
);
