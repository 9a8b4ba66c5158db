// Filters that forget, in Redis, and copied from there to memory and back.

import { setTimeout as sleep } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { keyed } from '../../src/entries/keyed.ts';
import { RedisBloomFilter, type RedisClient, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { RotatingBloomFilter } from '../../src/entries/rotating.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { listKeys } from '../../src/redis/layout.ts';
import { ENTER_UNTIL, MARK } from '../../src/redis/scripts.ts';
import { intercepted, interrupted, type Sending } from './intercept.ts';
import { client, keysOf, listsOf, newName, piecesOf, server, stored, textOf } from './one-server.ts';
import { keys } from './samples.ts';
import { shiftWindows, until } from './servers.ts';

const HOUR = 3_600_000;
const SIZE = { capacity: 3000, window: HOUR };
const generationOf = (piece: string): number => Number(piece.split(':').at(-2));

const open = (name: string, options: object = SIZE) => RotatingRedisBloomFilter.open(client, name, options);
const openFor = (name: string, window: number) => open(name, { ...SIZE, window });

describe('a filter that forgets', () => {
  it('answers within a window as one in memory does, at half the error rate', async () => {
    const shared = await open(newName(), { capacity: 5000, window: 24 * HOUR });
    const local = new BlockedBloomFilter({ capacity: 5000, errorRate: 0.005 });
    const keys = Array.from({ length: 4000 }, (_, i) => `key ${i % 3000}`);
    expect(await shared.dedupe(keys)).toEqual(local.dedupe(keys));
    expect(await shared.hasMany(Uint32Array.of(1, 2, 3))).toEqual(local.hasMany(Uint32Array.of(1, 2, 3)));
    expect(await Promise.all(['key 1', 'other'].map((key) => shared.add(key)))).toEqual([false, true]);
    const { bits } = local;
    expect(shared).toMatchObject({ capacity: 5000, errorRate: 0.01, window: 24 * HOUR, bits, byteLength: bits / 4 });
  });

  it('leaves only its parameters when all that it knew is forgotten', async () => {
    const name = newName();
    const shared = await openFor(name, 150);
    const start = Date.now();
    await shared.add('a');
    await until('all generations have expired', async () => (await piecesOf(name)).length === 0);
    // At least the window after its own, and a second.
    expect(Date.now() - start).toBeGreaterThanOrEqual(149 + 1000);
    expect(await server.send('exists', name)).toBe(1);
    expect([await shared.has('a'), await shared.add('a')]).toEqual([false, true]);
  });

  it('may have a window that began before 1970', async () => {
    const shared = await openFor(newName(), 2 ** 45);
    expect([await shared.add('a'), await shared.add('a'), await shared.has('b')]).toEqual([true, false, false]);
    expect((await shared.toLocal()).has('a')).toBe(true);
  });

  it('gives up if its window is shorter than it takes to begin one', async () => {
    const distant = intercepted(client, async (send) => {
      await sleep(10);
      return send();
    });
    const { name, capacity } = await openFor(newName(), 20);
    const shared = await RotatingRedisBloomFilter.open(distant, name, { timeout: 400 });
    const local = new RotatingBloomFilter({ capacity, window: 20, generations: 2 }).addMany(keys);
    for (const call of [() => shared.add('a'), () => shared.hasMany(keys), () => shared.merge(local)]) {
      await expect(call()).rejects.toMatchObject({ code: 'TIMEOUT', message: expect.stringMatching(/turned/) });
    }
  });

  it('has lists that live as long as its last generation, however late an earlier one is made and noted', async () => {
    const { name } = await filled();
    const [list = ''] = await listsOf(name);
    const { id } = await stored(name);
    const earlier = [id, await textOf(name), 1, Date.now() + 1000];
    await server.send('eval', ENTER_UNTIL.source, 1, list, ...earlier);
    await server.send('eval', MARK.source, 2, list, list, ...earlier, '');
    expect(await server.send('pttl', list)).toBeGreaterThan(HOUR);
  });

  it('knows a key in the window after its own, and not in the one after that', async () => {
    const name = newName();
    await (await open(name)).addMany(keys);
    for (const known of [keys, []]) {
      await shiftWindows(server, name, -1);
      expect(await (await open(name)).pick(keys)).toEqual(known);
    }
  });

  it('tells a lost piece of the generation before from one that was never made', async () => {
    const name = newName();
    await (await open(name)).add('a');
    await shiftWindows(server, name, -1);
    const shared = await open(name);
    expect([await shared.add('a'), await shared.add('b'), await shared.add('b')]).toEqual([false, true, false]);
    const pieces = (await piecesOf(name)).toSorted((one, other) => generationOf(one) - generationOf(other));
    expect(pieces).toHaveLength(2 * shared.pieces);
    await server.send('del', pieces[0] ?? '');
    for (const each of [shared, await open(name)]) {
      await expect(each.hasMany(keys)).rejects.toMatchObject({ code: 'LOST' });
      await expect(each.addMany(keys)).rejects.toMatchObject({ code: 'LOST' });
    }
  });

  it('does not go back when the clock does, as after a failover to a server whose clock is behind', async () => {
    const name = newName();
    const shared = await open(name);
    await shared.addMany(keys);
    // The generation becomes one that this server has yet to reach.
    await shiftWindows(server, name, 3);
    const other = await open(name);
    for (const each of [shared, other]) {
      expect(await each.omit(keys)).toEqual([]);
      expect((await each.toLocal()).omit(keys)).toEqual([]);
      expect(await each.dedupe(['key 1', `key of ${each === other}`])).toEqual([`key of ${each === other}`]);
    }
    await shared.delete();
    expect(await piecesOf(name)).toEqual([]);
  });

  it('begins a window with the next call if it could not be begun', async () => {
    let isFull = true;
    // What makes or marks a window.
    const refusing = intercepted(client, (send, { command }) =>
      isFull && command.length === 10 ? Promise.reject(new Error('OOM no memory')) : send(),
    );
    const shared = await RotatingRedisBloomFilter.open(refusing, newName(), SIZE);
    await expect(shared.add('a')).rejects.toMatchObject({ code: 'OOM' });
    isFull = false;
    expect(await shared.add('a')).toBe(true);
  });

  it('is deleted with pieces of a clock that was ahead, which no list has noted', async () => {
    for (const by of [0, 3]) {
      const name = newName();
      await (await open(name)).add('a');
      const { id } = await stored(name);
      await shiftWindows(server, name, by);
      for (const list of by === 0 ? await listsOf(name) : []) await server.send('hdel', list, `${id}.window`);
      for (const piece of await piecesOf(name)) {
        await server.send(
          'rename',
          piece,
          piece.replace(/\d+(?=:\d+$)/, (number) => String(Number(number) + 1)),
        );
      }
      await RotatingRedisBloomFilter.delete(client, name);
      expect(await piecesOf(name)).toEqual([]);
    }
  });

  it('is not opened as one that does not, nor with other parameters', async () => {
    const name = newName();
    await open(name);
    const message = /^window of .* must be 3600000, as the filter was made, got 720/;
    await expect(openFor(name, 2 * HOUR)).rejects.toThrow(message);
    for (const options of [{}, { capacity: 3000 }]) {
      await expect(RedisBloomFilter.open(client, name, options)).rejects.toThrow(/as the RotatingRedisBloomFilter/);
    }
    const plain = newName();
    await RedisBloomFilter.open(client, plain, { capacity: 3000 });
    await expect(open(plain, {})).rejects.toThrow(/as the RedisBloomFilter that it is$/);
  });

  it('leaves nothing behind when it is deleted, and is not made again by an object of it', async () => {
    const name = newName();
    const window = 500;
    const [shared, other] = [await openFor(name, window), await openFor(name, window)];
    await shared.hasMany(['a']);
    const [first = 0] = (await piecesOf(name)).map(generationOf);
    await shared.delete();
    expect(await server.send('keys', `${name}*`)).toEqual([]);
    // The next generation is made by whoever reaches it.
    await until('it is another window', async () => Date.now() / window > first + 2);
    await expect(other.add('a')).rejects.toMatchObject({ code: 'ABSENT' });
    expect(await server.send('exists', name)).toBe(0);
  });
});

const before = Array.from({ length: 2000 }, (_, i) => `before ${i}`);
const now = Array.from({ length: 1000 }, (_, i) => `now ${i}`);
const others = Array.from({ length: 20_000 }, (_, i) => i);

const bring = (name: string, filter: RotatingBloomFilter, options?: object) =>
  RotatingRedisBloomFilter.fromLocal(client, name, filter, options);

/** A filter that has keys of this window and of the one before. */
async function filled(): Promise<RotatingRedisBloomFilter> {
  const name = newName();
  await (await open(name)).addMany(before);
  await shiftWindows(server, name, -1);
  return (await open(name)).addMany(now);
}

it('the window before counts as made, also for a client that finds its first list gone', async () => {
  const { name } = await filled();
  await server.send('del', listKeys(name, (await stored(name)).groups)[0] ?? '');
  const other = await open(name);
  expect(await other.omit(before)).toEqual([]);
  const pieces = await piecesOf(name);
  const first = Math.min(...pieces.map(generationOf));
  await server.send('del', ...pieces.filter((piece) => generationOf(piece) === first));
  await expect(other.omit(before)).rejects.toMatchObject({ code: 'LOST' });
});

it('a copy knows the same keys, in the same false positives, and forgets them at the same time', async () => {
  const shared = await filled();
  const foreign = intercepted(client, async (send) => {
    const reply = await send();
    return reply instanceof Uint8Array ? runInNewContext('Uint8Array.from(reply)', { reply }) : reply;
  });
  const local = await (await RotatingRedisBloomFilter.open(foreign, shared.name)).toLocal();
  const number = Math.floor(Date.now() / HOUR);
  expect(local).toMatchObject({ ...SIZE, generations: 2, bits: 2 * shared.bits, errorRate: 0.01, seed: 0 });
  const all = [...before, ...now, ...others];
  expect(local.hasMany(all)).toEqual(await shared.hasMany(all));
  expect(local.pick(others).length).toBeGreaterThan(0);
  // With the 1,000 keys of this window, it is full at 3,000.
  const fuller = local.clone().addMany(others.slice(0, 1900));
  expect(fuller.earlyRotations).toBe(0);
  expect(fuller.addMany(others.slice(1900, 2300)).earlyRotations).toBe(1);
  const copy = RotatingBloomFilter.fromBytes(local.toBytes());
  // The last moment of this window, and the first ones of the next two.
  for (const [time, known] of [
    [(number + 1) * HOUR, [true, true]],
    [(number + 1) * HOUR + 1, [false, true]],
    [(number + 2) * HOUR + 1, [false, false]],
  ] as const) {
    copy.clock = () => time;
    expect([before, now].map((keys) => copy.omit(keys).length < keys.length / 2)).toEqual(known);
  }
  await shared.delete();
  await expect(shared.toLocal()).rejects.toMatchObject({ code: 'ABSENT' });
});

it('a copy of a filter that nobody has used, or only in the window before, is one of that', async () => {
  const unused = await open(newName());
  expect((await unused.toLocal()).fillRatio()).toBe(0);
  const name = newName();
  await (await open(name)).addMany(before);
  await shiftWindows(server, name, -1);
  const local = await (await open(name)).toLocal();
  expect(local.omit(before)).toEqual([]);
  await server.send('del', (await piecesOf(name))[0] ?? '');
  await expect((await open(name)).toLocal()).rejects.toMatchObject({ code: 'LOST' });
});

it('a copy that is begun shortly before a window ends is whole, and lacks at most what is forgotten by then', async () => {
  // Longer than the margin after which pieces expire, so that they do in the first window in which they are forgotten.
  const window = 1500;
  const name = newName();
  const shared = await open(name, { capacity: 3000, window });
  await shared.addMany(before);
  const waitFor = (time: number) => until('the time has come', async () => Date.now() >= time);
  const begun = Math.floor(Date.now() / window);
  await waitFor((begun + 1) * window);
  await shared.addMany(now);
  let turns = 0;
  const isReading = ({ command }: Sending): boolean => /:\d+:\d+$/.test(String(command[3]));
  const slow = interrupted(client, isReading, async () => {
    turns++;
    const pieces = await piecesOf(name);
    await until('the older pieces have expired', async () => (await piecesOf(name)).length < pieces.length);
  });
  const copy = await (await RotatingRedisBloomFilter.open(slow, name)).toLocal();
  expect(turns).toBe(1);
  copy.clock = () => (begun + 2) * window + 1;
  expect(copy.omit(now)).toEqual([]);
});

it('a copy goes back under any name, or into a filter of the same size', async () => {
  const shared = await filled();
  const local = await shared.toLocal();
  const name = newName();
  const restored = await bring(name, local, { spread: 1 });
  expect(restored).toMatchObject({ ...SIZE, bits: shared.bits, errorRate: 0.01 });
  const all = [...before, ...now, ...others];
  expect(await restored.omit(local.pick(all))).toEqual([]);
  expect(await RotatingRedisBloomFilter.check(client, name)).toMatchObject({ parameters: { spread: 1 } });
  // Others may ask for it as they did.
  expect(await (await open(name)).omit([...before, ...now])).toEqual([]);
  const third = await open(newName());
  await third.addMany(['mine']);
  await third.merge(local);
  expect(await third.omit([...before, ...now, 'mine'])).toEqual([]);
  for (const each of [...(await piecesOf(name)), ...(await piecesOf(third.name))]) {
    expect(await server.send('pttl', each)).toBeGreaterThan(HOUR);
  }
  // What is brought is what the filter knows at the call.
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 3 * HOUR);
  const forgetful = new RotatingBloomFilter({ ...SIZE, generations: 2 }).addMany(['old']);
  clock.mockRestore();
  await third.merge(forgetful);
  expect(await third.has('old')).toBe(false);
  const many = new RotatingBloomFilter({ ...SIZE, generations: 4 });
  await expect(third.merge(many)).rejects.toThrow(/^bits of each generation of filter must be \d+, got \d+$/);
  await expect(third.merge(new RotatingBloomFilter({ ...SIZE, generations: 2, seed: 1 }))).rejects.toThrow(RangeError);
  await expect(bring(name, local)).rejects.toMatchObject({ code: 'EXISTS' });
  await expect(bring(newName(), many)).rejects.toThrow('generations of filter must be 2, as in Redis, got 4');
  const endless = new RotatingBloomFilter({ capacity: 10, generations: 2 });
  await expect(bring(newName(), endless)).rejects.toThrow('window of filter must be');
  await expect(bring(newName(), {} as never)).rejects.toThrow(TypeError);
});

