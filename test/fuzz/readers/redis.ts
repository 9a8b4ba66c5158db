// What Redis has under the name of a filter: its parameters as JSON, damaged or forged. And what a server may reply to a
// client: flags, parameters, lists, pieces, errors and redirections.

import { RedisBloomFilter, type RedisClient, RotatingRedisBloomFilter } from '../../../src/entries/redis.ts';
import { BlockedBloomFilter, FilterMemoryError } from '../../../src/index.ts';
import { BLOCK_BITS, MAX_BLOCKS, WORDS } from '../../../src/kinds/blocked/sizing.ts';
import { slotOf, spreadTags } from '../../../src/redis/cluster-slots.ts';
import { RedisFilterError } from '../../../src/redis/error.ts';
import { Layout } from '../../../src/redis/layout.ts';
import {
  checkOf,
  describeNew,
  describeRotating,
  finished,
  parse,
  type StoredParameters,
} from '../../../src/redis/parameters.ts';
import { anything, damageBytes } from '../damage/bytes.ts';
import { FakeServer } from '../damage/redis-server.ts';
import { attempt, attemptLater, type Outcome, pick, type Random, type Reader, require } from '../subject.ts';

const NAME = 'seen';
const SLOTS = 16384;

/** Their ids would be random, and so would be the cases. */
const originals: readonly StoredParameters[] = [
  describeNew({ cellCount: 256, hashes: WORDS, seed: 0, capacity: 20, errorRate: 0.01 }, 16),
  describeNew({ cellCount: 256 * 9, hashes: WORDS, seed: 2 ** 32 + 7, capacity: 20, errorRate: 0.01 }, 16),
  finished(describeNew({ cellCount: 256 * 4096, hashes: WORDS, seed: 7, capacity: 0, errorRate: 0 }, 3)),
  describeRotating(
    { cellCount: 256 * 500, hashes: WORDS, seed: 2 ** 32 - 1, capacity: 9000, errorRate: 0.001 },
    2,
    1000,
  ),
].map((stored, i) => {
  const id = `${i}`.padStart(16, '0');
  return { ...stored, id, origin: id };
});

const OTHERS = ['blocked', 'ready', 'creating', '0123456789abcdef', '1', 'NaN', '__proto__'];

/** The text of damaged parameters; those whose check matches are forged. */
function damagedParameters(random: Random): string {
  const value: Record<string, unknown> = { ...pick(random, originals) };
  for (let times = random(3); times > 0; times--) {
    const name = pick(random, Object.keys(value));
    if (random(10) === 0) Reflect.deleteProperty(value, name);
    else
      value[name] =
        name === 'bits' && random(2) === 0
          ? pick(random, [256 * random(70_000), 2 ** 40, 2 ** 40 - 256, '256'])
          : anything(random, OTHERS);
  }
  if (random(20) === 0) value[pick(random, ['more', '__proto__', 'toString'])] = anything(random, OTHERS);
  if (random(5) > 0) value['check'] = checkOf(value as object as StoredParameters);
  const text = JSON.stringify(random(40) === 0 ? anything(random, OTHERS) : value);
  if (random(4) > 0) return text;
  return Buffer.from(damageBytes(new TextEncoder().encode(text), random)).toString();
}

const CODES = ['FOREIGN', 'VERSION', 'DAMAGED'];

const isRefusal = (error: unknown): boolean =>
  error instanceof RedisFilterError && CODES.includes(error.code) && error.message.includes(NAME);

