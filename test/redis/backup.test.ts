// A filter that is backed up by DUMP, and restored to another server or cluster, as examples/redis-backup does. And one that
// is moved to another server and back, as examples/redis-move does. That example's own program kills it.

import { afterAll, describe, expect, it, vi } from 'vitest';
import { restore, save } from '../../examples/redis-backup/redis-backup.ts';
import { MovingFilter, move } from '../../examples/redis-move/redis-move.ts';
import { RedisBloomFilter, type RedisClient, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { type Client, connect, libraries } from './clients.ts';
import { intercepted, interrupted, isPublishing, type Sending } from './intercept.ts';
import { keys, ROTATING, SIZE } from './samples.ts';
import { Cluster, Server, shiftWindows } from './servers.ts';

const classes = {
  plain: (client: RedisClient, name: string) => RedisBloomFilter.open(client, name, SIZE),
  'that forgets': (client: RedisClient, name: string) => RotatingRedisBloomFilter.open(client, name, ROTATING),
};

const kinds = Object.entries(classes);

const servers = await Promise.all([Server.start(), Server.start()]);
const clusters = await Promise.all([Cluster.start(3), Cluster.start(3)]);
const opened: Client[] = [];
afterAll(() => {
  for (const { close } of opened) close();
  for (const each of [...servers, ...clusters]) each.stop();
});
const open = async (...args: Parameters<typeof connect>): Promise<RedisClient> => {
  const connection = await connect(...args);
  opened.push(connection);
  return connection.client;
};
const [from, to] = await Promise.all([open('redis', [servers[0].port]), open('redis', [servers[1].port])]);

/** Whether a key is only restored to see whether the server takes it. */
const isTrial = ([, key]: readonly unknown[]): boolean => String(key).endsWith(':trial');

async function linesOf(client: RedisClient, name: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const saved of save(client, name)) lines.push(JSON.stringify(saved));
  return lines;
}

describe.each(libraries)('with %s, a backup', (library) => {
  it.each(kinds)('of a filter (%s) has all keys, on another server or cluster', async (kind, make) => {
    const name = `${library} ${kind} *[`;
    const single = await Promise.all(servers.map(({ port }) => open(library, [port])));
    const cluster = await Promise.all(clusters.map(({ ports }) => open(library, ports, { cluster: true })));
    for (const [from, to] of [single, cluster, [single[1], cluster[0]]] as [RedisClient, RedisClient][]) {
      const filter = await make(from, name);
      await filter.addMany(keys);
      const saved = await linesOf(from, name);
      const other = await make(to, name);
      await other.addMany(['theirs']);
      await restore(to, name, () => saved);
      const restored = await make(to, name);
      expect(await restored.omit(keys)).toEqual([]);
      expect(await restored.has('theirs')).toBe(false);
      expect(await RedisBloomFilter.check(to, name)).toMatchObject({ status: 'ok', orphans: [] });
      await expect(other.has('theirs')).rejects.toMatchObject({ code: 'ABSENT' });
      await filter.delete();
      await restored.delete();
    }
  });
});

it.each(kinds)('while a filter (%s) is being restored, no key is absent', async (kind, make) => {
  const filter = await make(from, kind);
  await filter.addMany(keys);
  const saved = await linesOf(from, kind);
  const codes: string[] = [];
  const watched = intercepted(to, async (send, { command }) => {
    try {
      return await send();
    } finally {
      if (command[0] === 'restore' && !isTrial(command)) {
        const found = await make(to, kind)
          .then((each) => each.omit(keys))
          .catch(({ code }) => code);
        codes.push(String(found));
      }
    }
  });
  await restore(watched, kind, () => saved);
  // With the last piece, it is found again without its parameters, which come last.
  expect(codes).toEqual([...Array(saved.length - 2).fill('LOST'), '', '']);
});

it('a backup is not made of a filter that has lost a part, or is replaced meanwhile', async () => {
  await RedisBloomFilter.open(from, 'lost', SIZE);
  await servers[0].send('del', 'lost');
  await expect(linesOf(from, 'lost')).rejects.toThrow('"lost" cannot be saved: the parameters are gone');
  const replaced = await RedisBloomFilter.open(from, 'replaced', SIZE);
  const clearing = async (): Promise<void> => {
    let isFirst = true;
    for await (const _ of save(from, 'replaced')) {
      if (isFirst) await replaced.clear();
      isFirst = false;
    }
  };
  await expect(clearing()).rejects.toThrow('"replaced" was replaced meanwhile: save it again');
});

