// Compares all kinds of filters, in the cache and past it, and what a user would take otherwise: `npm run bench:kinds`.

import { parseArgs } from 'node:util';
import { printed } from './command.ts';
import { kindsText } from './kinds-report.ts';
import { compareAll } from './kinds-results.ts';
import { describeMachine, thisMachine } from './machine.ts';
import { readCount } from './options.ts';
import { planOf } from './plan.ts';

const KEYS = '1e5,1e7';
const ERROR_RATES = '0.01,0.001';
const ROUNDS = 5;
const MOST_KEYS = 1e8;

const USAGE = `Usage: npm run bench:kinds -- [options]

  --keys 1e5,1e7              how many integers to add, and to look up (default: ${KEYS})
  --error-rates 0.01,0.001    the error rates to ask for (default: ${ERROR_RATES})
  --rounds 5                  how many rounds to take the median of (default: ${ROUNDS})
  --json                      print the results as JSON
  --help                      show this text`;

interface Plan {
  readonly keys: readonly number[];
  readonly errorRates: readonly number[];
  readonly rounds: number;
  readonly json: boolean;
}

function readRate(text: string): number {
  const rate = Number(text);
  if (rate > 1e-8 && rate < 1) return rate;
  throw new RangeError(`--error-rates must be above 1e-8 and below 1, got '${text}'`);
}

/** What the command line asks for; undefined for help. */
function readPlan(args: string[]): Plan | undefined {
  const { values } = parseArgs({
    args,
    options: {
      keys: { type: 'string', default: KEYS },
      'error-rates': { type: 'string', default: ERROR_RATES },
      rounds: { type: 'string', default: String(ROUNDS) },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  return {
    keys: values.keys.split(',').map((count) => readCount('keys', count, MOST_KEYS)),
    errorRates: values['error-rates'].split(',').map(readRate),
    rounds: readCount('rounds', values.rounds, 1000),
    json: values.json,
  };
}

function report({ keys, errorRates, rounds, json }: Plan): string {
  const comparisons = keys.flatMap((count) => errorRates.map((errorRate) => compareAll(count, errorRate, rounds)));
  const machine = thisMachine();
  if (json) return JSON.stringify({ machine, roundCount: rounds, comparisons }, null, 2);
  return ['# bloomery: all kinds', describeMachine(machine), ...kindsText(comparisons, rounds)].join('\n\n');
}

const plan = planOf(USAGE, readPlan);
if (plan !== undefined) await printed(() => report(plan));
