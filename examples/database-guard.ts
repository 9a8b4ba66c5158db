// A database guarded against lookups of keys that do not exist: a filter of all keys answers "not there" without a
// query. Here it guards a table in an SQLite file, and most of the keys that are looked up are absent.
//
//   npm run example examples/database-guard.ts [ROWS]

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GuardedTable } from './guarded-table.ts';
import { choose, loadNames, seededRandom } from './names.ts';
import { heading, integer, must, percent, row, size, sizeArgument } from './report.ts';

const ROWS = sizeArgument('rows', 300_000);
const INSERTED = Math.floor(ROWS / 10);
const QUERIES = 2 * Math.floor(ROWS / 3);
const PRESENT = 0.05;
const ERROR_RATE = 0.01;
/** Leaves room for rows that are inserted later. */
const guard = { capacity: ROWS + INSERTED, errorRate: ERROR_RATE };

/** Looks up the same names with and without the guard, in turns, and counts the answers that differ. */
function compare(table: GuardedTable, names: readonly string[]): { guarded: number; unguarded: number; wrong: number } {
  const total = { guarded: 0, unguarded: 0, wrong: 0 };
  const timed = (way: 'guarded' | 'unguarded', chunk: readonly string[]): unknown[] => {
    const start = performance.now();
    const ids = chunk.map((name) => (way === 'guarded' ? table.get(name) : table.getUnguarded(name)));
    total[way] += performance.now() - start;
    return ids;
  };
  for (let at = 0; at < names.length; at += 1000) {
    const chunk = names.slice(at, at + 1000);
    // The second way finds the pages of the file in the cache, so each way is second equally often.
    const isFirst = (at / 1000) % 2 === 0;
    const early = isFirst ? timed('guarded', chunk) : undefined;
    const ids = timed('unguarded', chunk);
    const guarded = early ?? timed('guarded', chunk);
    total.wrong += ids.filter((id, i) => id !== guarded[i]).length;
  }
  return total;
}

const random = seededRandom(1970);
const { chosen, others: absent } = choose(loadNames(), ROWS + INSERTED, random);
const inserted = chosen.filter((_, i) => i % 11 === 5);
const atFirst = chosen.filter((_, i) => i % 11 !== 5);
const any = (names: readonly string[]): string => names[Math.floor(random() * names.length)] ?? '';
const queries = Array.from({ length: QUERIES }, () => any(random() < PRESENT ? chosen : absent));

const folder = mkdtempSync(join(tmpdir(), 'guard-'));
const file = join(folder, 'names.sqlite');
try {
  const old = new GuardedTable(file, guard);
  old.insertAll(atFirst);
  old.close();

  // As in a server that starts: the filter is built from the table.
  const start = performance.now();
  const table = new GuardedTable(file, guard);
  const toOpen = performance.now() - start;
  table.insertAll(inserted);
  const { guarded, unguarded, wrong } = compare(table, queries);
  const { ruledOut, found, inVain } = table.counts;
  const refused = chosen.filter((name) => table.get(name) === undefined).length;
  table.close();
  const again = new GuardedTable(file, guard);
  const isSame = again.guard.equals(table.guard);
  again.close();

  console.log(`SQLite with ${integer(chosen.length)} rows, asked for ${integer(QUERIES)} names, most of them absent`);
  heading('Queries');
  row('saved by the filter', integer(ruledOut), percent(ruledOut / QUERIES));
  row('asked of the database, and found', integer(found));
  row('asked of the database in vain', integer(inVain), `${percent(inVain / (inVain + ruledOut))} of the absent names`);
  row('answers that differ without the filter', integer(wrong));
  row(
    'rows that were not found',
    integer(refused),
    `of all ${integer(chosen.length)}, ${integer(inserted.length)} inserted later`,
  );
  heading('Time per name');
  row('without the filter', `${((1000 * unguarded) / QUERIES).toFixed(2)} µs`);
  row('with it', `${((1000 * guarded) / QUERIES).toFixed(2)} µs`, `${(unguarded / guarded).toFixed(1)} times as fast`);
  heading('The filter');
  row('memory', size(table.guard.byteLength), `promised ${percent(ERROR_RATE)} in vain`);
  row('the database file', size(statSync(file).size));
  row(`built from ${integer(atFirst.length)} rows at the start`, `${toOpen.toFixed(0)} ms`);
  row('rebuilt from the table', isSame ? 'same bits' : 'different bits');
  must(wrong === 0 && refused === 0, 'every row in the table is found');
  must(isSame, 'the filter that inserts kept up to date equals the one rebuilt from the table');
} finally {
  rmSync(folder, { recursive: true });
}