it.each(kinds)('a backup (%s) of which a piece is missed is not made', async (kind, make) => {
  const name = `missed ${kind}`;
  await (await make(from, name)).addMany(keys);
  const piece = /:[0-9a-f]{16}:(?:\d+:)?0$/;
  const blind = intercepted(from, (send, { command: [verb, key] }) =>
    verb === 'dump' && piece.test(String(key)) ? Promise.resolve(null) : send(),
  );
  await expect(linesOf(blind, name)).rejects.toThrow(/^of "missed .*", 3 of 4 pieces were found: save it again$/);
});

it('a backup is not made while another filter of the name is in the lists', async () => {
  const local = BlockedBloomFilter.from(keys, SIZE);
  await RedisBloomFilter.fromLocal(from, 'busy', local);
  const codes: unknown[] = [];
  const slow = intercepted(from, async (send, sending) => {
    if (isPublishing(sending, 'busy')) codes.push(await linesOf(from, 'busy').catch(({ message }) => message));
    return send();
  });
  await RedisBloomFilter.fromLocal(slow, 'busy', local, { replace: true });
  expect(codes).toEqual([expect.stringMatching(/^"busy" cannot be saved while the lists have another filter/)]);
  const lines = await linesOf(from, 'busy');
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ key: 'busy', count: lines.length });
});

it('what is no whole backup of the name deletes nothing', async () => {
  const filter = await RedisBloomFilter.open(from, 'live', SIZE);
  await filter.addMany(keys);
  await RedisBloomFilter.open(from, 'live:2', SIZE);
  const saved = await linesOf(from, 'live');
  const cut = saved.with(-1, (saved.at(-1) ?? '').slice(0, 20));
  const wrong = [[], saved.slice(0, -1), saved.slice(1), saved.toSpliced(1, 1), await linesOf(from, 'live:2'), cut];
  for (const lines of wrong) await expect(restore(from, 'live', () => lines)).rejects.toThrow();
  expect(await filter.omit(keys)).toEqual([]);
  await restore(from, 'live', () => saved);
  expect(await (await RedisBloomFilter.open(from, 'live')).omit(keys)).toEqual([]);
});

/** What `save` does, in the order in which it does it. */
const moments: [string, (sending: Sending) => boolean][] = [
  ['the parameters are saved', ({ command: [verb], key }) => verb === 'dump' && !key.includes('{')],
  ['the lists are saved', ({ command: [verb], key }) => verb === 'dump' && key.endsWith(':filters')],
  ['the pieces are looked for', ({ command: [verb, script] }) => verb === 'eval' && String(script).includes("'scan'")],
  ['the pieces are saved', ({ command: [verb], key }) => verb === 'dump' && /\}:[0-9a-f]{16}:/.test(key)],
];

describe.each(moments)('a backup during which a window ends before %s', (moment, at) => {
  it('has all keys of the windows that it has', async () => {
    const name = `${moment} at the end`;
    await (await classes['that forgets'](from, name)).addMany(keys);
    await shiftWindows(servers[0], name, -1);
    let turns = 0;
    const turning = interrupted(from, at, async () => {
      turns++;
      await (await classes['that forgets'](from, name)).add('later');
    });
    const saved = await linesOf(turning, name);
    expect(turns).toBe(1);
    await restore(to, name, () => saved);
    const restored = await classes['that forgets'](to, name);
    expect(await restored.omit(keys)).toEqual([]);
    expect(await RedisBloomFilter.check(to, name)).toMatchObject({ status: 'ok', orphans: [] });
  });

  it('and that was never used before, is whole or is refused', async () => {
    const name = `${moment} at first`;
    await RotatingRedisBloomFilter.open(from, name, ROTATING);
    const using = interrupted(from, at, async () => (await classes['that forgets'](from, name)).addMany(keys));
    const saved = await linesOf(using, name).catch(({ message }) => message);
    if (typeof saved === 'string') {
      expect(saved).toBe(`"${name}" was first used meanwhile: save it again`);
      return;
    }
    await restore(to, name, () => saved);
    await (await classes['that forgets'](to, name)).add('later');
    expect(await RedisBloomFilter.check(to, name)).toMatchObject({ status: 'ok', orphans: [] });
  });
});

it('a key that expires while it is saved is not saved as one that does not', async () => {
  const name = 'expiring';
  const make = classes['that forgets'];
  await (await make(from, name)).addMany(keys);
  await shiftWindows(servers[0], name, -1);
  await (await make(from, name)).add('later');
  const { id } = JSON.parse(String(await servers[0].send('get', name)));
  const number = Math.floor(Date.now() / ROTATING.window);
  const forgetting = intercepted(from, async (send, { command: [verb, key] }) => {
    const reply = await send();
    if (verb !== 'dump' || !String(key).includes(`:${number - 1}:`)) return reply;
    for (const each of (await servers[0].send('keys', `${name}:*`)) as string[]) {
      if (each.includes(`:${number - 1}:`)) await servers[0].send('del', each);
      if (each.endsWith(':filters')) await servers[0].send('hset', each, `${id}.before`, '');
    }
    return reply;
  });
  const eternal = (await linesOf(forgetting, name)).filter((line) => JSON.parse(line).expires === 0);
  expect(eternal.map((line) => JSON.parse(line).key)).toEqual([name]);
});

