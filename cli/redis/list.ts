import type { RedisListedFilter } from 'bloomery/redis';
import { jsonOption } from '../args/options.ts';
import { command } from '../args/parse.ts';
import { oneLine } from '../errors.ts';
import { write, writeJson } from '../filters/output.ts';
import { byteSize, duration, integer, rate } from '../numbers.ts';
import { serverOptions } from './address.ts';
import { withRedis } from './server.ts';

const HEAD = ['name', 'keys', 'rate', 'window', 'pieces', 'memory', 'idle', 'orphans'] as const;

const sizeOf = (bytes: number | null): string => (bytes === null ? '?' : byteSize(bytes));

/** The cells of the row of a filter. A question mark says that Redis does not tell. */
function rowOf({ name, hasParameters, parameters, ...rest }: RedisListedFilter): string[] {
  const { pieces, memory, idle, orphans, orphanMemory } = rest;
  const { capacity, errorRate, window = 0 } = parameters ?? {};
  return [
    `${oneLine(name)}${hasParameters ? '' : ' (no parameters)'}`,
    capacity ? integer(capacity) : '?',
    errorRate ? rate(errorRate) : '?',
    window > 0 ? duration(window / 1000) : '-',
    integer(pieces),
    sizeOf(memory),
    idle === null ? '?' : duration(idle),
    orphans === 0 ? '-' : `${integer(orphans)}, ${sizeOf(orphanMemory)}`,
  ];
}

/** Formats rows of cells: the columns are as wide as they must be. */
function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

export const redisListCommand = command({
  name: 'redis list',
  summary: 'list the filters in Redis',
  description:
    'Lists all filters of a server or a cluster of Redis or Valkey: what each was made for, its window if it forgets, ' +
    'the number of its pieces and their memory, for how long nobody has used it, and pieces that no filter has. Goes ' +
    'through the names of all keys of all masters, 500 at a time. Redis does not know how old a key is, and a check ' +
    'counts as a use. A filter of which only the parameters are left is not found: one that forgets and was not used ' +
    'for two windows, or one that is lost.',
  operands: [],
  options: { json: jsonOption, ...serverOptions },
  examples: ['bloomery redis list --json', 'bloomery redis list --cluster --url redis://10.0.0.1:7000'],
  async action(_, { json, ...server }) {
    const { RedisBloomFilter } = await import('bloomery/redis');
    await withRedis(server, async (client) => {
      const found = await RedisBloomFilter.list(client);
      if (json) await writeJson(found);
      else if (found.length > 0) await write(tableOf([HEAD, ...found.map(rowOf)]));
    });
  },
});