it.each<[string, (name: string) => Promise<unknown>]>([
  ['all lists', async (name) => server.send('del', ...(await listsOf(name)))],
  [
    'all lists, and all pieces but one',
    async (name) => server.send('del', ...(await listsOf(name)), ...(await piecesOf(name)).slice(1)),
  ],
])('no copy is made of a filter that has lost %s', async (_, harm) => {
  const shared = await filled();
  await harm(shared.name);
  await expect(shared.toLocal()).rejects.toMatchObject({ code: 'LOST' });
  await expect((await open(shared.name)).toLocal()).rejects.toMatchObject({ code: 'LOST' });
});

it('a copy of a filter with more keys than it is made for can be saved', async () => {
  const full = await (await open(newName(), { ...SIZE, capacity: 10 })).addMany(keys);
  const copy = await full.toLocal();
  expect(RotatingBloomFilter.fromBytes(copy.toBytes()).omit(keys)).toEqual([]);
});

it('nothing is merged into a filter that is gone, though its pieces are left', async () => {
  const shared = await filled();
  const local = await shared.toLocal();
  await server.send('del', ...(await listsOf(shared.name)));
  await expect(shared.merge(local)).rejects.toMatchObject({ code: 'LOST' });
  await server.send('del', shared.name);
  await expect(shared.merge(local)).rejects.toMatchObject({ code: 'ABSENT' });
  await open(shared.name);
  await expect(shared.merge(local)).rejects.toMatchObject({ code: 'ABSENT' });
  await (await open(shared.name)).merge(local);
  expect(await (await open(shared.name)).omit(local.pick([...before, ...now]))).toEqual([]);
});

