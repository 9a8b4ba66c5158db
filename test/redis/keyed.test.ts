// Filters in Redis whose keys are hashed under a secret.

import { inspect } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { keyed as keyedInJs } from '../../src/entries/keyed-js.ts';
import { hashKeys } from '../../src/hash.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { keyed, keyedHashKeys } from '../../src/keyed.ts';
import { RedisBloomFilter, RedisFilterError, RotatingRedisBloomFilter } from '../../src/redis.ts';
import { connect } from './clients.ts';
import { client, newName, server } from './one-server.ts';

const SECRET: Uint8Array = Uint8Array.from({ length: 16 }, (_, i) => 200 + i);
const OTHER: Uint8Array = Uint8Array.from({ length: 16 }, (_, i) => 100 + i);
const CAPACITY = { capacity: 5000 };
const HOUR = 3_600_000;
/** Some of them repeat, and one is too long for the buffer of keys. */
const KEYS = Array.from({ length: 3000 }, (_, i) => (i === 1000 ? 'long'.repeat(40_000) : `key ${i % 2000}`));

const Shared = keyed(RedisBloomFilter, SECRET);
const Other = keyed(RedisBloomFilter, OTHER);
const Local = keyed(BlockedBloomFilter, SECRET);
const Rotating = keyed(RotatingRedisBloomFilter, SECRET);

const another = await connect('ioredis', [server.port]);
afterAll(() => another.close());

/** The hash that identifies a secret, in messages. */
const checkOf = (secret: Uint8Array): string => {
  const { seed } = new (keyed(BlockedBloomFilter, secret))({ bits: 256 });
  return `a secret (${(seed - 2 ** 32).toString(16).padStart(8, '0')})`;
};

/** Each spelling that somebody could take the secret from. */
const spellings = [
  Buffer.from(SECRET).toString('hex'),
  Buffer.from(SECRET).toString('base64').slice(0, 21),
  '200, 201',
  '200,201',
  '"0":200',
];

function expectSilent(text: string): void {
  expect(spellings.filter((each) => text.includes(each))).toEqual([]);
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
    const other = await keyed(RedisBloomFilter, SECRET.slice()).open(another.client, shared.name);
    const local = new Local(CAPACITY);
    expect(await shared.dedupe(KEYS)).toEqual(local.dedupe(KEYS));
    const bytes = new Uint8Array([1, 2, 3]);
    expect(await Promise.all([shared.add(bytes), shared.add(bytes), shared.add(7n)])).toEqual([true, false, true]);
    local.addMany([bytes, 7n]);
    const probes = Uint32Array.from({ length: 3000 }, (_, i) => i);
    expect(await other.hasMany(probes)).toEqual(local.hasMany(probes));
    expect(await Promise.all(['key 1', 'absent'].map((key) => other.has(key)))).toEqual([true, false]);
    expect((await other.toLocal()).toBytes()).toEqual(local.toBytes());
    expect(shared.seed).toBe(local.seed);
    // Without the secret, these keys have other bits.
    expect(BlockedBloomFilter.from(KEYS, CAPACITY).fillRatio()).not.toBe(local.fillRatio());
  });

  const rotating = { ...CAPACITY, window: HOUR };
  it.each([
    ['plain', Shared, Other, RedisBloomFilter, CAPACITY],
    ['that forgets', Rotating, keyed(RotatingRedisBloomFilter, OTHER), RotatingRedisBloomFilter, rotating],
  ] as const)('is refused under another secret and under none: %s', async (_, Own, Wrong, Plain, options) => {
    const [name, without] = [newName(), newName()] as const;
    await Own.open(client, name, options as typeof rotating);
    await Plain.open(client, without, options as typeof rotating);
    const was = `"${name}" was made under ${checkOf(SECRET)}`;
    for (const given of [{}, options as typeof rotating]) {
      await refusal(Wrong.open(client, name, given), `${was}, got ${checkOf(OTHER)}: see keyed`);
      await refusal(Plain.open(client, name, given), `${was}, got none: see keyed`);
      const message = `"${without}" was made without a secret, got ${checkOf(SECRET)}: see keyed`;
      await refusal(Own.open(client, without, given), message);
    }
    expect(await RedisBloomFilter.delete(client, name)).toBe(true);
  });

  it('has no other seed', async () => {
    await expect(Shared.open(client, newName(), { ...CAPACITY, seed: 7 })).rejects.toThrow(
      'seed must be undefined under a secret, got 7',
    );
  });

  it('tells who uses it that one of another secret has taken its place', async () => {
    const name = newName();
    const shared = await Shared.open(client, name, CAPACITY);
    await shared.add('a');
    await shared.clear();
    expect([await shared.has('a'), await shared.add('a')]).toEqual([false, true]);
    await Other.fromLocal(another.client, name, keyed(BlockedBloomFilter, OTHER).from(['a'], CAPACITY), {
      replace: true,
    });
    await expect(shared.has('a')).rejects.toMatchObject({
      code: 'MISMATCH',
      message: `seed of "${name}" must be ${checkOf(OTHER)}, as the filter was made, got ${checkOf(SECRET)}`,
    });
  });

  it('has parameters that versions without secrets refuse, and that do not show it', async () => {
    const names = [newName(), newName()] as const;
    const shared = await Shared.open(client, names[0], CAPACITY);
    const rotating = await Rotating.open(client, names[1], { ...CAPACITY, window: HOUR });
    for (const [i, filter] of [shared, rotating].entries()) {
      const text = String(await server.send('get', names[i] as string));
      expect(JSON.parse(text)).toMatchObject({ bloomery: 2, kind: 'blocked', seed: filter.seed });
      for (const shown of [text, inspect(filter, { depth: 9, showHidden: true }), JSON.stringify(filter)]) {
        expectSilent(shown);
      }
    }
    for (const Class of [Shared, Rotating]) expectSilent(inspect(Class, { depth: 9, showHidden: true }));
  });
});

