// Measures how close bloomery comes to native code. Both do the same work on the same keys, in turns, and must set the
// same bits and give the same answers.

import { parseArgs } from 'node:util';
import { thisMachine } from './machine.ts';
import { compile } from './native-program.ts';
import { markdown, shareOf } from './native-report.ts';
import { compare, Difference, type Result } from './native-rounds.ts';
import { integers, madeLines, names, type Workload } from './native-workloads.ts';
import { readCount } from './options.ts';
import { planOf } from './plan.ts';
import { status } from './status.ts';

const USAGE = `Usage: npm run bench:native -- [OPTION]...

Compares bloomery with the same algorithms in C++. Default workloads: --names --lines 1e7.

  --names         the names of all npm packages as lines, a tenth of them held out as absent keys
  --lines N       N made-up addresses as lines, and N / 10 absent ones; up to 1e8
  --integers N    N integers, and N absent ones; up to 1e9
  --rounds N      number of measured rounds (default: 5)
  --json          print JSON instead of Markdown
  --help          show this text`;

const DEFAULT_LINES = 10_000_000;
const DEFAULT_ROUNDS = 5;

interface Plan {
  readonly workloads: readonly (() => Workload)[];
  readonly rounds: number;
  readonly json: boolean;
}

/** What the command line asks for; undefined for help. */
function readPlan(args: string[]): Plan | undefined {
  const { values } = parseArgs({
    args,
    options: {
      names: { type: 'boolean', default: false },
      lines: { type: 'string' },
      integers: { type: 'string' },
      rounds: { type: 'string', default: String(DEFAULT_ROUNDS) },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  const workloads: (() => Workload)[] = [];
  if (values.names) workloads.push(names);
  if (values.lines !== undefined) {
    const count = readCount('lines', values.lines, 1e8);
    workloads.push(() => madeLines(count));
  }
  if (values.integers !== undefined) {
    const count = readCount('integers', values.integers, 1e9);
    workloads.push(() => integers(count));
  }
  if (workloads.length === 0) workloads.push(names, () => madeLines(DEFAULT_LINES));
  return { workloads, rounds: readCount('rounds', values.rounds, 1000), json: values.json };
}

async function resultsOf({ workloads, rounds }: Plan): Promise<Result[]> {
  const results: Result[] = [];
  for (const prepare of workloads) {
    status('preparing the keys …');
    const workload = prepare();
    try {
      results.push(await compare(workload, rounds));
    } finally {
      workload.remove();
      status('');
    }
  }
  return results;
}

function json(results: readonly Result[], rounds: number): string {
  const withShares = results.map((result) => ({
    ...result,
    timings: result.timings.map((timing) => ({ ...timing, share: shareOf(timing) })),
  }));
  return JSON.stringify({ machine: thisMachine(), rounds, results: withShares }, null, 2);
}

async function run(plan: Plan): Promise<void> {
  status('compiling …');
  if (!compile()) {
    status('');
    console.error('no C++ compiler: install g++ or clang++');
    process.exitCode = 1;
    return;
  }
  try {
    const results = await resultsOf(plan);
    console.log(plan.json ? json(results, plan.rounds) : markdown(results, plan.rounds));
  } catch (error) {
    if (!(error instanceof Difference)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

const plan = planOf(USAGE, readPlan);
if (plan !== undefined) await run(plan);
