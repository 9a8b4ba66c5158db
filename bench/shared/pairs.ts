// Compares classes of filters, each with another one of the same size, with the same keys.

import type { GrowingFilter, Keys } from 'bloomery';
import { benchmark, choice, count, type Run, rounds, status } from './cli.ts';
import { cellsOf, integer, nanoseconds, ratioOf, spreadOf, tableOf, times } from './figures.ts';
import { aboutSets, type KeySet, requireSet } from './keys.ts';
import { describeMachine } from './machine.ts';
import { type Calls, timeCalls } from './measure.ts';
import { ownLoops } from './own-loops.ts';

/** The error rate of all filters that are compared. */
const ERROR_RATE = 0.01;

type Key = string | number | Uint8Array;

/** A class of filters, as these benchmarks use it. */
interface Class {
  new (options: { capacity: number; errorRate: number }): GrowingFilter & { addMany(keys: Keys): unknown };
}

/** A class of filters, and the one that it is compared with. */
interface Pair {
  readonly name: string;
  readonly base: Class;
  readonly other: Class;
  /** Whether both take numbers; default true. */
  readonly takesNumbers?: boolean;
}

/** What is measured of a class: adding keys, and looking up the same ones, in a batch and one by one. */
function callsFor(Class: Class, label: string, { present, again }: KeySet): Calls[] {
  const options = { capacity: present.count, errorRate: ERROR_RATE };
  const filled = new Class(options);
  filled.addMany(present.many);
  let empty = filled;
  const flags = new Uint8Array(present.count);
  const loops = ownLoops<Key, GrowingFilter>(label);
  const renew = (): void => {
    if (empty !== filled) empty.dispose();
    empty = new Class(options);
  };
  const task = (name: string, least: number, prepare: () => void, run: Calls['run']): Calls => {
    return { label: `${label}, ${name}`, keys: present.count, least, prepare, run };
  };
  const most = Math.floor(present.count * 0.9);
  return [
    task('add, batch', 0, renew, () => {
      empty.addMany(present.many);
      return 0;
    }),
    task('has, batch', present.count, again.renew, () => filled.hasMany(again.many, flags)),
    // Some look present before they are added.
    task('add, one by one', most, renew, () => loops.addEach(empty, present.each() as ArrayLike<Key>)),
    task('has, one by one', present.count, again.renew, () => loops.hasEach(filled, again.each() as ArrayLike<Key>)),
  ];
}

const OPERATIONS = ['add, batch', 'has, batch', 'add, one by one', 'has, one by one'];

function rowsFor({ name, base, other }: Pair, set: string, keys: number, rounds: number): string[][] {
  status(`${name}, ${set}: making the keys …`);
  const made = requireSet(set, keys);
  const calls = callsFor(base, `the base of ${name}, ${set}`, made);
  const otherCalls = callsFor(other, `${name}, ${set}`, made);
  const timings = timeCalls([...calls, ...otherCalls], rounds, `${name}, ${set}`);
  return OPERATIONS.map((operation, i) => {
    const [before, after] = [timings[i]?.rounds ?? [], timings[i + calls.length]?.rounds ?? []];
    const [baseTime, otherTime] = [before, after].map((all) => nanoseconds(spreadOf(all).median)) as [string, string];
    return [name, set, operation, baseTime, otherTime, ...cellsOf(ratioOf(after, before), times)];
  });
}

interface Plan {
  readonly title: string;
  readonly pairs: readonly Pair[];
  /** The names of the base and of the other class in the table. */
  readonly names: readonly [base: string, other: string];
  /** The sets of keys. */
  readonly sets: readonly string[];
  /** How many keys, and rounds, unless the command line says otherwise. */
  readonly keys: string;
  readonly rounds: number;
}

/** A benchmark of pairs of classes, with each of some sets of keys. */
export function pairsBenchmark({ title, pairs, names, sets, ...usual }: Plan): Run {
  const options = {
    keys: count('how many keys to add, and to look up', 1e7, usual.keys),
    sets: choice(`which of ${sets.join(', ')}`, sets),
    rounds: rounds(usual.rounds),
  };
  return benchmark(options, ({ keys, sets, rounds }) => {
    const rows = sets.flatMap((set) =>
      pairs
        .filter(({ takesNumbers = true }) => takesNumbers || set !== 'integers')
        .flatMap((pair) => rowsFor(pair, set, keys, rounds)),
    );
    const [base, other] = names;
    return [
      `# bloomery: ${title}`,
      describeMachine(),
      `${integer.format(keys)} keys, error rate ${100 * ERROR_RATE} %, medians of ${rounds} rounds. The last columns are how ` +
        `many times as fast "${other}" is as "${base}", and the lowest and the highest; below 1 is slower.`,
      sets.map((set) => `- ${set}: ${aboutSets[set]}.`).join('\n'),
      tableOf(['filter', 'keys', 'calls', `ns ${base}`, `ns ${other}`, 'times as fast', 'spread'], rows),
    ].join('\n\n');
  });
}
