// Compares the speed of two builds of the package, so that a change can show what it costs.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { benchmark, checkout, choice, type Option, type Run, rounds } from '../shared/cli.ts';
import {
  cellsOf,
  integer,
  median,
  nanoseconds,
  ratioOf,
  type Spread,
  spreadOf,
  tableOf,
  times,
} from '../shared/figures.ts';
import { describeMachine, thisMachine } from '../shared/machine.ts';
import type { Job } from './program.ts';
import { type Both, compare, PASSES, type Result } from './rounds.ts';

const KEYS = 20_000;
const ERROR_RATE = 0.01;

const CLASSES: readonly string[] = ['BloomFilter', 'BlockedBloomFilter', 'CountingBloomFilter'];
const MAIN: Job = { entries: ['.'], classes: CLASSES, keys: KEYS, capacity: KEYS, errorRate: ERROR_RATE };
/** Stands for the kinds whose loops are in a linked module. */
const LINKED: Job = { ...MAIN, entries: ['./cuckoo'], classes: ['CuckooFilter'] };
/** Grows to five sub-filters. */
const GROWING: Job = { ...MAIN, entries: ['./scalable'], classes: ['ScalableBloomFilter'], capacity: KEYS / 20 };

/** The jobs of the processes, by the number of kinds of filters that each uses. */
const JOBS: Readonly<Record<string, readonly Job[]>> = {
  1: [...CLASSES.map((name): Job => ({ ...MAIN, classes: [name] })), LINKED, GROWING],
  3: [MAIN],
  6: [{ ...MAIN, entries: ['.', './js'] }],
};
const ALL_KINDS = Object.keys(JOBS);

/** The figures of an operation. */
interface Figures {
  /** How many kinds of filters the process used. */
  readonly kinds: number;
  readonly name: string;
  readonly operation: string;
  /** Nanoseconds per key. */
  readonly old: number;
  readonly new: number;
  /** New divided by old. */
  readonly ratio: Spread;
  /** The same ratio, for the least times of all passes. */
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
  const rows = figures.map(({ kinds, name, operation, old, new: changed, ratio, least }) => [
    String(kinds),
    name,
    operation,
    nanoseconds(old),
    nanoseconds(changed),
    ...cellsOf(ratio, times),
    times(least),
  ]);
  return tableOf(header, rows, ['class', 'operation']);
}

/** The version of the Node at a path. Throws a RangeError if it does not run. */
function versionOf(node: string): string {
  try {
    return execFileSync(node, ['--print', 'process.version'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    throw new RangeError(`--node must be a Node that runs, got '${node}'`);
  }
}

/** The path of a Node, with its version. */
const node: Option<{ readonly path: string; readonly version: string }> = {
  about: 'the Node to measure with (default: this one)',
  example: 'PATH',
  read: (path = process.execPath) => ({ path, version: versionOf(path) }),
};

const options = {
  DIR: checkout('another checkout that has been built: the old build'),
  rounds: rounds(9),
  kinds: choice('how many kinds of filters a process uses', ALL_KINDS),
  node,
};

const run: Run = benchmark(options, async ({ DIR, rounds, kinds, node }) => {
  const folders = { old: DIR, new: join(import.meta.dirname, '../..') };
  const jobs = ALL_KINDS.filter((each) => kinds.includes(each)).flatMap((each) => JOBS[each] ?? []);
  const figures = (await compare({ folders, jobs, rounds, node: node.path })).map(figuresOf);
  const machine = { ...thisMachine(), node: node.version };
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
});
export default run;
