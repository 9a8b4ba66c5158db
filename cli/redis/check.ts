import type { RedisBodyReport, RedisFilterReport, RedisMasterReport } from 'bloomery/redis';
import { flag } from '../args/command.ts';
import { jsonOption } from '../args/options.ts';
import { command } from '../args/parse.ts';
import { oneLine } from '../errors.ts';
import { type Fact, listOf } from '../filters/facts.ts';
import { write, writeJson } from '../filters/output.ts';
import { byteSize, duration, exactSize, integer, plural, rate } from '../numbers.ts';
import { serverOptions } from './address.ts';
import { withRedis } from './server.ts';
import { nameOperand } from './shared.ts';

/** The exit codes, as monitoring wants them. */
export const EXIT_CODES = { ok: 0, warning: 1, critical: 2 } as const;

/** What a filter was made for, and what it takes. */
function factsOf({ parameters, byteLength, memory, lists, orphans }: RedisFilterReport): Fact[] {
  const left: Fact[] = orphans?.length ? [['orphans', plural(orphans.length, 'piece')]] : [];
  if (parameters === null) return left;
  const { version, capacity, errorRate, bits, window } = parameters;
  return [
    ['kind', `blocked${window > 0 ? `, forgets after ${duration(window / 1000)} or up to twice as long` : ''}`],
    ['made for', capacity > 0 ? `${plural(capacity, 'key')}, error rate ${rate(errorRate)}` : `${integer(bits)} bits`],
    ['format', `version ${version}`],
    ...(byteLength === null ? [] : [['bits', exactSize(byteLength)] as const]),
    ...(memory === null ? [] : [['memory', exactSize(memory)] as const]),
    ['lists', `${lists.filter(({ isRight }) => isRight).length} of ${lists.length} are right`],
    ...left,
  ];
}

function bodyFact({ generation, pieces, missing, damaged, fillRatio, estimatedCount }: RedisBodyReport): Fact {
  const right = pieces - missing.length - damaged.length;
  const count = estimatedCount === null ? 'more keys than can be told' : `about ${plural(estimatedCount, 'key')}`;
  const filled = fillRatio === null ? '' : `, fill ratio ${rate(fillRatio)}, ${count}`;
  const name = generation === null ? 'pieces' : `window ${generation}`;
  return [name, `${right} of ${pieces} are right${filled}`];
}

function masterFact(master: RedisMasterReport): Fact {
  const { address, version, policy, maxMemory, usedMemory, clockAhead, hasParameters, pieces, lists } = master;
  const held = hasParameters ? 'parameters, ' : '';
  const limit = maxMemory ? ` of ${byteSize(maxMemory)}` : ', no limit';
  const told = [
    ...(version === null ? [] : [`version ${version}`]),
    ...(policy === null ? [] : [policy]),
    ...(usedMemory === null ? [] : [`${byteSize(usedMemory)}${limit}`]),
    ...(pieces === null || lists === null ? [] : [`${held}${plural(pieces, 'piece')}, ${plural(lists, 'list')}`]),
    ...(clockAhead === null ? [] : [`clock ${(clockAhead / 1000).toFixed(3)} s ahead`]),
  ];
  return [address === null ? 'server' : 'master', [...(address ? [address] : []), ...told].join('; ')];
}

/** The report for people. The first line says the worst, for monitoring. */
export function reportText(report: RedisFilterReport): string {
  const { name, status, problems, bodies, masters } = report;
  const [worst] = problems;
  const said = worst && status !== 'ok' ? `${worst.code}: ${worst.message}` : 'nothing is wrong';
  const first = `${status}: ${oneLine(name)}: ${said}\n`;
  const told = problems.map(({ level, code, message, remedy }) => `\n${level} ${code}: ${message}\n  ${remedy}\n`);
  return `${first}${told.join('')}\n${listOf([...factsOf(report), ...bodies.map(bodyFact), ...masters.map(masterFact)])}`;
}

export const redisCheckCommand = command({
  name: 'redis check',
  summary: 'tell what is wrong with a filter in Redis',
  description:
    'Describes a filter in Redis or Valkey, in whatever state it is: what is wrong and what to do about it, ' +
    'how full it is, which server holds what, and how far the clocks are apart. Changes nothing. The exit code is 0 if ' +
    'nothing is wrong, 1 if something may go wrong, and 2 if calls fail or keys may be absent, or if the check itself ' +
    'fails. Redis counts the bits, some 1.5 GB a second, and goes through the names of all keys.',
  operands: [nameOperand],
  options: {
    json: jsonOption,
    'no-orphans': flag('do not look for strings that no filter has: faster if the servers have many other keys'),
    ...serverOptions,
  },
  examples: ['bloomery redis check seen', 'bloomery redis check seen --no-orphans --json --cluster'],
  async action([name = ''], { json, 'no-orphans': skips, ...server }) {
    const { RedisBloomFilter } = await import('bloomery/redis');
    await withRedis(server, async (client) => {
      const report = await RedisBloomFilter.check(client, name, { orphans: !skips });
      if (json) await writeJson(report);
      else await write(reportText(report));
      process.exitCode = EXIT_CODES[report.status];
    });
  },
});
