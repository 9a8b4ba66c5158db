// Looks up visitors and items in a Parquet file of DuckDB's by the file's own Bloom filters; then writes the same rows
// with filters of ours, by which hyparquet and DuckDB look them up.
//
//   npm run example examples/parquet/main.ts [ROWS]

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetScan,
} from 'hyparquet';
import { heading, integer, must, percent, row, size, sizeArgument } from '../report.ts';
import { openDuckDb, quoted } from './duckdb.ts';
import { filterOf, groupsWith, type Value, writeWithFilters } from './parquet.ts';

const ROWS = sizeArgument('rows', 100_000);
const GROUP_ROWS = 8192;
/** Each visitor has this many rows, one after another. */
const ROWS_EACH = 4;
const VISITORS = Math.floor(ROWS / ROWS_EACH);
const LOOKUPS = Math.min(1000, VISITORS);
/** What DuckDB takes by default. */
const ERROR_RATE = 0.01;
/** Enough for the footer of these files. By default, hyparquet reads 512 KiB, which may be the whole file. */
const FOOTER_BYTES = 2 ** 14;

const visitor = (i: number): string => `v-${createHash('md5').update(String(i)).digest('hex').slice(0, 16)}`;
/** Numbers in no order, so that the minimum and the maximum of a row group exclude none. */
const item = (i: number): bigint => BigInt(1e12 + ((i * 1_103_515_245) % (2 ** 31 - 1)));
const columns = { visitor, item };
type Name = keyof typeof columns;

/** A file that counts the bytes that are read from it. */
async function openCounted(path: string): Promise<AsyncBuffer & { readonly bytesRead: number }> {
  const file = await asyncBufferFromFile(path);
  let bytesRead = 0;
  return {
    byteLength: file.byteLength,
    get bytesRead() {
      return bytesRead;
    },
    slice(start, end = file.byteLength) {
      bytesRead += end - start;
      return file.slice(start, end);
    },
  };
}

/** Whether a row group has rows of a visitor. */
function isThere(i: number, { firstRow, rows }: { firstRow: number; rows: number }): boolean {
  return i < VISITORS && ROWS_EACH * i < firstRow + rows && ROWS_EACH * (i + 1) > firstRow;
}

/** Finds the rows of one value, and reads no row group that cannot have it. */
async function showLookup(path: string, name: Name, i: number): Promise<void> {
  const value = columns[name](i);
  const file = await openCounted(path);
  const metadata = await parquetMetadataAsync(file, { initialFetchSize: FOOTER_BYTES });
  const footer = file.bytesRead;
  const groups = await groupsWith(file, metadata, name, [value]);
  const filters = file.bytesRead - footer;
  const found = [];
  for (const { firstRow, rows } of groups) {
    const range = { rowStart: firstRow, rowEnd: firstRow + rows };
    found.push(...(await parquetReadObjects({ file, metadata, ...range, filter: { [name]: { $eq: value } } })));
  }
  const all = metadata.row_groups.length;
  const byRange = (await parquetScan({ file, metadata, pruningFilter: { [name]: { $eq: value } } })).ranges.length;
  heading(`The rows of ${name} ${value}`);
  row('row groups', integer(all));
  row('  pruned by minimum and maximum', integer(all - byRange));
  row('  pruned by the filters', integer(all - groups.length), `read: ${groups.map(({ group }) => group).join(', ')}`);
  row('rows found', integer(found.length));
  row('bytes read', integer(file.bytesRead), `of ${integer(file.byteLength)}`);
  row('  the footer', integer(footer));
  row('  the filters', integer(filters));
  row('  row groups', integer(file.bytesRead - footer - filters));
  must(found.length === ROWS_EACH, 'all rows of the value are found');
}

/** Looks up values that are there and values that are not. Prints how often row groups are read in vain. */
async function countErrors(file: AsyncBuffer, metadata: FileMetaData, name: Name): Promise<void> {
  const step = Math.floor(VISITORS / LOOKUPS);
  const wanted = Array.from({ length: 2 * LOOKUPS }, (_, i) => (i < LOOKUPS ? step * i : VISITORS + i));
  const values = wanted.map((i): Value => columns[name](i));
  const positions = new Map(values.map((value, i) => [value, wanted[i] as number]));
  let reads = 0;
  let inVain = 0;
  let needed = 0;
  for (const { values: possible, ...group } of await groupsWith(file, metadata, name, values)) {
    reads += possible.length;
    inVain += possible.filter((value) => !isThere(positions.get(value) as number, group)).length;
    needed += wanted.filter((i) => isThere(i, group)).length;
  }
  const pairs = wanted.length * metadata.row_groups.length;
  const absent = pairs - needed;
  heading(
    `${integer(wanted.length)} values of ${name}, half of them in the file, in ${metadata.row_groups.length} row groups`,
  );
  row('row groups to read for them', integer(reads), `of ${integer(pairs)}`);
  row('  in vain: false positives', integer(inVain), `${percent(inVain / absent)} of ${integer(absent)}`);
  row('row groups missed', integer(needed - (reads - inVain)));
  must(reads - inVain === needed, 'no row group that has a value is pruned');
}

