// What a server may reply to a client: flags, parameters, lists, pieces, errors and redirections.

import {
  RedisBloomFilter,
  type RedisClient,
  RedisFilterError,
  RotatingRedisBloomFilter,
} from '../../../src/entries/redis.ts';
import { BlockedBloomFilter, FilterMemoryError } from '../../../src/index.ts';
import { FakeServer } from '../damage/redis-server.ts';
import { attemptLater, type Outcome, pick, type Random, type Reader, require } from '../subject.ts';
import { damagedParameters, sealedParameters } from './redis-parameters.ts';

/** A filter under a secret is refused at once. */
const withoutSecret = sealedParameters.filter(({ bloomery }) => bloomery === 1);

const KEYS = ['a', 'b', 'c', 'd', 'e'];
/** A call ends after fewer commands than this, whatever the server replies. */
const MOST_COMMANDS = 3000;

const CODES = [
  ...['ABSENT', 'EXISTS', 'FOREIGN', 'VERSION', 'DAMAGED', 'MISMATCH', 'EVICTION', 'LOST', 'TIMEOUT', 'CONNECTION'],
  ...['UNREPLICATED', 'REDIS', 'NOPERM', 'OOM', 'READONLY', 'SECRET'],
];

/** A damaged answer may describe a filter that fits no memory. */
const isDocumented = (error: unknown): boolean =>
  error instanceof FilterMemoryError || (error instanceof RedisFilterError && CODES.includes(error.code));

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
    const isRight = await attemptLater(() => use(filter), isDocumented);
    require(isRight !== false, `${name} gives what it should`);
    if (isRight === undefined) outcome = 'refused';
  }
  return outcome;
}

async function useFilter(client: RedisClient, random: Random, isRotating: boolean): Promise<Outcome> {
  // Shorter than the pause before a retry, so that none is waited for.
  const settings = { timeout: 19, readFrom: pick(random, ['master', 'replica'] as const) };
  if (isRotating) {
    const filter = await attemptLater(() => RotatingRedisBloomFilter.open(client, 'seen', settings), isDocumented);
    return filter ? useAll(filter, common, random) : 'refused';
  }
  const options = { ...settings, ...(random(3) === 0 && { bits: 256 }), ...(random(3) === 0 && { mirror: true }) };
  const open = (): Promise<RedisBloomFilter> =>
    random(8) === 0
      ? RedisBloomFilter.fromLocal(client, 'seen', local, settings)
      : RedisBloomFilter.open(client, 'seen', options);
  const filter = await attemptLater(open, isDocumented);
  return filter ? useAll(filter, fixed, random) : 'refused';
}

const replies: Reader = {
  name: 'replies of Redis',
  share: 2000,
  async run(subject) {
    const { random } = subject;
    const stored = pick(random, withoutSecret);
    const server = new FakeServer(random, stored, {
      every: pick(random, [1e6, 20, 6, 3]),
      most: MOST_COMMANDS,
      damaged: damagedParameters,
    });
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

export const redisReplyReaders: readonly Reader[] = [replies];
