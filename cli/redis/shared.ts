// A filter in Redis, as the commands see it.

import { expectedBlockedErrorRate } from 'bloomery';
import type { RedisBloomFilter, RedisClient, RotatingRedisBloomFilter } from 'bloomery/redis';
import type { Operand } from '../args/command.ts';
import type { Filled } from '../filters/facts.ts';

export const nameOperand: Operand = { name: 'name', description: 'the name of the filter in Redis' };

/** How long to wait for the answer to each call, in milliseconds: a slow line takes its time for a mebibyte. */
const timeout = 60_000;

/** The settings of commands that change a filter. */
export const WRITING = { timeout } as const;

/** The settings of commands that only read: they need no right to write, and a replica can answer. */
export const READING = { timeout, readFrom: 'replica' } as const;

/** Whether an error says that the filter is one that forgets. */
function isAboutForgetting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'MISMATCH';
}

/** Opens a filter that exists, of either class. */
export async function openFilter(
  client: RedisClient,
  name: string,
  settings: typeof WRITING | typeof READING,
): Promise<RedisBloomFilter | RotatingRedisBloomFilter> {
  const { RedisBloomFilter, RotatingRedisBloomFilter } = await import('bloomery/redis');
  try {
    return await RedisBloomFilter.open(client, name, settings);
  } catch (error) {
    if (!isAboutForgetting(error)) throw error;
    return RotatingRedisBloomFilter.open(client, name, settings);
  }
}

/** Reads how full a filter is. */
export async function measure(filter: RedisBloomFilter): Promise<Filled> {
  const { kind, capacity, errorRate, bits, hashes, seed } = filter;
  const fillRatio = await filter.fillRatio();
  // The estimate of `estimateCount()`, which would count all bits again.
  const count = (-bits / hashes) * Math.log1p(-fillRatio);
  const errorRateNow = Number.isFinite(count) ? expectedBlockedErrorRate(Math.round(count), bits) : 1;
  return {
    kind,
    capacity,
    errorRate,
    cellName: 'bits',
    cellCount: bits,
    hashes,
    seed,
    fillRatio: () => fillRatio,
    estimateCount: () => count,
    estimateErrorRate: () => errorRateNow,
  };
}