it('a filter whose maker dies while it is brought is told to be unfinished, and can be brought again', async () => {
  const local = await (await filled()).toLocal();
  const name = newName();
  let merges = 0;
  const dying = intercepted(client, async (send, { command }) => {
    if (String(command[4]).includes(':merge:') && merges++ > 0) throw new TypeError('it died');
    return send();
  });
  const bringBy = (client: RedisClient, filter = local) => RotatingRedisBloomFilter.fromLocal(client, name, filter);
  const all = [...before, ...now];
  await expect(bringBy(dying)).rejects.toThrow('it died');
  // Others use it meanwhile, and that does not finish it.
  const shared = await open(name);
  await shared.add('mine');
  expect(await shared.omit(all)).not.toEqual([]);
  expect(await RotatingRedisBloomFilter.repair(client, name)).toEqual([]);
  expect(await RotatingRedisBloomFilter.check(client, name)).toMatchObject({
    status: 'warning',
    problems: [{ code: 'UNFINISHED', remedy: expect.stringMatching(/fromLocal/) }],
  });
  const other = new RotatingBloomFilter({ ...SIZE, window: 1000, generations: 2 });
  await expect(bringBy(client, other)).rejects.toMatchObject({ code: 'MISMATCH' });
  expect(await (await bringBy(client)).omit([...all, 'mine'])).toEqual([]);
  expect(await shared.omit(all)).toEqual([]);
  expect(await RotatingRedisBloomFilter.check(client, name)).toMatchObject({ status: 'ok', problems: [] });
  await expect(bringBy(client)).rejects.toMatchObject({ code: 'EXISTS' });
});

