// Times fingerprint sets of hashes that were chosen to fall together, beside those of random ones. Who chooses them knows
// how a table is laid out, but not the numbers of the process from which places follow.

import { FingerprintSet } from 'bloomery/fingerprint-set';
import { HashedKeys } from 'bloomery/hash';
import { randomFrom } from '../test/shared/random.ts';
import { benchmark, count, type Run, rounds, status } from './shared/cli.ts';
import { cellsOf, integer, nanoseconds, ratioOf, type Spread, spreadOf, tableOf, times } from './shared/figures.ts';
import { describeMachine } from './shared/machine.ts';
import { type Calls, timeCalls } from './shared/measure.ts';

/** The words of a fingerprint: the halves of h1, and the low half of h2. */
type Words = readonly [low: number, high: number, c: number];

const choices: Readonly<Record<string, (i: number, next: () => number) => Words>> = {
  'h1 counts': (i) => [i, 0, 0],
  'the high half of h1 counts': (i) => [0, i, 0],
  'both halves of h1 count': (i) => [i, i, 0],
  'one h1, c counts': (i) => [1, 2, i],
  'one h1, c counts in steps': (i) => [1, 2, 2 ** 8 * i],
  'sixteen h1, c counts': (i) => [1 + (i % 16), 0, Math.floor(i / 16)],
  'one high half of h1': (_, next) => [next(), 1, next()],
  'one low half of h1': (_, next) => [1, next(), next()],
};

function hashesOf(length: number, wordsOf: (i: number) => Words): HashedKeys {
  const words = new Uint32Array(4 * length);
  for (let i = 0; i < length; i++) words.set(wordsOf(i), 4 * i);
  return new HashedKeys(new Uint8Array(words.buffer));
}

const operations = ['add', 'look up', 'remove'] as const;

/** What is done with a set of all hashes. Each time that is measured, it has none of them or all. */
function callsFor(name: string, hashes: HashedKeys): { readonly calls: Calls[]; dispose(): void } {
  const keys = hashes.length;
  let set = new FingerprintSet();
  const flags = new Uint8Array(keys);
  const full = (): void => {
    if (set.count === 0) set.addMany(hashes);
  };
  const empty = (): void => {
    set.dispose();
    set = new FingerprintSet();
  };
  const call = (operation: string, prepare: () => void, run: Calls['run']): Calls => {
    return { label: `${name}: ${operation}`, keys, least: keys, prepare, run };
  };
  const calls = [
    call('add', empty, () => set.addMany(hashes).count),
    call('look up', full, () => set.hasMany(hashes, flags)),
    call('remove', full, () => keys - set.removeMany(hashes).count),
  ];
  return { calls, dispose: () => set.dispose() };
}

interface Row {
  readonly cells: readonly string[];
  readonly ratio: Spread;
}

function rowsFor(name: string, chosen: HashedKeys, others: HashedKeys, rounds: number): Row[] {
  const [one, other] = [callsFor('random', others), callsFor(name, chosen)];
  const timings = timeCalls([...one.calls, ...other.calls], rounds, name);
  for (const { dispose } of [one, other]) dispose();
  return operations.map((operation, i) => {
    const [before, after] = [timings[i]?.rounds ?? [], timings[i + operations.length]?.rounds ?? []];
    const [time, chosenTime] = [before, after].map((all) => nanoseconds(spreadOf(all).median)) as [string, string];
    const ratio = ratioOf(before, after);
    return { cells: [name, operation, time, chosenTime, ...cellsOf(ratio, times)], ratio };
  });
}

const options = {
  keys: count('how many hashes to add, look up and remove', 2 ** 24, '1e6'),
  rounds: rounds(5),
};

const run: Run = benchmark(options, ({ keys, rounds }) => {
  const next = randomFrom(1995);
  const word = (): number => next(2 ** 32);
  status('making the hashes …');
  const others = hashesOf(keys, () => [word(), word(), word()]);
  const rows = Object.entries(choices).flatMap(([name, wordsOf]) =>
    rowsFor(
      name,
      hashesOf(keys, (i) => wordsOf(i, word)),
      others,
      rounds,
    ),
  );
  const worst = Math.max(...rows.map(({ ratio }) => ratio.median));
  return [
    '# bloomery: fingerprint sets of chosen hashes',
    describeMachine(),
    `${integer.format(keys)} hashes in batches, nanoseconds each, medians of ${rounds} rounds. The last columns are how many ` +
      'times as long chosen hashes take as random ones, and the lowest and the highest. Each process has other numbers.',
    tableOf(
      ['hashes', '', 'ns random', 'ns chosen', 'times as long', 'spread'],
      rows.map(({ cells }) => cells),
      ['hashes', ''],
    ),
    `The worst: ${times(worst)} times as long.`,
  ].join('\n\n');
});
export default run;
