// Compares a filter of `bloomery/redis` with plain commands: `npm run bench:redis -- --help`.

import { parseArgs } from 'node:util';
import { printed } from './command.ts';
import { readCount } from './options.ts';
import { planOf } from './plan.ts';
import { Deployment } from './redis-deployment.ts';
import { markdownOf } from './redis-report.ts';
import { measureAll, type Result } from './redis-rounds.ts';

const ROUNDS = 3;
const MASTERS = 3;

const USAGE = `Usage: npm run bench:redis -- [--rounds N]

Starts a Redis server, and then a cluster of ${MASTERS}. Needs redis-server.

  --rounds N   how many rounds to take the median of (default: ${ROUNDS})`;

async function main(rounds: number): Promise<string> {
  const results: Result[] = [];
  for (const start of [() => Deployment.single(), () => Deployment.cluster(MASTERS)]) {
    const deployment = await start();
    try {
      results.push(await measureAll(deployment, rounds));
    } finally {
      deployment.close();
    }
  }
  return markdownOf(results, rounds);
}

const rounds = planOf(USAGE, (args): number | undefined => {
  const options = {
    rounds: { type: 'string', default: String(ROUNDS) },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { values } = parseArgs({ args, options });
  return values.help ? undefined : readCount('rounds', values.rounds, 1000);
});
if (rounds !== undefined) await printed(() => main(rounds));
