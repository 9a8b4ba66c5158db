// Shows what a batch of strings spends its time on, and so how fast it could be at best.
//
// The keys are looked up as strings, and as lines with the same bytes: the difference is mostly the time in which V8
// gives access to the strings.

import { CHUNK_BYTES, CHUNK_UNITS } from '../src/kernel/scratch.ts';
import { benchmark, count, type Run, rounds, status } from './shared/cli.ts';
import { cellsOf, integer, nanoseconds, ratioOf, spreadOf, tableOf, times } from './shared/figures.ts';
import { MOST_NAMES, requireSet } from './shared/keys.ts';
import { collectGarbage, describeMachine } from './shared/machine.ts';
import { measure, type Task } from './shared/measure.ts';
import { found } from './shared/results.ts';
import { blocked, bloom, plain, type Subject } from './shared/subjects.ts';

const PLAIN = 'plain JS, strings';

const bytes = new Uint8Array(CHUNK_BYTES);
const encoder = new TextEncoder();

/** Joins the strings in runs of the same length as filters do, and returns the sum of `use(run)`. */
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
  const names = requireSet('names', count);
  const lines = requireSet('lines', count);
  const strings = (): readonly string[] => names.again.many as readonly string[];
  const hit = (subject: Subject, keys = names.again): (() => number) => {
    const filled = subject.build(names.present);
    return () => found(subject, filled, keys, names.name);
  };
  const runs: Readonly<Record<string, () => number>> = {
    'each unit read': () => readUnits(strings()),
    'strings joined': () => joined(strings(), (text) => text.length),
    'strings joined and encoded': () => joined(strings(), (text) => encoder.encodeInto(text, bytes).written),
    'BloomFilter, lines': hit(bloom.batch, lines.again),
    'BlockedBloomFilter, lines': hit(blocked.batch, lines.again),
    'BloomFilter, strings': hit(bloom.batch),
    'BlockedBloomFilter, strings': hit(blocked.batch),
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

const options = { keys: count('how many names to look up', MOST_NAMES, '1e6'), rounds: rounds(9) };

const run: Run = benchmark(options, ({ keys, rounds }) => {
  status('making the keys …');
  const { tasks, renew } = tasksFor(keys);
  const timings = measure(tasks, rounds, `${keys} names`, renew);
  const baseline = timings[tasks.findIndex(({ label }) => label === PLAIN)]?.rounds ?? [];
  const rows = tasks.map(({ label }, index) => {
    const own = timings[index]?.rounds ?? [];
    return [label, ...cellsOf(spreadOf(own), nanoseconds), ...cellsOf(ratioOf(own, baseline), times)];
  });
  return [
    '# bloomery: where the time of a batch of strings goes',
    describeMachine(),
    `${integer.format(keys)} names, all present, medians of ${rounds} rounds with the lowest and the highest. Joining ` +
      'and encoding is the fastest way that we know to get strings into memory: a batch does that, then hashes and probes.',
    tableOf(['what', 'ns per key', 'spread', '× plain JS', 'spread'], rows),
  ].join('\n\n');
});
export default run;