describe('a local filter with a secret', () => {
  const filter = Local.from(KEYS, CAPACITY);

  it('becomes one in Redis, and is merged into one', async () => {
    const name = newName();
    const shared = await Shared.fromLocal(client, name, filter);
    await shared.merge(Local.from(['more'], CAPACITY));
    const other = await Shared.open(another.client, name);
    expect(await other.omit([...KEYS, 'more', 'absent'])).toEqual(['absent']);
  });

  it('is refused by classes of another secret or of none, and they are by its class', async () => {
    const [seed, other] = [checkOf(SECRET), checkOf(OTHER)];
    const plain = BlockedBloomFilter.from(KEYS, CAPACITY);
    const name = newName();
    const bring = (Class: typeof RedisBloomFilter, local: BlockedBloomFilter): Promise<unknown> =>
      Class.fromLocal(client, name, local);
    await expect(bring(RedisBloomFilter, filter)).rejects.toThrow(
      new RangeError(`filter must be without a secret, got one under ${seed}: see keyed`),
    );
    await expect(bring(Other, filter)).rejects.toThrow(new RangeError(`seed of filter must be ${other}, got ${seed}`));
    await expect(bring(Shared, plain)).rejects.toThrow(new RangeError(`seed of filter must be ${seed}, got 0`));
    expect(await server.send('exists', name)).toBe(0);
    const [shared, without] = [
      await Shared.open(client, name, CAPACITY),
      await RedisBloomFilter.open(client, newName(), CAPACITY),
    ];
    await expect(shared.merge(plain)).rejects.toThrow(new RangeError(`seed of filter must be ${seed}, got 0`));
    await expect(without.merge(filter)).rejects.toThrow(new RangeError(`seed of filter must be 0, got ${seed}`));
  });

  it('is the copy in the process', async () => {
    const name = newName();
    const shared = await Shared.open(client, name, { ...CAPACITY, mirror: true });
    await shared.addMany(KEYS.slice(0, 100), new Uint8Array(100));
    const other = await Shared.open(another.client, name);
    await other.addMany(KEYS);
    const asked = (): Promise<number> => server.callsOf('evalsha');
    const before = await asked();
    expect(await shared.omit(KEYS.slice(0, 100))).toEqual([]);
    expect(await asked()).toBe(before);
    await shared.refresh();
    const refreshed = await asked();
    expect(await shared.omit(KEYS)).toEqual([]);
    expect(await asked()).toBe(refreshed);
    expect(await shared.omit(['absent'])).toEqual(['absent']);
  });
});

describe('hashed keys in Redis', () => {
  it('made under the secret take the place of keys, and no others', async () => {
    const shared = await Shared.open(client, newName(), CAPACITY);
    await shared.addMany(keyedHashKeys(SECRET)(KEYS));
    expect(await shared.omit(KEYS)).toEqual([]);
    await expect(shared.addMany(hashKeys(KEYS))).rejects.toThrow(
      `seed of the hashed keys must be ${checkOf(SECRET)}, got 0`,
    );
  });
});

describe('a filter in Redis that forgets, with a secret,', () => {
  it('answers as one in memory with that secret', async () => {
    const shared = await Rotating.open(client, newName(), { ...CAPACITY, window: 24 * HOUR });
    const local = new Local({ capacity: 5000, errorRate: 0.005 });
    expect(await shared.dedupe(KEYS)).toEqual(local.dedupe(KEYS));
    const probes = Uint32Array.from({ length: 3000 }, (_, i) => i);
    const other = await keyed(RotatingRedisBloomFilter, SECRET).open(another.client, shared.name);
    expect(await other.hasMany(probes)).toEqual(local.hasMany(probes));
    expect(await other.omit(KEYS)).toEqual([]);
    await expect(Shared.open(client, shared.name)).rejects.toMatchObject({ code: 'MISMATCH' });
  });
});

it('a class in Redis takes one secret, on WebAssembly', () => {
  expect(() => keyed(Shared, OTHER)).toThrow('Class must be without a secret, got a class that has one');
  expect(() => keyedInJs(RedisBloomFilter, SECRET)).toThrow(
    /^Class must run on the engine js, got one that runs on wasm/,
  );
  expect(Shared.name).toBe('RedisBloomFilter');
});
