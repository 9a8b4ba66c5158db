// Compares all kinds of filters, in the cache and past it, and what a user would take otherwise: `npm run bench:kinds`.

import { parseArgs } from 'node:util';
import { printed } from './command.ts';
import { type Comparison, compareAll, type KindsResult } from './kinds-results.ts';
import { describeMachine, thisMachine } from './machine.ts';
import { readCount } from './options.ts';
import { planOf } from './plan.ts';
import { integer, nanoseconds, tableOf } from './report.ts';
import type { Spread } from './statistics.ts';

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

function time({ median, lowest, highest }: Spread): string {
  return `${nanoseconds(median)} (${nanoseconds(lowest)}–${nanoseconds(highest)})`;
}

function percent(share: number): string {
  return String(Number((100 * share).toPrecision(3)));
}

function tableFor(results: readonly KindsResult[]): string {
  const rows = results.map(({ subject, keys, bytes, build, hit, miss, found, estimatedErrorRate }) => [
    subject,
    ((8 * bytes) / keys).toFixed(1),
    time(build),
    time(hit),
    time(miss),
    integer.format(found),
    percent(found / keys),
    percent(estimatedErrorRate),
  ]);
  const header = ['', 'bits per key', 'build', 'look up, present', 'look up, absent', 'hits', 'found %', 'estimated %'];
  return tableOf(header, rows, ['left', ...Array<'right'>(7).fill('right')]);
}

function partOf({ keys, errorRate, results, losers }: Comparison): string[] {
  const count = integer.format(keys);
  const lines = losers.map(({ subject, lost }) => `${subject}: not timed, for it loses ${integer.format(lost)} keys.`);
  return [`## ${count} keys at ${percent(errorRate)} %`, tableFor(results), ...lines];
}

function report({ keys, errorRates, rounds, json }: Plan): string {
  const comparisons = keys.flatMap((count) => errorRates.map((errorRate) => compareAll(count, errorRate, rounds)));
  const machine = thisMachine();
  if (json) return JSON.stringify({ machine, roundCount: rounds, comparisons }, null, 2);
  return [
    '# bloomery: all kinds',
    describeMachine(machine),
    `Nanoseconds per key: the median of ${rounds} rounds, with the lowest and the highest. Keys are 32-bit integers, ` +
      'in batches; a `Set` and the peer take them one by one, the peer as strings. Build: a filter is made, and all ' +
      'keys are added. Hits: absent keys reported as present, of as many as there are keys; found: their share; ' +
      'estimated: what the filter says. Bits per key of a `Set` and of the peer are those of the heap.',
    ...comparisons.flatMap(partOf),
  ].join('\n\n');
}

const plan = planOf(USAGE, readPlan);
if (plan !== undefined) await printed(() => report(plan));
