import { BlockedBloomFilter } from 'bloomery';
import type { RedisBloomFilter, RedisClient, RotatingRedisBloomFilter } from 'bloomery/redis';
import { RotatingBloomFilter } from 'bloomery/rotating';
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

/** @throws CommandError unless the filter in the file is of a kind that Redis holds */
async function loadShareable(file: string): Promise<BlockedBloomFilter | RotatingBloomFilter> {
  const { filter } = await loadFilter(file);
  if (filter instanceof BlockedBloomFilter || filter instanceof RotatingBloomFilter) return filter;
  throw new CommandError(
    `${nameOf(file)} is a ${filter.kind} filter, and Redis holds blocked ones: build it with --kind blocked`,
  );
}

/** Opens the filter of a name; undefined if there is none. */
async function findFilter(
  client: RedisClient,
  name: string,
): Promise<RedisBloomFilter | RotatingRedisBloomFilter | undefined> {
  const { RedisFilterError } = await import('bloomery/redis');
  try {
    return await openFilter(client, name, WRITING);
  } catch (error) {
    if (error instanceof RedisFilterError && error.code === 'ABSENT') return undefined;
    throw error;
  }
}

/** @throws CommandError unless the keys of the file can be added to the filter in Redis */
function requireAlike(
  shared: RedisBloomFilter | RotatingRedisBloomFilter,
  filter: BlockedBloomFilter | RotatingBloomFilter,
  file: string,
): void {
  const bits = filter instanceof RotatingBloomFilter ? filter.bits / filter.generations : filter.bits;
  if (shared.bits === bits && shared.seed === filter.seed) return;
  const shape = ({ bits, seed }: { readonly bits: number; readonly seed: number }): string =>
    `${integer(bits)} bits and the seed ${seed}`;
  const { capacity, errorRate, seed } = shared;
  const differ = `${quote(shared.name)} has ${shape(shared)}, but ${nameOf(file)} has ${shape({ bits, seed: filter.seed })}`;
  if (forgets(shared)) throw new CommandError(`${differ}, in each window`);
  throw new CommandError(
    `${differ}: build it with --capacity ${capacity} --error-rate ${errorRate} --seed ${seed}, or use --replace`,
  );
}

function resultText(done: string, shared: RedisBloomFilter | RotatingRedisBloomFilter, count: number): string {
  const keys = Number.isFinite(count) ? `about ${plural(count, 'key')}` : 'more keys than can be estimated';
  return `${done} ${quote(shared.name)}: ${byteSize(shared.byteLength)}, ${keys}\n`;
}

/** Copies a filter that forgets to Redis, or adds its keys to the one there. Returns what was done. */
async function pushRotating(
  client: RedisClient,
  found: RedisBloomFilter | RotatingRedisBloomFilter | undefined,
  filter: RotatingBloomFilter,
  name: string,
): Promise<string> {
  const { RedisFilterError, RotatingRedisBloomFilter } = await import('bloomery/redis');
  const count = filter.estimateCount();
  try {
    // It also goes on with a filter that an earlier push has left unfinished.
    const made = await RotatingRedisBloomFilter.fromLocal(client, name, filter, WRITING);
    return resultText('made', made, count);
  } catch (error) {
    const isThere = error instanceof RedisFilterError && error.code === 'EXISTS';
    if (!isThere || !(found instanceof RotatingRedisBloomFilter)) throw error;
    return resultText('added to', await found.merge(filter), count);
  }
}

/** Copies a filter to Redis, or adds its keys to the one there. Returns what was done. */
async function pushBlocked(
  client: RedisClient,
  found: RedisBloomFilter | undefined,
  filter: BlockedBloomFilter,
  name: string,
  replace: boolean,
): Promise<string> {
  const { RedisBloomFilter } = await import('bloomery/redis');
  const isAdded = found !== undefined && !replace;
  const shared = isAdded
    ? await found.merge(filter)
    : await RedisBloomFilter.fromLocal(client, name, filter, { replace, ...WRITING });
  const filled = await measure(shared);
  warnIfOverfull(filled);
  const count = filled.estimateCount();
  return resultText(isAdded ? 'added to' : found ? 'replaced' : 'made', shared, count);
}

/** Whether a filter forgets. */
const forgets = (filter: object): boolean => 'window' in filter;

export const redisPushCommand = command({
  name: 'redis push',
  summary: 'copy a filter to Redis, or add its keys to the one there',
  description:
    'Copies a blocked filter to Redis or Valkey, for RedisBloomFilter of bloomery/redis. If there is a filter of that ' +
    'name, the keys are added to it, if it has the same size and seed, or it is replaced with --replace. A rotating ' +
    'filter of two generations with a window, as redis pull saves it, is copied for RotatingRedisBloomFilter: all of its ' +
    'keys are then known as if they were added now.',
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
    const filter = await loadShareable(file);
    await withRedis(server, async (client) => {
      const found = await findFilter(client, name);
      if (found && forgets(found) !== forgets(filter)) {
        const [one, other] = forgets(found) ? [quote(name), nameOf(file)] : [nameOf(file), quote(name)];
        throw new CommandError(`${one} is a filter that forgets, and ${other} is not`);
      }
      if (found && replace && forgets(found)) {
        throw new CommandError(`${quote(name)} is a filter that forgets, which is not replaced: delete it first`);
      }
      if (found && !replace) requireAlike(found, filter, file);
      const done =
        filter instanceof RotatingBloomFilter
          ? await pushRotating(client, found, filter, name)
          : await pushBlocked(client, found as RedisBloomFilter | undefined, filter, name, replace);
      await write(done);
    });
  },
});