it('what is brought is known for a window at least, even if one ends meanwhile', async () => {
  const local = await (await filled()).toLocal();
  const name = newName();
  const window = 1000;
  const { bits, capacity } = local;
  const small = await open(name, { capacity, window });
  expect(2 * small.bits).toBe(bits);
  let merges = 0;
  const slow = intercepted(client, async (send, { command }) => {
    const reply = await send();
    // A script that merges.
    if (String(command[4]).includes(':merge:') && merges++ === 0) {
      const end = Math.ceil(Date.now() / window) * window;
      await until('the window has ended', async () => Date.now() > end + 1);
    }
    return reply;
  });
  await (await RotatingRedisBloomFilter.open(slow, name)).merge(local);
  const { id } = await stored(name);
  const last = Math.max(...(await piecesOf(name)).map(generationOf));
  const lengths = (await keysOf(`${name}:*:${id}:${last}:*`)).length;
  expect(merges).toBeGreaterThan(lengths);
  expect(await small.omit([...before, ...now])).toEqual([]);
});

it('a secret is that of the class', async () => {
  const secret = Uint8Array.from({ length: 16 }, (_, i) => i + 1);
  const Keyed = keyed(RotatingRedisBloomFilter, secret);
  const Local = keyed(RotatingBloomFilter, secret);
  const name = newName();
  const shared = await Keyed.open(client, name, SIZE);
  await shared.addMany(now);
  const local = await shared.toLocal();
  expect(local.omit(now)).toEqual([]);
  const copy = Local.fromBytes(local.toBytes());
  expect(copy.omit(now)).toEqual([]);
  expect(await (await Keyed.fromLocal(client, newName(), copy)).omit(now)).toEqual([]);
  await expect(bring(newName(), copy)).rejects.toThrow(/secret/);
});
