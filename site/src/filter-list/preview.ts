// The beginning of a text as a table, and guesses at how it is to be read.

import { textOf } from '../../../cli/text/bytes.ts';
import { CsvReader } from '../../../cli/text/csv.ts';
import { cellsOf } from '../../../cli/text/fields.ts';
import { endOfRecord, type Path } from '../../../cli/text/format.ts';
import { asLines, type Form, formatFor } from './reading.ts';

/** The number of records that are looked at to guess, and that are shown. */
const SAMPLE = 20;
const ROWS = 4;
/** The share of records that must have as many columns as the first. */
const MOST = 0.8;
/** Objects within each other whose members are columns, and how many columns are shown. */
const LEVELS = 3;
const MOST_COLUMNS = 60;

export interface Column {
  readonly name: string;
  /** Its number, from 1, or the path of a member; undefined if there is nothing to choose. */
  readonly key: number | Path | undefined;
}

const AS_WRITTEN = { trim: false, ignoreCase: false };
const formatOfForm = (form: Form) => formatFor({ ...asLines, form }, AS_WRITTEN);

/** The first records of a text as cells. */
function cellsIn(start: Uint8Array, form: Form, most: number): string[][] {
  const format = formatOfForm(form);
  const records: string[][] = [];
  for (let at = 0; at < start.length && records.length < most; ) {
    const end = endOfRecord(start, at, format);
    const record = start.subarray(at, end);
    if (form === 'lines' || form === 'json') records.push([textOf(record).replace(/\r?\n$/, '')]);
    else records.push(cellsOf(record, format).map((cell) => textOf(cell)));
    at = end;
  }
  return records;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function objectIn(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The number of columns if a text has as many in each record, and more than one; else 0. */
function columnsIn(start: Uint8Array, form: Form): number {
  const format = formatOfForm(form);
  const reader = new CsvReader(format);
  if (format.quoted) reader.read(start);
  if (reader.failure !== undefined) return 0;
  const records = cellsIn(start, form, SAMPLE);
  // The last record of a beginning may be cut.
  if (records.length > 2 && records.length < SAMPLE) records.pop();
  const [{ length } = { length: 0 }] = records;
  const alike = records.filter((cells) => cells.length === length);
  return records.length > 1 && length > 1 && alike.length >= MOST * records.length ? length : 0;
}

/** How a text may be meant, by its beginning. */
export function formOf(start: Uint8Array): Form {
  const lines = cellsIn(start, 'lines', SAMPLE).flatMap(([line = '']) => (line.trim() === '' ? [] : [line]));
  const [first = ''] = lines;
  if (first.startsWith('{') && objectIn(first)) return 'json';
  const [best] = (['tab', 'tsv', 'semicolon', 'comma'] as const)
    .map((form) => ({ form, count: columnsIn(start, form) }))
    .sort((a, b) => b.count - a.count);
  return best && best.count > 0 ? best.form : 'lines';
}

const isValue = (cell = ''): boolean => /[\d@]|:\/\//.test(cell);

/** Whether the first record seems to name the columns: some have values with digits or addresses below a word. */
export function hasHeader(start: Uint8Array, form: Form): boolean {
  if (form === 'lines' || form === 'json') return false;
  const [first = [], ...others] = cellsIn(start, form, SAMPLE);
  const isNamed = first.every(
    (cell, i) => cell.trim() !== '' && first.indexOf(cell) === i && !/@|:\/\/|^\d/.test(cell),
  );
  return (
    isNamed && first.some((cell, i) => !isValue(cell) && others.length > 0 && others.every((row) => isValue(row[i])))
  );
}

/** The paths of the members of some objects, in the order in which they come. */
function pathsOf(objects: readonly object[], before: Path = []): Path[] {
  const names = new Set(objects.flatMap((object) => Object.keys(object)));
  return [...names].flatMap((name) => {
    const values = objects.map((object) => (object as Record<string, unknown>)[name]);
    const inner = values.filter(isObject);
    const path = [...before, name];
    return inner.length > 0 && path.length < LEVELS ? pathsOf(inner, path) : [path];
  });
}

function memberText(object: object, path: Path): string {
  const value = path.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], object);
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** The first rows of a text, below the names of its columns. */
export function tableOf(start: Uint8Array, form: Form, header: boolean) {
  const cells = cellsIn(start, form, ROWS + 1);
  if (form === 'json') {
    const objects = cells.flatMap(([line = '']) => objectIn(line) ?? []).slice(0, ROWS);
    const paths = pathsOf(objects).slice(0, MOST_COLUMNS);
    const columns: Column[] = paths.map((key) => ({ name: key.join('.'), key }));
    return { columns, rows: objects.map((object) => paths.map((path) => memberText(object, path))) };
  }
  const names = header ? (cells.shift() ?? []) : [];
  const count = form === 'lines' ? 1 : Math.max(names.length, ...cells.map(({ length }) => length));
  const nameAt = (i: number): string => names[i]?.trim() || (form === 'lines' ? 'Line' : `Column ${i + 1}`);
  const columns: Column[] = Array.from({ length: Math.min(count, MOST_COLUMNS) }, (_, i) => ({
    name: nameAt(i),
    key: form === 'lines' ? undefined : i + 1,
  }));
  return { columns, rows: cells.slice(0, ROWS).map((row) => columns.map((_, i) => row[i] ?? '')) };
}
