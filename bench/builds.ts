// Compares the speed of two builds of the package, so that a change can show what it costs:
// `npm run bench:builds -- --help`.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ClassName, Job } from './builds-program.ts';
import { type Both, compare, PASSES, type Plan, type Result } from './builds-rounds.ts';
import { builtFolder } from './built-folder.ts';
import { printed } from './command.ts';
import { describeMachine, thisMachine } from './machine.ts';
import { readCount } from './options.ts';
import { planOf } from './plan.ts';
import { type Align, integer, nanoseconds, tableOf, times } from './report.ts';
import { median, ratioOf, type Spread, spreadOf } from './statistics.ts';

const KEYS = 20_000;
const ERROR_RATE = 0.01;
const ROUNDS = 9;

const CLASSES: readonly ClassName[] = ['BloomFilter', 'BlockedBloomFilter', 'CountingBloomFilter'];
const MAIN: Job = { entries: ['index.js'], classes: CLASSES, keys: KEYS, errorRate: ERROR_RATE };

/** What the processes do, by the number of kinds of filters that each uses. */
const JOBS: Readonly<Record<string, readonly Job[]>> = {
  1: CLASSES.map((name) => ({ ...MAIN, classes: [name] })),
  3: [MAIN],
  6: [{ ...MAIN, entries: ['index.js', 'js.js'] }],
};
const ALL_KINDS = Object.keys(JOBS);

const USAGE = `Usage: npm run bench:builds -- DIR [option]...

Compares the build of this checkout with an older one, that of the checkout in DIR.

  --rounds 9        how many rounds to take the median of (default: ${ROUNDS})
  --kinds 1,3,6     how many kinds of filters a process uses (default: ${ALL_KINDS.join(',')})
  --node PATH       the Node to measure with (default: this one)
  --json            print the results as JSON
  --help            show this text`;

interface Command extends Plan {
  readonly version: string;
  readonly json: boolean;
}

/** The version of a Node. Throws a RangeError if it does not run. */
function versionOf(node: string): string {
  try {
    return execFileSync(node, ['--print', 'process.version'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    throw new RangeError(`--node must be a Node that runs, got '${node}'`);
  }
}

/** What the command line asks for; undefined for help. */
function readCommand(args: string[]): Command | undefined {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: String(ROUNDS) },
      kinds: { type: 'string', default: ALL_KINDS.join(',') },
      node: { type: 'string', default: process.execPath },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  const [old, ...more] = positionals;
  if (old === undefined || more.length > 0) throw new RangeError(`one DIR is needed, got ${positionals.length}`);
  const chosen = values.kinds.split(',');
  const unknown = chosen.find((kinds) => !ALL_KINDS.includes(kinds));
  if (unknown !== undefined) throw new RangeError(`--kinds takes ${ALL_KINDS.join(', ')}, got '${unknown}'`);
  return {
    folders: { old: builtFolder(old), new: builtFolder(join(import.meta.dirname, '..')) },
    jobs: ALL_KINDS.filter((kinds) => chosen.includes(kinds)).flatMap((kinds) => JOBS[kinds] ?? []),
    rounds: readCount('rounds', values.rounds, 1000),
    node: values.node,
    version: versionOf(values.node),
    json: values.json,
  };
}

/** The figures of an operation. */
interface Figures {
  /** How many kinds of filters the process used. */
  readonly kinds: number;
  readonly name: ClassName;
  readonly operation: string;
  /** Nanoseconds per key. */
  readonly old: number;
  readonly new: number;
  /** New divided by old. */
  readonly ratio: Spread;
  /** The same for the least times of all passes. */
  readonly least: number;
}

function figuresOf({ job, name, operation, rounds }: Result): Figures {
  const typical = (build: keyof Both<unknown>): number => median(rounds.map((round) => median(round[build])));
  const least = (build: keyof Both<unknown>): number => Math.min(...rounds.map((round) => Math.min(...round[build])));
  return {
    kinds: job.entries.length * job.classes.length,
    name,
    operation,
    old: typical('old'),
    new: typical('new'),
    ratio: spreadOf(rounds.map((round) => ratioOf(round.old, round.new).median)),
    least: least('new') / least('old'),
  };
}

function tableFor(figures: readonly Figures[]): string {
  const header = ['kinds', 'class', 'operation', 'old, ns', 'new, ns', 'new / old', 'spread', 'least'];
  const align = header.map((_, column): Align => (column === 1 || column === 2 ? 'left' : 'right'));
  const rows = figures.map(({ kinds, name, operation, old, new: changed, ratio, least }) => [
    String(kinds),
    name,
    operation,
    nanoseconds(old),
    nanoseconds(changed),
    times(ratio.median),
    `${times(ratio.lowest)}–${times(ratio.highest)}`,
    times(least),
  ]);
  return tableOf(header, rows, align);
}

async function report(command: Command): Promise<string> {
  const { folders, rounds, version, json } = command;
  const figures = (await compare(command)).map(figuresOf);
  const machine = { ...thisMachine(), node: version };
  if (json) return JSON.stringify({ machine, folders, keys: KEYS, errorRate: ERROR_RATE, rounds, figures }, null, 2);
  return [
    '# bloomery: two builds',
    describeMachine(machine),
    `Old: \`${folders.old}\`. New: \`${folders.new}\`.`,
    `${integer.format(KEYS)} strings, error rate ${100 * ERROR_RATE} %, nanoseconds per key. Kinds: how many kinds of filters ` +
      'the process used. New / old: below 1 the new build is faster. Both builds run in turns, and the ratio of a round is ' +
      `the median of ${PASSES} turns; shown are the median, the lowest and the highest of ${rounds} rounds. Least: the ratio ` +
      'of the least times of all.',
    tableFor(figures),
  ].join('\n\n');
}

const command = planOf(USAGE, readCommand);
if (command !== undefined) await printed(() => report(command));
