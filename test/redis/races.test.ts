// What clients do to one filter at the same time, in an order that is forced.

import { expect, it } from 'vitest';
import { RedisBloomFilter, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { listKeys } from '../../src/redis/layout.ts';
import { ENTER_UNTIL } from '../../src/redis/scripts.ts';
import { removeMark } from './harms.ts';
import { held, intercepted, interrupted, isPublishing, type Sending } from './intercept.ts';
import { client, keysOf, listsOf, newName, piecesOf, server, textOf } from './one-server.ts';

const CAPACITY = { capacity: 1000 };

/** The keys of the parameters and of the bits of a filter. */
const bitsOf = async (name: string): Promise<string[]> => [...(await keysOf(name)), ...(await piecesOf(name))];

const plain = (name: string, given = client) => RedisBloomFilter.open(given, name, CAPACITY);
const larger = (name: string) => RedisBloomFilter.open(client, name, { capacity: 5000 });
const forgets = (name: string) => RotatingRedisBloomFilter.open(client, name, { ...CAPACITY, window: 3_600_000 });

/** Opens a filter as a client does whose first call for its cells takes until `open` is called. */
async function openSlowly(name: string) {
  const { slow, arrived, open } = held(client, ({ key }) => key.startsWith(`${name}:{`));
  const opening = plain(name, slow);
  await arrived;
  return { opening, open };
}

it('opening while another client clears ends in one filter, without orphans', async () => {
  const name = newName();
  const { opening, open } = await openSlowly(name);
  const other = await plain(name);
  await other.clear();
  await other.add('theirs');
  open();
  const own = await opening;
  expect(await own.add('mine')).toBe(true);
  expect([await own.has('theirs'), await other.has('mine')]).toEqual([true, true]);
  expect(await bitsOf(name)).toHaveLength(2);
});

it('opening while another client replaces the filter by one of another size is a mismatch', async () => {
  const name = newName();
  const { opening, open } = await openSlowly(name);
  await RedisBloomFilter.fromLocal(client, name, new BlockedBloomFilter({ capacity: 5000 }), { replace: true });
  open();
  await expect(opening).rejects.toMatchObject({ code: 'MISMATCH' });
});

it('what is copied from memory is sent as it was, whatever becomes of it before the client writes', async () => {
  const local = BlockedBloomFilter.from(['a'], CAPACITY);
  const late = intercepted(client, (send, { command }) => {
    if (command.some((part) => typeof part !== 'string')) local.clear();
    return send();
  });
  const shared = await RedisBloomFilter.fromLocal(late, newName(), local);
  await shared.merge(local.addMany(['b']));
  expect(await shared.omit(['a', 'b'])).toEqual([]);
});

it('clearing at the same time ends in one empty filter, which all find', async () => {
  const name = newName();
  const [one, other] = [await plain(name), await plain(name)];
  await one.add('a');
  await Promise.all([other.clear(), other.clear(), one.clear()]);
  expect([await one.add('a'), await other.has('a')]).toEqual([true, true]);
  expect(await bitsOf(name)).toHaveLength(2);
});

it('clearing knows its own filter again if the reply is lost and another client uses it', async () => {
  const name = newName();
  await (await plain(name)).add('old');
  let other: RedisBloomFilter | undefined;
  const lossy = intercepted(client, async (send, sending) => {
    const reply = await send();
    if (other || !isPublishing(sending, name)) return reply;
    other = await plain(name);
    await other.add('acknowledged');
    throw new Error('Connection is closed.');
  });
  const shared = await plain(name, lossy);
  await shared.clear();
  expect(await other?.has('acknowledged')).toBe(true);
  expect(await shared.hasMany(['acknowledged', 'old'])).toEqual(Uint8Array.of(1, 0));
});

it.each([
  ['a larger filter', plain, larger],
  ['a filter that forgets', plain, forgets],
  ['a filter, that of one that forgets', forgets, plain],
] as const)('clearing, deleting and importing spare what has taken the name since: %s', async (_, open, make) => {
  const name = newName();
  const stale = await open(name);
  await (await open(name)).delete();
  const newer = await make(name);
  await newer.add('k');
  const before = [await server.send('get', name), ...(await bitsOf(name))];
  const refused = { code: 'MISMATCH' };
  if (stale instanceof RedisBloomFilter) await expect(stale.clear()).rejects.toMatchObject(refused);
  await expect(stale.delete()).rejects.toMatchObject(refused);
  if (newer instanceof RotatingRedisBloomFilter) {
    const importing = RedisBloomFilter.fromLocal(client, name, new BlockedBloomFilter(CAPACITY), { replace: true });
    await expect(importing).rejects.toMatchObject(refused);
  }
  expect([await server.send('get', name), ...(await bitsOf(name))]).toEqual(before);
  expect(await newer.has('k')).toBe(true);
});

it('deleting deletes a filter that is cleared meanwhile', async () => {
  const name = newName();
  const other = await plain(name);
  let isCleared = false;
  const slow = intercepted(client, async (send, { key }) => {
    // The parameters are gone already, but the lists still have the filter.
    if (!isCleared && key.startsWith(`${name}:{`) && (await server.send('exists', name)) === 0) {
      isCleared = true;
      await other.clear();
    }
    return send();
  });
  await (await plain(name, slow)).delete();
  expect(isCleared).toBe(true);
  expect(await bitsOf(name)).toEqual([]);
});

it('who may only read is told that a half made filter is deleted before it is ready', async () => {
  const { name } = await plain(newName());
  await server.send('set', name, (await textOf(name)).replace('"ready"', '"creating"'));
  // What makes it ready.
  const reading = interrupted(
    client,
    ({ command }) => command.length === 6 && command[3] === name,
    () => RedisBloomFilter.delete(client, name),
  );
  const opening = RedisBloomFilter.open(reading, name, { readFrom: 'replica' });
  await expect(opening).rejects.toMatchObject({ code: 'ABSENT' });
});

it('deleting spares a filter that is made meanwhile, after another client has deleted the old one', async () => {
  const name = newName();
  const shared = await plain(name);
  let newer: RedisBloomFilter | undefined;
  const slow = intercepted(client, async (send, { key }) => {
    if (!newer && key.startsWith(`${name}:{`) && (await server.send('exists', name)) === 0) {
      await RedisBloomFilter.delete(client, name);
      newer = await plain(name);
      await newer.add('theirs');
    }
    return send();
  });
  await shared.add('old');
  await RedisBloomFilter.delete(slow, name);
  expect(await newer?.hasMany(['theirs', 'old'])).toEqual(Uint8Array.of(1, 0));
});

it.each(['whole', 'damaged'])(
  'deleting deletes what another client finds meanwhile: the parameters are %s',
  async (how) => {
    const name = newName();
    const old = await plain(name);
    if (how === 'damaged') await server.send('set', name, '{"bloomery":1,"kind":"blocked"}');
    let isFound = false;
    const slow = intercepted(client, async (send) => {
      const reply = await send();
      if (!isFound && (await server.send('exists', name)) === 0) {
        isFound = true;
        await plain(name);
      }
      return reply;
    });
    expect(await RedisBloomFilter.delete(slow, name)).toBe(isFound);
    expect(await bitsOf(name)).toEqual([]);
    await expect(old.has('old')).rejects.toMatchObject({ code: 'ABSENT' });
  },
);

it('a filter that was found without parameters, and is deleted before they are restored, is made again', async () => {
  const name = newName();
  await (await plain(name)).add('old');
  await server.send('del', name);
  // With the parameters as an argument.
  const { slow, arrived, open } = held(client, ({ key, command }) => key === name && command.length > 4);
  const opening = plain(name, slow);
  await arrived;
  expect(await RedisBloomFilter.delete(client, name)).toBe(true);
  open();
  expect(await (await opening).add('old')).toBe(true);
  expect(await (await plain(name)).has('old')).toBe(true);
});

const DAY = 86_400_000;
it.each([
  ['a list', '1', 'no other is made'],
  ['a piece', '2', 'no other is made'],
  ['a list', '1', 'another one is made before'],
  ['a piece', '2', 'another one is made before'],
  ['a piece', '2', 'another one is made after'],
])('whoever makes %s (%s) of a filter that was deleted takes it back, if %s', async (_, keyCount, other) => {
  const { name } = await forgets(newName());
  let isDeleted = false;
  let newer: RotatingRedisBloomFilter | undefined;
  const makeNewer = async (): Promise<void> => {
    newer = await RotatingRedisBloomFilter.open(client, name, { capacity: 5000, window: DAY });
    await newer.add('theirs');
  };
  const late = intercepted(client, async (send, { key, command }) => {
    // The scripts that make it have a list as the first key, and four arguments or more.
    if (!isDeleted && command[2] === keyCount && command.length > 7 && key.endsWith(':filters')) {
      isDeleted = true;
      expect(await RedisBloomFilter.delete(client, name)).toBe(true);
      if (other.endsWith('before')) await makeNewer();
    } else if (isDeleted && key === name && other.endsWith('after') && !newer) await makeNewer();
    return send();
  });
  const code = other.startsWith('no') ? 'ABSENT' : 'MISMATCH';
  await expect((await RotatingRedisBloomFilter.open(late, name)).add('late')).rejects.toMatchObject({ code });
  if (!newer) expect(await keysOf(`${name}*`)).toEqual([]);
  else expect((await RedisBloomFilter.check(client, name)).problems).toEqual([]);
  for (const list of await listsOf(name)) {
    expect(await server.send('hlen', list)).toBe(4);
    expect(await server.send('pttl', list)).toBeGreaterThan(DAY);
  }
});

it('a filter lasts, though one that forgets was entered in its lists meanwhile, late', async () => {
  const name = newName();
  await forgets(name);
  const text = await textOf(name);
  await RedisBloomFilter.delete(client, name);
  const enter = async (): Promise<void> => {
    const args = [JSON.parse(text).id, text, 1, Date.now() + DAY];
    for (const list of listKeys(name, 1)) await server.send('eval', ENTER_UNTIL.source, 1, list, ...args);
  };
  await plain(
    name,
    interrupted(client, ({ key, command }) => key === name && command.length > 4, enter),
  );
  await enter();
  for (const list of await listsOf(name)) expect(await server.send('pttl', list)).toBe(-1);
});

it('a filter that is deleted while it is looked for without parameters is not LOST', async () => {
  const { name } = await plain(newName());
  await server.send('del', name);
  // What counts pieces.
  const late = interrupted(
    client,
    ({ command }) => /\}:.*:\d+$/.test(String(command.at(-1))),
    () => RedisBloomFilter.delete(client, name),
  );
  expect(await (await plain(name, late)).add('a')).toBe(true);
});

it('opening deletes nothing of a filter that gets the name after it was looked for', async () => {
  const name = newName();
  const late = interrupted(
    client,
    ({ key }) => key.startsWith(`${name}:{`),
    async () => {
      await plain(name);
      await removeMark(name);
    },
  );
  await plain(name, late);
  expect(await piecesOf(name)).toHaveLength(1);
});

it('a call that is late goes on with the filter that another call has found since', async () => {
  const name = newName();
  let count = 0;
  const isFirstCall = ({ command }: Sending): boolean =>
    command.some((part) => typeof part !== 'string') && count++ === 0;
  const { slow, arrived, open } = held(client, isFirstCall);
  const own = await plain(name, slow);
  const late = own.add('late');
  await arrived;
  await (await plain(name)).clear();
  await own.addMany(['soon']);
  open();
  expect(await late).toBe(true);
});
