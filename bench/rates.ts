// Shows which kind to take at which error rate, in the cache and past it: `npm run bench:rates -- --help`.

import { parseArgs } from 'node:util';
import { printed } from './command.ts';
import { thisMachine } from './machine.ts';
import { readCount } from './options.ts';
import { planOf } from './plan.ts';
import { makeIntegers, makeNames } from './rates-keys.ts';
import { blocked, classic, type Kind, wide } from './rates-kinds.ts';
import { markdownOf, type Report } from './rates-report.ts';
import { compareKinds, type Result } from './rates-results.ts';
import { callByCall, inBatches } from './rates-ways.ts';
import { integer } from './report.ts';
import { status } from './status.ts';

const KEYS = '1e5,2e7';
const ROUNDS = 5;
/** Keys are 32-bit integers, and memory is finite. */
const MOST_KEYS = 1e8;
const NAMES = 20_000;
const NAMES_ERROR_RATE = 0.001;

const ALL_KINDS: readonly Kind[] = [classic, blocked, wide];
/** The error rates, and the kinds that keep them. */
const KINDS_AT: ReadonlyMap<number, readonly Kind[]> = new Map([
  [0.01, ALL_KINDS],
  [0.001, ALL_KINDS],
  [1e-6, [classic, wide]],
]);

const USAGE = `Usage: npm run bench:rates -- [options]

  --keys 1e5,2e7    how many integers to add, and to look up (default: ${KEYS})
  --rounds 5        how many rounds to take the median of (default: ${ROUNDS})
  --json            print the results as JSON
  --help            show this text`;

interface Plan {
  readonly keys: readonly number[];
  readonly rounds: number;
  readonly json: boolean;
}

/** What the command line asks for; undefined for help. */
function readPlan(args: string[]): Plan | undefined {
  const { values } = parseArgs({
    args,
    options: {
      keys: { type: 'string', default: KEYS },
      rounds: { type: 'string', default: String(ROUNDS) },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  return {
    keys: values.keys.split(',').map((count) => readCount('keys', count, MOST_KEYS)),
    rounds: readCount('rounds', values.rounds, 1000),
    json: values.json,
  };
}

function compareBatches(count: number, rounds: number): Result[] {
  status(`making ${integer.format(count)} keys …`);
  const integers = makeIntegers(count);
  const way = inBatches(new Uint8Array(count));
  return [...KINDS_AT].flatMap(([errorRate, kinds]) => compareKinds(kinds, errorRate, integers, way, rounds));
}

function report({ keys, rounds, json }: Plan): string {
  const all: Report = {
    machine: thisMachine(),
    roundCount: rounds,
    batches: keys.flatMap((count) => compareBatches(count, rounds)),
    calls: compareKinds(ALL_KINDS, NAMES_ERROR_RATE, makeNames(NAMES), callByCall, rounds),
  };
  return json ? JSON.stringify(all, null, 2) : markdownOf(all);
}

const plan = planOf(USAGE, readPlan);
if (plan !== undefined) await printed(() => report(plan));
