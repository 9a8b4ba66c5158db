// Finds the known rows of a table that comes as Apache Arrow IPC bytes: as a column, and as JavaScript strings.
//
//   npm run example examples/arrow/measure.ts [ROWS]

import { LargeUtf8, Table, tableFromIPC, tableToIPC, Utf8, type Vector, vectorFromArray } from 'apache-arrow';
import { BloomFilter } from 'bloomery';
import { median } from '../../bench/shared/figures.ts';
import { choose, loadNames, seededRandom } from '../names.ts';
import { heading, integer, must, percent, row, sizeArgument } from '../report.ts';
import { flagsOf } from './arrow.ts';

const ROWS = sizeArgument('rows', 500_000);
/** One row in this many has no name. */
const NULL_EVERY = 50;
const ROUNDS = 5;

type Strings = Vector<Utf8> | Vector<LargeUtf8>;

/** The flags of `flagsOf`, by way of JavaScript strings. */
function flagsOfStrings(filter: BloomFilter, vector: Strings): Uint8Array {
  const strings = [...(vector as Iterable<string | null>)];
  const flags = filter.hasMany(strings.map((each) => each ?? ''));
  strings.forEach((each, i) => {
    if (each === null) flags[i] = 0;
  });
  return flags;
}

/** Runs each in turns. Returns the median milliseconds and the flags of each. */
function time(ways: readonly (() => Uint8Array)[]): { milliseconds: number; flags: Uint8Array }[] {
  const runs = ways.map((way) => ({ way, times: [] as number[], flags: new Uint8Array(0) as Uint8Array }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const run of runs) {
      const start = performance.now();
      run.flags = run.way();
      run.times.push(performance.now() - start);
    }
  }
  return runs.map(({ times, flags }) => ({ milliseconds: median(times), flags }));
}

const { chosen } = choose(loadNames(), ROWS, seededRandom(1970));
const known = chosen.filter((_, i) => i % 2 === 0);
const filter = BloomFilter.from(known, { errorRate: 0.001 });

const given = chosen.map((name, i) => (i % NULL_EVERY === 0 ? null : name));
const half = Math.floor(ROWS / 2);
const small = vectorFromArray(given, new Utf8());
const table = new Table({
  // Two chunks, the second of them a slice, as in a table put together from parts.
  name: small.slice(0, half).concat(small.slice(half)),
  large: vectorFromArray(given, new LargeUtf8()),
});
const read = tableFromIPC(tableToIPC(table, 'file'));
const wanted = given.filter((name, i) => name !== null && i % 2 === 0).length;
const others = given.filter((name, i) => name !== null && i % 2 === 1).length;

console.log(`A table with ${integer(ROWS)} rows, and a filter of ${integer(known.length)} names`);
for (const [title, vector] of [
  ['Utf8, as made', table.getChild('name')],
  ['Utf8, from IPC bytes', read.getChild('name')],
  ['LargeUtf8, from IPC bytes', read.getChild('large')],
] as [string, Strings][]) {
  const [columns, strings] = time([() => flagsOf(filter, vector), () => flagsOfStrings(filter, vector)]);
  if (columns === undefined || strings === undefined) throw new Error('nothing was timed');
  const { flags } = columns;
  const found = flags.reduce((sum, flag) => sum + flag, 0);
  const extra = found - wanted;
  heading(`${title}: ${vector.data.length} chunk(s)`);
  row('as a column', `${columns.milliseconds.toFixed(1)} ms`);
  row('as strings', `${strings.milliseconds.toFixed(1)} ms`);
  row('rows found', integer(found));
  row('  of which by chance', integer(extra), `${percent(extra / others)}: promised ${percent(filter.errorRate)}`);
  must(Buffer.compare(flags, strings.flags) === 0, 'a column and its strings have the same flags');
  must(
    given.every((name, i) => name === null || i % 2 === 1 || flags[i] === 1),
    'every known row is found',
  );
}