/** Throws unless parameters are such as this package writes. */
function requireParameters(stored: StoredParameters): void {
  const { bloomery, bits, hashes, seed, capacity, errorRate, window, pieceBlocks, groups, id, origin, state } = stored;
  const isCount = (value: number, least: number, most: number): boolean =>
    Number.isSafeInteger(value) && value >= least && value <= most;
  require(bits % BLOCK_BITS === 0 && isCount(bits / BLOCK_BITS, 1, MAX_BLOCKS), `${bits} bits are whole blocks`);
  require(hashes === WORDS, `a filter in Redis has ${WORDS} hashes`);
  const least = bloomery === 1 ? 0 : 2 ** 32;
  require(isCount(seed, least, least + 2 ** 32 - 1), `the seed ${seed} is one of version ${bloomery}`);
  require(isCount(capacity, 0, Number.MAX_SAFE_INTEGER), `the capacity ${capacity} is a count`);
  const isRate = typeof errorRate === 'number' && errorRate >= 0 && errorRate < 1;
  require(isRate && capacity > 0 === errorRate > 0, `the error rate ${errorRate} is a share`);
  require(isCount(window, 0, 2 ** 45), `the window ${window} is a number of milliseconds`);
  require(isCount(pieceBlocks, 1, 2 ** 15) && isCount(groups, 1, 1024), 'the pieces have a size');
  require(/^[0-9a-f]{16} [0-9a-f]{16}$/.test(`${id} ${origin}`), 'the ids are ids');
  require(state === 'creating' || state === 'ready', 'the state is one of two');
}

/** Throws unless the pieces of a filter cover its body once, and lie in the slots of their lists. */
function requireLayout(stored: StoredParameters): void {
  const layout = new Layout(NAME, stored);
  let end = 0;
  const keys = new Set<string>();
  for (const { key, list, offset, byteLength } of layout.pieces()) {
    require(offset === end && byteLength > 0, 'a piece begins where the one before it ends');
    require(slotOf(key) === slotOf(list), 'a piece is in the slot of its list');
    end += byteLength;
    keys.add(key);
  }
  require(end === stored.bits / 8 && keys.size === layout.count, 'the pieces are the body');
}

const parameters: Reader = {
  name: 'parameters in Redis',
  share: 80_000,
  run(subject) {
    const { random } = subject;
    const text = damagedParameters(random);
    subject.input = text;
    const stored = attempt(() => parse(NAME, text), isRefusal);
    if (stored === undefined) return 'refused';
    requireParameters(stored);
    require(JSON.stringify(stored) === text, 'parameters are written as they were read');
    if (stored.groups <= 16 && stored.bits / stored.pieceBlocks < 1e5) requireLayout(stored);
    return 'read';
  },
};

/** The slot of a key, computed bit by bit as the specification of Redis Cluster says. */
function slotSlowly(key: string): number {
  const tag = /^[^{]*\{([^}]+)\}/s.exec(key)?.[1] ?? key;
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    for (let bit = 7; bit >= 0; bit--) {
      const isOne = ((crc >> 15) ^ (byte >> bit)) & 1;
      crc = ((crc << 1) & 0xffff) ^ (isOne ? 0x1021 : 0);
    }
  }
  return crc % SLOTS;
}

const slots: Reader = {
  name: 'slots of a cluster',
  share: 20_000,
  run(subject) {
    const { random } = subject;
    const letters = Array.from({ length: random(14) }, () => pick(random, ['{', '}', 'a', 'b', ':', '\n', 'é', '\0']));
    const key = letters.join('');
    subject.input = key;
    require(slotOf(key) === slotSlowly(key), 'a key has the slot of its tag');
    // An id of a filter has no braces.
    if (random(20) === 0 && !key.includes('{')) {
      const count = 1 + random(64);
      const ranges = spreadTags(key, count).map((tag) => Math.floor((slotOf(tag) * count) / SLOTS));
      require(ranges.length === count, 'there are as many tags as wanted');
      require(new Set(ranges).size === count, 'tags are spread over equal ranges of slots');
    }
    return 'read';
  },
};

/** A filter under a secret is refused at once. */
const withoutSecret = originals
  .filter(({ bloomery }) => bloomery === 1)
  .map((stored): StoredParameters => ({ ...stored, check: checkOf(stored) }));

const KEYS = ['a', 'b', 'c', 'd', 'e'];
/** A call ends after fewer commands than this, whatever the server replies. */
const MOST_COMMANDS = 3000;

const REPLIED = [
  ...['ABSENT', 'EXISTS', 'FOREIGN', 'VERSION', 'DAMAGED', 'MISMATCH', 'EVICTION', 'LOST', 'TIMEOUT', 'CONNECTION'],
  ...['UNREPLICATED', 'REDIS', 'NOPERM', 'OOM', 'READONLY', 'SECRET'],
];

/** A damaged answer may describe a filter that fits no memory. */
const isReplied = (error: unknown): boolean =>
  error instanceof FilterMemoryError || (error instanceof RedisFilterError && REPLIED.includes(error.code));

