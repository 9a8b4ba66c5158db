// Compares filters of other packages with what bloomery/migrate reads of them: the same bits, and the same answers.

import { createRequire } from 'node:module';
import { fromBloomFilters, fromBloomfilter } from 'bloomery/migrate';
import { benchmark, choice, count, type Run, rounds, status } from './shared/cli.ts';
import { cellsOf, integer, nanoseconds, ratioOf, spreadOf, tableOf, times } from './shared/figures.ts';
import { aboutSets, type KeySet, requireSet } from './shared/keys.ts';
import { describeMachine } from './shared/machine.ts';
import { type Calls, timeCalls } from './shared/measure.ts';
import { ownLoops } from './shared/own-loops.ts';
import { ERROR_RATE } from './shared/subjects.ts';

const require = createRequire(import.meta.url);

interface Filter {
  has(key: string): boolean;
}

/** A filter of a package that is full, and the same here. */
interface Pair {
  readonly name: string;
  readonly theirs: Filter;
  readonly ours: Filter & { hasMany(keys: readonly string[]): Uint8Array };
}

const stringsOf = ({ present }: KeySet): readonly string[] => Array.from(present.each() as ArrayLike<string>);

function bloomFilters(set: KeySet): Pair {
  interface BloomFilter extends Filter {
    add(key: string): void;
    saveAsJSON(): { type: string };
  }
  const { BloomFilter }: { BloomFilter: { create(n: number, rate: number): BloomFilter } } = require('bloom-filters');
  const theirs = BloomFilter.create(set.present.count, ERROR_RATE);
  for (const key of stringsOf(set)) theirs.add(key);
  return { name: 'bloom-filters', theirs, ours: fromBloomFilters(theirs.saveAsJSON()) };
}

async function bloomfilter(set: KeySet): Promise<Pair> {
  const { BloomFilter } = await import('bloomfilter');
  const filter = BloomFilter.withTargetError(set.present.count, ERROR_RATE);
  for (const key of stringsOf(set)) filter.add(key);
  const theirs = { has: (key: string): boolean => filter.test(key) };
  return { name: 'bloomfilter', theirs, ours: fromBloomfilter(filter.buckets, filter.k) };
}

const OPERATIONS = ['present', 'absent'] as const;

/** Lookups of present and of absent keys, in the package and here. Both must find the same. */
function callsFor({ name, theirs, ours }: Pair, { again, absent }: KeySet): Calls[] {
  return OPERATIONS.flatMap((operation) => {
    const batch = operation === 'present' ? again : absent;
    return [theirs, ours].map((filter): Calls => {
      const label = `${name}, ${filter === ours ? 'read by bloomery' : 'itself'}`;
      const loops = ownLoops<string, Filter>(label);
      return {
        label: `${label}, ${operation}`,
        keys: batch.count,
        least: operation === 'present' ? batch.count : 0,
        prepare: batch.renew,
        run: () => loops.hasEach(filter, batch.each() as ArrayLike<string>),
      };
    });
  });
}

async function rowsFor(set: string, keys: number, rounds: number): Promise<string[][]> {
  status(`${set}: making the keys and the filters …`);
  const made = requireSet(set, keys);
  const rows: string[][] = [];
  for (const pair of [bloomFilters(made), await bloomfilter(made)]) {
    const timings = timeCalls(callsFor(pair, made), rounds, `${pair.name}, ${set}`);
    for (const [i, operation] of OPERATIONS.entries()) {
      const [theirs, ours] = [timings[2 * i], timings[2 * i + 1]];
      if (theirs?.counted !== ours?.counted) throw new Error(`${pair.name}: the answers differ`);
      const all = [theirs?.rounds ?? [], ours?.rounds ?? []] as const;
      const [itself, here] = all.map((times) => nanoseconds(spreadOf(times).median)) as [string, string];
      rows.push([pair.name, set, operation, itself, here, ...cellsOf(ratioOf(all[1], all[0]), times)]);
    }
  }
  return rows;
}

const options = {
  keys: count('how many keys to add, and to look up', 1e6, '2e4'),
  sets: choice('which of names, long', ['names', 'long']),
  rounds: rounds(9),
};

const run: Run = benchmark(options, async ({ keys, sets, rounds }) => {
  const rows: string[][] = [];
  for (const set of sets) rows.push(...(await rowsFor(set, keys, rounds)));
  return [
    '# bloomery: filters of other packages',
    describeMachine(),
    `${integer.format(keys)} keys, error rate ${100 * ERROR_RATE} %, medians of ${rounds} rounds, one call of \`has\` for ` +
      'each key. The last columns are how many times as fast bloomery/migrate answers as the package, and the lowest and ' +
      'the highest; below 1 is slower.',
    ...sets.map((set) => `- ${set}: ${aboutSets[set]}.`),
    tableOf(['package', 'keys', 'lookups', 'ns itself', 'ns here', 'times as fast', 'spread'], rows),
  ].join('\n\n');
});
export default run;