it('the server tells when keys expire, not the machine that saves them', async () => {
  await (await classes['that forgets'](from, 'clock')).addMany(keys);
  vi.spyOn(Date, 'now').mockReturnValue(0);
  for (const line of await linesOf(from, 'clock')) {
    const { key, expires } = JSON.parse(line);
    const left = Number(await servers[0].send('pttl', key));
    if (key === 'clock') expect([left, expires]).toEqual([-1, 0]);
    else expect(Math.abs(expires - (performance.timeOrigin + performance.now()) - left)).toBeLessThan(1000);
  }
});

it('all masters of a cluster are gone through once, whatever the client knows of them', async () => {
  const client = await open('@valkey/valkey-glide', clusters[0].ports, { cluster: true });
  await (await RedisBloomFilter.open(client, 'once', { capacity: 100_000 })).addMany(keys);
  let scans = 0;
  const counting = intercepted(client, (send, { command }) => {
    if (command[0] === 'eval' && String(command[1]).includes("'scan'")) scans++;
    return send();
  });
  await linesOf(counting, 'once');
  expect(scans).toBe(3);
});

it.each(libraries)('a backup that the server does not take deletes nothing: %s', async (library) => {
  const client = await open(library, [servers[0].port]);
  const name = `refused ${library}`;
  const filter = await RedisBloomFilter.open(client, name, SIZE);
  await filter.addMany(keys);
  const saved = await linesOf(client, name);
  for (const at of [0, saved.length - 2, saved.length - 1]) {
    for (const dump of ['', 'AAAA', JSON.parse(saved[at] ?? '').dump.slice(0, -8)]) {
      const damaged = saved.with(at, JSON.stringify({ ...JSON.parse(saved[at] ?? ''), dump }));
      await expect(restore(client, name, () => damaged)).rejects.toThrow(/^(ERR )?(DUMP|Bad data)/);
      expect(await filter.omit(keys)).toEqual([]);
    }
  }
});

it.each(libraries)('a filter that is made while another one is restored keeps its keys: %s', async (library) => {
  const client = await open(library, [servers[0].port]);
  for (const [kind, make] of kinds) {
    const name = `meanwhile ${kind} ${library}`;
    await (await make(client, name)).addMany(keys);
    const saved = await linesOf(client, name);
    const isRestoring = ({ command }: Sending): boolean => command[0] === 'restore' && !isTrial(command);
    const making = interrupted(client, isRestoring, async () => (await make(client, name)).addMany(['theirs']));
    await expect(restore(making, name, () => saved)).rejects.toThrow(/was made meanwhile, or is left: delete it/);
    expect(await (await make(client, name)).has('theirs')).toBe(true);
    await restore(client, name, () => saved);
    expect(await (await make(client, name)).omit(keys)).toEqual([]);
    expect(await RedisBloomFilter.check(client, name)).toMatchObject({ status: 'ok', orphans: [] });
  }
});

const PERIOD = { period: 5 };

it('a filter is moved there and back and there again, and no key is lost by what an earlier move has left', async () => {
  await (await RedisBloomFilter.open(from, 'seen', SIZE)).addMany(keys);
  const added = [...keys];
  for (const there of [to, from, to]) {
    const here = there === to ? from : to;
    await move(here, there, 'seen', PERIOD);
    const moved = await RedisBloomFilter.open(there, 'seen');
    expect(await moved.omit(added)).toEqual([]);
    expect(await RedisBloomFilter.delete(here, 'seen')).toBe(false);
    await moved.add(`key ${added.push(`key ${added.length}`) - 1}`);
    // Whoever asks is told of the last move.
    expect(await new MovingFilter(here, there, 'seen').has('key 300')).toBe(true);
  }
  // A filter that is made since where one was moved from, while the other server has a filter of the name.
  await (await RedisBloomFilter.open(from, 'seen', SIZE)).add('later');
  await move(from, to, 'seen', PERIOD);
  expect(await (await RedisBloomFilter.open(to, 'seen')).omit([...added, 'later'])).toEqual([]);
  // And while it has none.
  await (await RedisBloomFilter.open(from, 'seen', SIZE)).add('last');
  await RedisBloomFilter.delete(to, 'seen');
  await expect(move(from, to, 'seen', PERIOD)).rejects.toMatchObject({ code: 'ABSENT' });
  expect(await (await RedisBloomFilter.open(from, 'seen')).has('last')).toBe(true);
  expect(await servers[0].send('exists', 'moving:seen')).toBe(0);
});