function clientOf(server: FakeServer, random: Random): RedisClient {
  const isCluster = random(2) === 0;
  return server[pick(random, ['adapter', 'ioRedis', 'nodeRedis'] as const)](isCluster) as RedisClient;
}

const isFlags = (flags: Uint8Array, count: number): boolean =>
  flags.length === count && flags.every((flag) => flag === 0 || flag === 1);

type Use<F> = readonly [name: string, use: (filter: F) => Promise<boolean>];

/** What every filter in Redis can do, and whether its result can be one. */
const common: readonly Use<RedisBloomFilter | RotatingRedisBloomFilter>[] = [
  ['has', async (filter) => typeof (await filter.has('a')) === 'boolean'],
  ['add', async (filter) => typeof (await filter.add('a')) === 'boolean'],
  ['hasMany', async (filter) => isFlags(await filter.hasMany(KEYS), KEYS.length)],
  ['addMany', async (filter) => (await filter.addMany(KEYS)) === filter],
  ['dedupe', async (filter) => (await filter.dedupe(KEYS)).every((key) => KEYS.includes(key))],
  ['delete', async (filter) => (await filter.delete()) === undefined],
];

const local = new BlockedBloomFilter({ bits: 256, seed: 0 }).addMany(KEYS);

async function isCopied(filter: RedisBloomFilter): Promise<boolean> {
  using copy = await filter.toLocal();
  return copy.bits === filter.bits && copy.seed === filter.seed;
}

const isRatio = (fill: number): boolean => fill >= 0 && fill <= 1;

const fixed: readonly Use<RedisBloomFilter>[] = [
  ...common,
  ['toLocal', isCopied],
  ['fillRatio', async (filter) => isRatio(await filter.fillRatio())],
  ['clear', async (filter) => (await filter.clear()) === undefined],
  ['merge', async (filter) => filter.bits !== local.bits || (await filter.merge(local)) === filter],
];

async function useAll<F>(filter: F, uses: readonly Use<F>[], random: Random): Promise<Outcome> {
  let outcome: Outcome = 'read';
  for (let times = random(3); times >= 0; times--) {
    const [name, use] = pick(random, uses);
    const isRight = await attemptLater(() => use(filter), isReplied);
    require(isRight !== false, `${name} gives what it should`);
    if (isRight === undefined) outcome = 'refused';
  }
  return outcome;
}

async function useFilter(client: RedisClient, random: Random, isRotating: boolean): Promise<Outcome> {
  // Shorter than the pause before a retry, so that none is waited for.
  const settings = { timeout: 19, readFrom: pick(random, ['master', 'replica'] as const) };
  if (isRotating) {
    const filter = await attemptLater(() => RotatingRedisBloomFilter.open(client, 'seen', settings), isReplied);
    return filter ? useAll(filter, common, random) : 'refused';
  }
  const options = { ...settings, ...(random(3) === 0 && { bits: 256 }), ...(random(3) === 0 && { mirror: true }) };
  const open = (): Promise<RedisBloomFilter> =>
    random(8) === 0
      ? RedisBloomFilter.fromLocal(client, 'seen', local, settings)
      : RedisBloomFilter.open(client, 'seen', options);
  const filter = await attemptLater(open, isReplied);
  return filter ? useAll(filter, fixed, random) : 'refused';
}

const replies: Reader = {
  name: 'replies of Redis',
  share: 2000,
  async run(subject) {
    const { random } = subject;
    const stored = pick(random, withoutSecret);
    const every = pick(random, [1e6, 20, 6, 3]);
    const server = new FakeServer({ random, stored, every, most: MOST_COMMANDS, damaged: damagedParameters });
    const isRotating = random(8) === 0 ? random(2) === 0 : stored.window > 0;
    subject.input = JSON.stringify({ stored, isRotating });
    try {
      const outcome = await useFilter(clientOf(server, random), random, isRotating);
      require(server.commands < MOST_COMMANDS, `fewer than ${MOST_COMMANDS} commands are sent`);
      return outcome;
    } finally {
      // What is still on its way must make no more choices.
      server.isClosed = true;
    }
  },
};

export const redisReaders: readonly Reader[] = [parameters, slots, replies];
