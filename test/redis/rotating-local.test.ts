// Filters that forget, copied from Redis to memory and back.

import { expect, it } from 'vitest';
import { keyed } from '../../src/entries/keyed.ts';
import { type RedisClient, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { RotatingBloomFilter } from '../../src/entries/rotating.ts';
import { intercepted, interrupted, type Sending } from './intercept.ts';
import { client, keysOf, listsOf, newName, piecesOf, server, stored } from './one-server.ts';
import { shiftWindows, until } from './servers.ts';

const WINDOW = 3_600_000;
const SIZE = { capacity: 3000, window: WINDOW };
const before = Array.from({ length: 2000 }, (_, i) => `before ${i}`);
const now = Array.from({ length: 1000 }, (_, i) => `now ${i}`);
const others = Array.from({ length: 20_000 }, (_, i) => i);

const open = (name: string, options: object = SIZE) => RotatingRedisBloomFilter.open(client, name, options);
const bring = (name: string, filter: RotatingBloomFilter, options?: object) =>
  RotatingRedisBloomFilter.fromLocal(client, name, filter, options);

/** A filter that has keys of this window and of the one before. */
async function filled(): Promise<RotatingRedisBloomFilter> {
  const name = newName();
  await (await open(name)).addMany(before);
  await shiftWindows(server, name, -1);
  return (await open(name)).addMany(now);
}

it('a copy knows the same keys, in the same false positives, and forgets them at the same time', async () => {
  const shared = await filled();
  const local = await shared.toLocal();
  const number = Math.floor(Date.now() / WINDOW);
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
    [(number + 1) * WINDOW, [true, true]],
    [(number + 1) * WINDOW + 1, [false, true]],
    [(number + 2) * WINDOW + 1, [false, false]],
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
  const window = 1000;
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
  const numbers = (await piecesOf(name)).map((key) => Number(/:(\d+):\d+$/.exec(key)?.[1]));
  const { id } = await stored(name);
  const last = Math.max(...numbers);
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
