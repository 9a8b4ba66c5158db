// Shows where the time of a batch of strings goes, and so how fast one could be at best:
// `npm run bench:strings -- --help`.
//
// The keys are looked up as strings, and as lines with the same bytes: the difference is mostly V8's share.

import { parseArgs } from 'node:util';
import { CHUNK_BYTES, CHUNK_UNITS } from '../src/kernel/scratch.ts';
import { printed } from './command.ts';
import { collectGarbage } from './heap.ts';
import { MOST_NAMES, makeSet } from './keys.ts';
import { describeMachine, thisMachine } from './machine.ts';
import { measure, type Task } from './measure.ts';
import { readCount } from './options.ts';
import { planOf } from './plan.ts';
import { integer, nanoseconds, tableOf, times } from './report.ts';
import { found } from './results.ts';
import { ratioOf, spreadOf } from './statistics.ts';
import { status } from './status.ts';
import { blockedBatch, bloomBatch, plain, type Subject } from './subjects.ts';

const KEYS = 1_000_000;
const ROUNDS = 9;
const PLAIN = 'plain JS, strings';

const USAGE = `Usage: npm run bench:strings -- [options]

  --keys 1e6     how many names to look up (default: ${KEYS})
  --rounds 9     how many rounds to take the median of (default: ${ROUNDS})
  --help         show this text`;

const bytes = new Uint8Array(CHUNK_BYTES);
const encoder = new TextEncoder();

/** Joins the strings in runs as long as the filters' own, and returns the sum of what `use` returns for each. */
function joined(strings: readonly string[], use: (text: string) => number): number {
  let sum = 0;
  let text = '';
  for (let i = 0; i < strings.length; i++) {
    const key = strings[i] as string;
    if (text.length + key.length > CHUNK_UNITS) {
      sum += use(text);
      text = '';
    }
    text += key;
  }
  return sum + use(text);
}

/** Reads each unit, and uses it just enough that the read cannot be optimized away. */
function readUnits(strings: readonly string[]): number {
  let all = 0;
  for (let i = 0; i < strings.length; i++) {
    const key = strings[i] as string;
    for (let at = 0; at < key.length; at++) all ^= key.charCodeAt(at);
  }
  return all;
}

function tasksFor(count: number): { tasks: readonly Task[]; renew: () => void } {
  const names = makeSet('names', count);
  const lines = makeSet('lines', count);
  if (names === undefined || lines === undefined) throw new RangeError(`there are not ${count} names`);
  const strings = (): readonly string[] => names.again.many as readonly string[];
  const hit = (subject: Subject, keys = names.again): (() => number) => {
    const filled = subject.build(names.present);
    return () => found(subject, filled, keys, names.name);
  };
  const runs: Readonly<Record<string, () => number>> = {
    'each unit read': () => readUnits(strings()),
    'strings joined': () => joined(strings(), (text) => text.length),
    'strings joined and encoded': () => joined(strings(), (text) => encoder.encodeInto(text, bytes).written),
    'BloomFilter, lines': hit(bloomBatch, lines.again),
    'BlockedBloomFilter, lines': hit(blockedBatch, lines.again),
    'BloomFilter, strings': hit(bloomBatch),
    'BlockedBloomFilter, strings': hit(blockedBatch),
    [PLAIN]: hit(plain),
  };
  return {
    tasks: Object.entries(runs).map(([label, run]) => ({ label, keys: count, run })),
    renew() {
      names.again.renew();
      collectGarbage();
    },
  };
}

function report(count: number, rounds: number): string {
  status('making the keys …');
  const { tasks, renew } = tasksFor(count);
  const timings = measure(tasks, rounds, `${count} names`, renew);
  const baseline = timings[tasks.findIndex(({ label }) => label === PLAIN)]?.rounds ?? [];
  const rows = tasks.map(({ label }, index) => {
    const own = timings[index]?.rounds ?? [];
    const time = spreadOf(own);
    const speedup = ratioOf(own, baseline);
    return [
      label,
      nanoseconds(time.median),
      `${nanoseconds(time.lowest)}–${nanoseconds(time.highest)}`,
      times(speedup.median),
      `${times(speedup.lowest)}–${times(speedup.highest)}`,
    ];
  });
  return [
    '# bloomery: where the time of a batch of strings goes',
    describeMachine(thisMachine()),
    `${integer.format(count)} names, all present, medians of ${rounds} rounds with the lowest and the highest. Joining ` +
      'and encoding is the fastest way that we know to get strings into memory: a batch does that, then hashes and probes.',
    tableOf(['what', 'ns per key', 'spread', '× plain JS', 'spread'], rows, [
      'left',
      'right',
      'right',
      'right',
      'right',
    ]),
  ].join('\n\n');
}

interface Plan {
  readonly count: number;
  readonly rounds: number;
}

/** What the command line asks for; undefined for help. */
function readPlan(args: string[]): Plan | undefined {
  const { values } = parseArgs({
    args,
    options: {
      keys: { type: 'string', default: String(KEYS) },
      rounds: { type: 'string', default: String(ROUNDS) },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  return { count: readCount('keys', values.keys, MOST_NAMES), rounds: readCount('rounds', values.rounds, 1000) };
}

const plan = planOf(USAGE, readPlan);
if (plan !== undefined) await printed(() => report(plan.count, plan.rounds));
