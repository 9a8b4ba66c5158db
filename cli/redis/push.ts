import { BlockedBloomFilter } from 'bloomery';
import type { RedisBloomFilter, RedisClient } from 'bloomery/redis';
import { flag } from '../args/command.ts';
import { filterOperand } from '../args/options.ts';
import { command } from '../args/parse.ts';
import { CommandError, nameOf, quote } from '../errors.ts';
import { loadFilter, warnIfOverfull } from '../filters/filter-file.ts';
import { write } from '../filters/output.ts';
import { byteSize, integer, plural } from '../numbers.ts';
import { serverOptions } from './address.ts';
import { withRedis } from './server.ts';
import { measure, nameOperand, openFilter, WRITING } from './shared.ts';

/** @throws CommandError unless the filter in the file is of the kind that Redis holds */
async function loadBlocked(file: string): Promise<BlockedBloomFilter> {
  const { filter } = await loadFilter(file);
  if (filter instanceof BlockedBloomFilter) return filter;
  throw new CommandError(
    `${nameOf(file)} is a ${filter.kind} filter, and Redis holds blocked ones: build it with --kind blocked`,
  );
}

/** Opens the filter of a name; undefined if there is none. */
async function findFilter(client: RedisClient, name: string): Promise<RedisBloomFilter | undefined> {
  const { RedisFilterError } = await import('bloomery/redis');
  try {
    return await openFilter(client, name, WRITING);
  } catch (error) {
    if (error instanceof RedisFilterError && error.code === 'ABSENT') return undefined;
    throw error;
  }
}

/** @throws CommandError unless the keys of the file can be added to the filter in Redis */
function requireAlike(shared: RedisBloomFilter, filter: BlockedBloomFilter, file: string): void {
  if (shared.bits === filter.bits && shared.seed === filter.seed) return;
  const shape = ({ bits, seed }: { readonly bits: number; readonly seed: number }): string =>
    `${integer(bits)} bits and the seed ${seed}`;
  const { capacity, errorRate, seed } = shared;
  throw new CommandError(
    `${quote(shared.name)} has ${shape(shared)}, but ${nameOf(file)} has ${shape(filter)}: build it with ` +
      `--capacity ${capacity} --error-rate ${errorRate} --seed ${seed}, or use --replace`,
  );
}

export const redisPushCommand = command({
  name: 'redis push',
  summary: 'copy a filter to Redis, or add its keys to the one there',
  description:
    'Copies a blocked filter to Redis or Valkey, for RedisBloomFilter of bloomery/redis. If there is a filter of that ' +
    'name, the keys are added to it, if it has the same size and seed, or it is replaced with --replace.',
  operands: [filterOperand, nameOperand],
  options: {
    replace: flag(
      'replace the filter that is there; whoever uses it goes on with the new one if both were made for the same capacity, error rate and seed',
    ),
    ...serverOptions,
  },
  examples: [
    'bloomery redis push seen.bloom seen',
    'bloomery redis push new.bloom seen --replace --url redis://cache:6379',
  ],
  async action([file = '', name = ''], { replace, ...server }) {
    const filter = await loadBlocked(file);
    await withRedis(server, async (client) => {
      const found = await findFilter(client, name);
      const isAdded = found !== undefined && !replace;
      if (isAdded) requireAlike(found, filter, file);
      const { RedisBloomFilter } = await import('bloomery/redis');
      const shared = isAdded
        ? await found.merge(filter)
        : await RedisBloomFilter.fromLocal(client, name, filter, { replace, ...WRITING });
      const filled = await measure(shared);
      warnIfOverfull(filled);
      const count = filled.estimateCount();
      const keys = Number.isFinite(count) ? `about ${plural(count, 'key')}` : 'more keys than can be estimated';
      const done = isAdded ? 'added to' : found ? 'replaced' : 'made';
      await write(`${done} ${quote(name)}: ${byteSize(shared.byteLength)}, ${keys}\n`);
    });
  },
});
