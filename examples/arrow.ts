// Finds the known rows of a table. The table comes as Apache Arrow IPC bytes, as databases and data frames write them.
// Its strings are looked up in place: none of them becomes a JavaScript string.
//
//   npm run example examples/arrow.ts [ROWS]

import { LargeUtf8, Table, tableFromIPC, tableToIPC, Utf8, type Vector, vectorFromArray } from 'apache-arrow';
import { BloomFilter, column } from 'bloomery';
import { choose, loadNames, seededRandom } from './names.ts';

/** One row in this many has no name. */
const NULL_EVERY = 50;
const RUNS = 5;

type Strings = Vector<Utf8> | Vector<LargeUtf8>;

/** A flag for each row: 1 if it may be in the filter. A null has no bytes, like the empty string, but is no key: 0. */
function flagsOf(filter: BloomFilter, vector: Strings): Uint8Array {
  const flags = new Uint8Array(vector.length);
  let row = 0;
  for (const data of vector.data) {
    const { length, nullCount, values, valueOffsets } = data;
    const part = filter.hasMany(
      column(values, valueOffsets.subarray(0, length + 1)),
      flags.subarray(row, row + length),
    );
    if (nullCount > 0) for (let i = 0; i < length; i++) if (!data.getValid(i)) part[i] = 0;
    row += length;
  }
  return flags;
}

/** The flags of `flagsOf`, by way of JavaScript strings. */
function flagsOfStrings(filter: BloomFilter, vector: Strings): Uint8Array {
  const strings = [...(vector as Iterable<string | null>)];
  const flags = filter.hasMany(strings.map((each) => each ?? ''));
  strings.forEach((each, row) => {
    if (each === null) flags[row] = 0;
  });
  return flags;
}

/** The shortest of several runs, in milliseconds, and their flags. */
function time(run: () => Uint8Array): { ms: number; flags: Uint8Array } {
  let ms = Infinity;
  let flags: Uint8Array = new Uint8Array(0);
  for (let i = 0; i < RUNS; i++) {
    const start = performance.now();
    flags = run();
    ms = Math.min(ms, performance.now() - start);
  }
  return { ms, flags };
}

function count(flags: Uint8Array): number {
  return flags.reduce((sum, flag) => sum + flag, 0);
}

function main(rows: number): void {
  const names = loadNames();
  const { chosen } = choose(names, rows, seededRandom(1970));
  const known = chosen.filter((_, row) => row % 2 === 0);
  const filter = BloomFilter.from(known, { errorRate: 0.001 });

  const given = chosen.map((name, row) => (row % NULL_EVERY === 0 ? null : name));
  const half = Math.floor(rows / 2);
  const small = vectorFromArray(given, new Utf8());
  const table = new Table({
    // Two chunks, the second of them a slice, as in a table put together from parts.
    name: small.slice(0, half).concat(small.slice(half)),
    large: vectorFromArray(given, new LargeUtf8()),
  });
  const read = tableFromIPC(tableToIPC(table, 'file'));

  const integer = new Intl.NumberFormat('en');
  const wanted = given.filter((name, row) => name !== null && row % 2 === 0).length;
  console.log(`${integer.format(rows)} rows; ${integer.format(known.length)} names in the filter\n`);
  for (const [title, vector] of [
    ['Utf8, as made', table.getChild('name')],
    ['Utf8, from IPC bytes', read.getChild('name')],
    ['LargeUtf8, from IPC bytes', read.getChild('large')],
  ] as [string, Strings][]) {
    const columns = time(() => flagsOf(filter, vector));
    const strings = time(() => flagsOfStrings(filter, vector));
    const found = count(columns.flags);
    const extra = found - wanted;
    console.log(
      `${title.padEnd(26)} ${vector.data.length} chunk(s): column ${columns.ms.toFixed(1)} ms, strings ${strings.ms.toFixed(1)} ms; ` +
        `${integer.format(found)} rows found, ${extra} of them by chance`,
    );
    const isSame = Buffer.compare(columns.flags, strings.flags) === 0;
    const isWhole = given.every((name, row) => name === null || row % 2 === 1 || columns.flags[row] === 1);
    if (!isSame || !isWhole) {
      console.error('The flags are wrong.');
      process.exitCode = 1;
    }
  }
}

const rows = Number(process.argv[2] ?? 500_000);
if (process.argv.length > 3 || !Number.isSafeInteger(rows) || rows < 1 || rows > 4_000_000) {
  console.error('Usage: npm run example examples/arrow.ts [ROWS], 1 to 4000000');
  process.exitCode = 2;
} else {
  main(rows);
}