/** Compares the row groups that are pruned for some values by ours, by hyparquet, and by DuckDB. */
async function compare(path: string, name: Name): Promise<void> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const duckDb = await openDuckDb();
  const step = Math.max(1, Math.floor((2 * VISITORS) / 100));
  const counts = { lookups: 0, hyparquet: 0, duckDb: 0, rows: 0 };
  for (let i = 0; i < 2 * VISITORS; i += step) {
    const value = columns[name](i);
    const groups = await groupsWith(file, metadata, name, [value]);
    const filter = { [name]: { $eq: value } };
    const { ranges } = await parquetScan({ file, metadata, pruningFilter: filter, useBloomFilters: true });
    const text = typeof value === 'string' ? quoted(value) : String(value);
    const from = `from parquet_bloom_probe(${quoted(path)}, ${quoted(name)}, ${text})`;
    const probed = await duckDb.runAndReadAll(`select row_group_id ${from} where not bloom_filter_excludes`);
    const kept = probed.getRows().map(([group]) => Number(group));
    const selected = await duckDb.runAndReadAll(`select count(*) from ${quoted(path)} where ${name} = ${text}`);
    counts.lookups++;
    // hyparquet also prunes by minimum and maximum.
    const starts = new Set(groups.map(({ firstRow }) => firstRow));
    if (ranges.every(({ rowStart }) => starts.has(rowStart))) counts.hyparquet++;
    if (kept.join() === groups.map(({ group }) => group).join()) counts.duckDb++;
    if (Number(selected.getRows()[0]?.[0]) === (i < VISITORS ? ROWS_EACH : 0)) counts.rows++;
  }
  duckDb.closeSync();
  heading(`${name}: filters written by bloomery, for ${counts.lookups} values`);
  row('hyparquet prunes the same row groups', integer(counts.hyparquet));
  row('DuckDB excludes the same row groups', integer(counts.duckDb));
  row('DuckDB selects the right rows', integer(counts.rows));
  must(counts.hyparquet === counts.lookups, 'hyparquet prunes by these filters');
  must(counts.duckDb === counts.lookups, 'DuckDB excludes the same row groups');
  must(counts.rows === counts.lookups, 'DuckDB finds all rows');
}

async function showFile(title: string, path: string): Promise<void> {
  const file = await asyncBufferFromFile(path);
  const { created_by, row_groups, num_rows } = await parquetMetadataAsync(file);
  console.log(`${title} ${created_by}: ${integer(Number(num_rows))} rows, ${size(statSync(path).size)}`);
  const chunks = row_groups.flatMap(({ columns: chunks_ }) => chunks_);
  const filters = await Promise.all(chunks.map((chunk) => filterOf(file, chunk)));
  const sizes = filters.map((filter) => filter?.bytes ?? 0);
  row('row groups', integer(row_groups.length));
  row('filters', integer(sizes.filter((bytes) => bytes > 0).length), size(sizes.reduce((sum, each) => sum + each, 0)));
}

const folder = mkdtempSync(join(tmpdir(), 'bloomery-parquet-'));
process.on('exit', () => rmSync(folder, { recursive: true }));
const theirs = join(folder, 'duckdb.parquet');
const ours = join(folder, 'bloomery.parquet');

// DuckDB writes filters for columns whose values it puts into a dictionary.
const duckDb = await openDuckDb();
await duckDb.run(`
  copy (
    select
      'v-' || substr(md5((range // ${ROWS_EACH})::varchar), 1, 16) as visitor,
      1000000000000 + ((range // ${ROWS_EACH}) * 1103515245) % 2147483647 as item
    from range(${ROWS_EACH * VISITORS})
  ) to ${quoted(theirs)} (
    format parquet, row_group_size ${GROUP_ROWS}, dictionary_size_limit ${GROUP_ROWS},
    bloom_filter_false_positive_ratio ${ERROR_RATE}
  )`);
duckDb.closeSync();

await showFile('A file by', theirs);
await showLookup(theirs, 'visitor', Math.floor(VISITORS / 2));
await showLookup(theirs, 'item', Math.floor(VISITORS / 3));
const file = await asyncBufferFromFile(theirs);
const metadata = await parquetMetadataAsync(file);
for (const name of ['visitor', 'item'] as const) await countErrors(file, metadata, name);
const unpruned = await groupsWith(file, metadata, 'item', [String(item(0)), 2n ** 64n]);
const pairs = unpruned.reduce((sum, { values }) => sum + values.length, 0);
must(pairs === 2 * metadata.row_groups.length, 'values of another type than the column has prune no row group');

const rows = await parquetReadObjects({ file, metadata });
writeWithFilters(
  ours,
  [
    { name: 'visitor', type: 'STRING', data: rows.map((each) => each['visitor']) },
    { name: 'item', type: 'INT64', data: rows.map((each) => each['item']) },
  ],
  GROUP_ROWS,
  ERROR_RATE,
);
console.log();
await showFile('The same rows, with filters by bloomery, in a file by', ours);
await showLookup(ours, 'visitor', Math.floor(VISITORS / 2));
for (const name of ['visitor', 'item'] as const) await compare(ours, name);
