// Guards a table in an SQLite file, and asks it for names, most of them absent: with and without the guard.
//
//   npm run example examples/database-guard/measure.ts [ROWS]

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choose, loadNames, seededRandom } from '../names.ts';
import { heading, integer, must, percent, row, size, sizeArgument } from '../report.ts';
import { GuardedTable } from './database-guard.ts';
import { openDatabase } from './sqlite.ts';

const ROWS = sizeArgument('rows', 300_000);
const INSERTED = Math.floor(ROWS / 10);
const CAPACITY = ROWS + INSERTED;
const QUERIES = 2 * Math.floor(ROWS / 3);
const PRESENT = 0.05;

type Get = (name: string) => unknown;

/** Looks up the same names both ways, in turns. Returns the milliseconds of each, and how many answers differ. */
function compare(guarded: Get, unguarded: Get, names: readonly string[]) {
  const ways = [guarded, unguarded];
  const milliseconds = [0, 0];
  let differing = 0;
  for (let at = 0; at < names.length; at += 1000) {
    const chunk = names.slice(at, at + 1000);
    const found: boolean[][] = [];
    // The second way finds the pages of the file in the cache, so each way is second equally often.
    for (const way of (at / 1000) % 2 === 0 ? [0, 1] : [1, 0]) {
      const get = ways[way] as Get;
      const start = performance.now();
      const rows = chunk.map(get);
      milliseconds[way] = (milliseconds[way] ?? 0) + performance.now() - start;
      found[way] = rows.map((each) => each !== undefined);
    }
    differing += chunk.filter((_, i) => found[0]?.[i] !== found[1]?.[i]).length;
  }
  const [withGuard = 0, without = 0] = milliseconds;
  return { withGuard, without, differing };
}

const random = seededRandom(1970);
const { chosen, others: absent } = choose(loadNames(), CAPACITY, random);
const inserted = chosen.filter((_, i) => i % 11 === 5);
const atFirst = chosen.filter((_, i) => i % 11 !== 5);
const any = (names: readonly string[]): string => names[Math.floor(random() * names.length)] ?? '';
const queries = Array.from({ length: QUERIES }, () => any(random() < PRESENT ? chosen : absent));

const folder = mkdtempSync(join(tmpdir(), 'guard-'));
const file = join(folder, 'packages.sqlite');
try {
  const old = openDatabase(file);
  new GuardedTable(old, CAPACITY).insertAll(atFirst);
  old.close();

  const database = openDatabase(file);
  const start = performance.now();
  const table = new GuardedTable(database, CAPACITY);
  const toOpen = performance.now() - start;
  table.insertAll(inserted);
  const select = database.prepare('SELECT * FROM packages WHERE name = ?');
  const { withGuard, without, differing } = compare(
    (name) => table.get(name),
    (name) => select.get(name),
    queries,
  );
  const asked = table.guard.pick(queries);
  const found = asked.filter((name) => table.get(name) !== undefined).length;
  const inVain = asked.length - found;
  const ruledOut = QUERIES - asked.length;
  const lost = chosen.filter((name) => table.get(name) === undefined).length;
  const isSame = new GuardedTable(database, CAPACITY).guard.equals(table.guard);
  database.close();

  console.log(`SQLite with ${integer(chosen.length)} rows, asked for ${integer(QUERIES)} names, most of them absent`);
  heading('Queries');
  row('saved by the filter', integer(ruledOut), percent(ruledOut / QUERIES));
  row('asked of the database, and found', integer(found));
  row('asked of the database in vain', integer(inVain), `${percent(inVain / (inVain + ruledOut))} of the absent names`);
  row('answers that differ without the filter', integer(differing));
  row('rows that were not found', integer(lost), `of ${integer(CAPACITY)}, ${integer(inserted.length)} inserted later`);
  heading('Time per name');
  row('without the filter', `${((1000 * without) / QUERIES).toFixed(2)} µs`);
  row(
    'with it',
    `${((1000 * withGuard) / QUERIES).toFixed(2)} µs`,
    `${(without / withGuard).toFixed(1)} times as fast`,
  );
  heading('The filter');
  row('memory', size(table.guard.byteLength), `promised ${percent(table.guard.errorRate)} in vain`);
  row('the database file', size(statSync(file).size));
  row(`built from ${integer(atFirst.length)} rows at the start`, `${toOpen.toFixed(0)} ms`);
  row('rebuilt from the table', isSame ? 'same bits' : 'different bits');
  must(differing === 0 && lost === 0, 'every row in the table is found');
  must(isSame, 'the filter that inserts kept up to date equals the one rebuilt from the table');
} finally {
  rmSync(folder, { recursive: true });
}
