import type { RedisBloomFilter, RedisClient, RotatingRedisBloomFilter } from 'bloomery/redis';
import { jsonOption } from '../args/options.ts';
import { command } from '../args/parse.ts';
import { describe, type Fact, factsOf, listOf, purposeOf } from '../filters/facts.ts';
import { write, writeJson } from '../filters/output.ts';
import { duration, exactSize, integer, plural } from '../numbers.ts';
import { serverOptions } from './address.ts';
import { withRedis } from './server.ts';
import { measure, nameOperand, openFilter, READING } from './shared.ts';

/** What `info` prints about a filter: as JSON for programs, and as a list for people. */
interface Told {
  readonly json: object;
  readonly facts: readonly Fact[];
}

function sizeOf(bytes: number, pieces: number): Fact {
  return ['Redis', `${exactSize(bytes)} in ${plural(pieces, 'piece')}`];
}

async function tellOf(filter: RedisBloomFilter): Promise<Told> {
  const { byteLength, pieces } = filter;
  const filled = await measure(filter);
  return {
    json: { ...describe(filled), redisBytes: byteLength, pieces },
    facts: [...factsOf(filled), sizeOf(byteLength, pieces)],
  };
}

/** Describes a filter that forgets, but not how full it is: that changes with each window. */
function tellOfRotating(filter: RotatingRedisBloomFilter): Told {
  const { kind, capacity, errorRate, window, bits, seed, byteLength } = filter;
  const pieces = 2 * filter.pieces;
  return {
    json: { kind, capacity, errorRate, window, bits, seed, redisBytes: byteLength, pieces },
    facts: [
      ['kind', `${kind}, forgets`],
      purposeOf(filter),
      ['window', duration(window / 1000)],
      ['bits', `twice ${integer(bits)}`],
      ['seed', String(seed)],
      sizeOf(byteLength, pieces),
    ],
  };
}

async function read(client: RedisClient, name: string): Promise<Told> {
  const filter = await openFilter(client, name, READING);
  return 'window' in filter ? tellOfRotating(filter) : tellOf(filter);
}

export const redisInfoCommand = command({
  name: 'redis info',
  summary: 'show the parameters of a filter in Redis, and how full it is',
  description:
    'Shows the parameters of a filter in Redis or Valkey, and how full it is. Redis counts the bits, some ' +
    '1.5 GB a second.',
  operands: [nameOperand],
  options: { json: jsonOption, ...serverOptions },
  examples: ['bloomery redis info seen', 'bloomery redis info seen --cluster --url redis://10.0.0.1:7000 --json'],
  async action([name = ''], { json, ...server }) {
    await withRedis(server, async (client) => {
      const told = await read(client, name);
      if (json) await writeJson(told.json);
      else await write(listOf(told.facts));
    });
  },
});
