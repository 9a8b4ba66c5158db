// Filters in Redis whose keys are hashed under a secret: what differs from those without one.

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hashKeys } from '../../src/entries/hash.ts';
import { keyed, keyedHashKeys } from '../../src/entries/keyed.ts';
import { RedisBloomFilter, RedisFilterError, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { client, newName, server } from './one-server.ts';

const SECRET: Uint8Array = Uint8Array.from({ length: 16 }, (_, i) => 200 + i);
const OTHER: Uint8Array = Uint8Array.from({ length: 16 }, (_, i) => 100 + i);
const CAPACITY = { capacity: 1000 };
const ROTATING = { ...CAPACITY, window: 86_400_000 };
/** Some of them repeat, and one is too long for the buffer of keys. */
const KEYS = Array.from({ length: 900 }, (_, i) => (i === 100 ? 'long'.repeat(40_000) : `key ${i % 600}`));
const PROBES = Uint32Array.from({ length: 1000 }, (_, i) => i);

const Shared = keyed(RedisBloomFilter, SECRET);
const Other = keyed(RedisBloomFilter, OTHER);
const Local = keyed(BlockedBloomFilter, SECRET);
const Rotating = keyed(RotatingRedisBloomFilter, SECRET);

/** The hash that identifies a secret, in messages. */
const checkOf = (secret: Uint8Array): string => {
  const { seed } = new (keyed(BlockedBloomFilter, secret))({ bits: 256 });
  return `a secret (${(seed - 2 ** 32).toString(16).padStart(8, '0')})`;
};
const [own, other] = [checkOf(SECRET), checkOf(OTHER)];

/** Expects that a text has no spelling that somebody could take the secret from. */
function expectSilent(text: string): void {
  const { buffer } = SECRET;
  const encoded = [Buffer.from(buffer).toString('hex'), Buffer.from(buffer).toString('base64').slice(0, 21)];
  expect([...encoded, '200, 201', '200,201', '"0":200'].filter((each) => text.includes(each))).toEqual([]);
}

/** Expects an error about secrets, and that it does not show one. */
async function refusal(opening: Promise<unknown>, message: string): Promise<void> {
  const error: unknown = await opening.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RedisFilterError);
  expect(error).toMatchObject({ code: 'SECRET', message });
  expectSilent(inspect(error));
}

describe('a filter in Redis with a secret', () => {
  it('has the bits and the answers of one in memory with that secret', async () => {
    const shared = await Shared.open(client, newName(), CAPACITY);
    const again = await keyed(RedisBloomFilter, SECRET.slice()).open(client, shared.name);
    const local = new Local(CAPACITY);
    expect(await shared.dedupe(KEYS)).toEqual(local.dedupe(KEYS));
    const bytes = new Uint8Array([1, 2, 3]);
    expect(await Promise.all([shared.add(bytes), shared.add(bytes), shared.add(7n)])).toEqual([true, false, true]);
    local.addMany([bytes, 7n]);
    expect(await again.hasMany(PROBES)).toEqual(local.hasMany(PROBES));
    expect((await again.toLocal()).toBytes()).toEqual(local.toBytes());
    expect(shared.seed).toBe(local.seed);
    const rotating = await Rotating.open(client, newName(), ROTATING);
    expect(await rotating.dedupe(KEYS)).toEqual(new Local({ ...CAPACITY, errorRate: 0.005 }).dedupe(KEYS));
  });

  it.each([
    ['plain', Shared, Other, RedisBloomFilter, CAPACITY],
    ['that forgets', Rotating, keyed(RotatingRedisBloomFilter, OTHER), RotatingRedisBloomFilter, ROTATING],
  ] as const)('is refused under another secret and under none: %s', async (_, Own, Wrong, Plain, options) => {
    const [name, without] = [newName(), newName()] as const;
    await Own.open(client, name, options as typeof ROTATING);
    await Plain.open(client, without, options as typeof ROTATING);
    for (const given of [{}, options as typeof ROTATING]) {
      await refusal(Wrong.open(client, name, given), `"${name}" was made under ${own}, got ${other}: see keyed`);
      await refusal(Plain.open(client, name, given), `"${name}" was made under ${own}, got none: see keyed`);
      await refusal(Own.open(client, without, given), `"${without}" was made without a secret, got ${own}: see keyed`);
    }
    const seeded = Own.open(client, newName(), { ...(options as typeof ROTATING), seed: 7 });
    await expect(seeded).rejects.toThrow('seed must be undefined under a secret, got 7');
    expect(await RedisBloomFilter.delete(client, name)).toBe(true);
  });

  it('tells who uses it that one of another secret has taken its place', async () => {
    const shared = await Shared.open(client, newName(), CAPACITY);
    const local = keyed(BlockedBloomFilter, OTHER).from(['a'], CAPACITY);
    await Other.fromLocal(client, shared.name, local, { replace: true });
    await expect(shared.has('a')).rejects.toMatchObject({
      code: 'MISMATCH',
      message: `seed of "${shared.name}" must be ${other}, as the filter was made, got ${own}`,
    });
  });

  it('has parameters that versions without secrets refuse, and shows the secret nowhere', async () => {
    const plain = await Shared.open(client, newName(), CAPACITY);
    for (const filter of [plain, await Rotating.open(client, newName(), ROTATING)]) {
      const text = String(await server.send('get', filter.name));
      expect(JSON.parse(text)).toMatchObject({ bloomery: 2, kind: 'blocked', seed: filter.seed });
      const shown = [filter, filter.constructor].map((each) => inspect(each, { depth: 9, showHidden: true }));
      for (const each of [text, ...shown, JSON.stringify(filter)]) expectSilent(each);
    }
  });

  it('takes local filters of its secret, and no others', async () => {
    const filter = Local.from(KEYS, CAPACITY);
    const plain = BlockedBloomFilter.from(KEYS, CAPACITY);
    const shared = await Shared.fromLocal(client, newName(), filter);
    await shared.merge(Local.from(['more'], CAPACITY));
    expect(await shared.omit([...KEYS, 'more', 'absent'])).toEqual(['absent']);
    const name = newName();
    const without = await RedisBloomFilter.open(client, newName(), CAPACITY);
    const noSecret = `filter must be without a secret, got one under ${own}: see keyed`;
    for (const [call, message] of [
      [() => RedisBloomFilter.fromLocal(client, name, filter), noSecret],
      [() => Other.fromLocal(client, name, filter), `seed of filter must be ${other}, got ${own}`],
      [() => Shared.fromLocal(client, name, plain), `seed of filter must be ${own}, got 0`],
      [() => shared.merge(plain), `seed of filter must be ${own}, got 0`],
      [() => without.merge(filter), `seed of filter must be 0, got ${own}`],
    ] as const) {
      await expect(call()).rejects.toThrow(new RangeError(message));
    }
    expect(await server.send('exists', name)).toBe(0);
  });

  it('takes keys that were hashed under its secret, and no others, also for its copy in the process', async () => {
    const shared = await Shared.open(client, newName(), { ...CAPACITY, mirror: true });
    await (await Shared.open(client, shared.name)).addMany(keyedHashKeys(SECRET)(KEYS));
    await shared.refresh();
    const before = await server.callsOf('evalsha');
    expect(await shared.omit(KEYS)).toEqual([]);
    expect(await server.callsOf('evalsha')).toBe(before);
    expect(await shared.omit(['absent'])).toEqual(['absent']);
    await expect(shared.addMany(hashKeys(KEYS))).rejects.toThrow(`seed of the hashed keys must be ${own}, got 0`);
  });
});
