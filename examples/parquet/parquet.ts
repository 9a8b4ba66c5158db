// Asks the Bloom filters of a Parquet file which row groups may have some values, and writes a file with filters.
//
//   const file = await asyncBufferFromFile('events.parquet');
//   const metadata = await parquetMetadataAsync(file);
//   const groups = await groupsWith(file, metadata, 'visitor', ['ada']); // the others need not be read

import { ParquetBloomFilter } from 'bloomery/parquet';
import type { AsyncBuffer, ColumnChunk, FileMetaData } from 'hyparquet';
import { type ColumnSource, fileWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';

/** A value as it is stored: a string, or an integer, also where that stands for a date or a decimal. */
export type Value = string | bigint;

/** How number keys are hashed, by the physical type of the column. Other types have no numbers. */
const NUMBERS: Readonly<Record<string, string>> = {
  INT32: 'int32',
  INT64: 'int64',
  FLOAT: 'float',
  DOUBLE: 'double',
};

/** More than any header of a filter has. */
const HEADER_BYTES = 32;

/** The filter of a column chunk; undefined if it has none. */
export async function filterOf(file: AsyncBuffer, chunk: ColumnChunk): Promise<ParquetBloomFilter | undefined> {
  const { bloom_filter_offset, bloom_filter_length, type } = chunk.meta_data ?? {};
  if (bloom_filter_offset === undefined) return undefined;
  const offset = Number(bloom_filter_offset);
  // Older files do not have the length. The header of the filter tells it.
  const length =
    bloom_filter_length ?? ParquetBloomFilter.lengthIn(new Uint8Array(await file.slice(offset, offset + HEADER_BYTES)));
  const bytes = await file.slice(offset, offset + length);
  return ParquetBloomFilter.fromBytes(bytes, { numbers: NUMBERS[type ?? ''] });
}

/** Whether a column of a physical type stores such values. Only then does its filter know whether it has one. */
function stores(type: string | undefined, value: Value): boolean {
  if (type === 'BYTE_ARRAY') return typeof value === 'string';
  if (typeof value === 'string' || (type !== 'INT32' && type !== 'INT64')) return false;
  return value === BigInt.asIntN(type === 'INT32' ? 32 : 64, value);
}

/** A row group, and those of the wanted values that it may have. */
export interface Candidate {
  readonly group: number;
  readonly firstRow: number;
  readonly rows: number;
  readonly values: Value[];
}

/**
 * The row groups that may have some of the values. Those that have no filter may have all, and all may have a value of
 * another type than the column's: a reader may take it for a stored one, such as the text of a UUID for its bytes.
 */
export async function groupsWith(
  file: AsyncBuffer,
  { row_groups }: FileMetaData,
  column: string,
  values: Value[],
): Promise<Candidate[]> {
  const found: Candidate[] = [];
  let firstRow = 0;
  for (const [group, { columns, num_rows }] of row_groups.entries()) {
    const chunk = columns.find(({ meta_data }) => meta_data?.path_in_schema.join('.') === column);
    const filter = chunk && (await filterOf(file, chunk));
    const rows = Number(num_rows);
    const type = chunk?.meta_data?.type;
    const possible = values.filter((value) => !filter || !stores(type, value) || filter.has(value));
    if (possible.length > 0) found.push({ group, firstRow, rows, values: possible });
    firstRow += rows;
    // A file may have thousands of filters.
    filter?.dispose();
  }
  return found;
}

/** A column to write. */
export interface Column extends ColumnSource {
  readonly data: Value[];
  readonly type: 'STRING' | 'INT64';
}

/**
 * Writes a file with a filter for each column of each row group. hyparquet-writer can make filters itself, by its option
 * `bloomFilter`; here it gets the bits of ours, and writes the header and the places of all filters.
 */
export function writeWithFilters(path: string, columns: readonly Column[], groupRows: number, errorRate: number): void {
  const writer = new ParquetWriter({
    writer: fileWriter(path),
    schema: schemaFromColumnData({ columnData: [...columns] }),
  });
  const rows = columns[0]?.data.length ?? 0;
  for (let at = 0; at < rows; at += groupRows) {
    const group = columns.map((column) => ({ ...column, data: column.data.slice(at, at + groupRows) }));
    // One entry for each column chunk, in order.
    const chunksBefore = writer.pendingIndexes.length;
    void writer.write({ columnData: group, rowGroupSize: groupRows });
    for (const [i, { data }] of group.entries()) {
      // A power of two: Arrow C++ and ClickHouse refuse others.
      const filter = ParquetBloomFilter.from(new Set(data), { errorRate, sizing: 'parquet-java' });
      const pending = writer.pendingIndexes[chunksBefore + i];
      if (pending) pending.bloomFilter = new Uint32Array(filter.toBitset().buffer);
      filter.dispose();
    }
  }
  void writer.finish();
}
