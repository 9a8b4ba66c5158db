import { column, type KeyColumn, lines } from 'bloomery';
import { CommandError, say } from './errors.ts';
import { plural } from './figures.ts';
import type { TextKeys } from './keys.ts';

const NEWLINE = 10;
const RETURN = 13;

/** How a text is divided into lines, and where the key is in a line. */
export interface TextFormat {
  /** The byte that ends a line: a newline or NUL. */
  readonly separator: number;
  /** Whether a carriage return before the newline is part of the line end. */
  readonly crlf: boolean;
  /** The field that is the key, counted from 1; undefined for the whole line. */
  readonly field: number | undefined;
  readonly delimiter: Uint8Array;
  /** Counts the lines that lack the field. */
  readonly lacking: { lines: number };
}

/** The values of the options that describe a text. */
export interface TextValues {
  readonly field: number | undefined;
  readonly delimiter: string | undefined;
  readonly null: boolean;
  readonly 'no-crlf': boolean;
}

/** @throws CommandError if the delimiter of fields makes no sense */
export function formatOf(values: TextValues): TextFormat {
  const separator = values.null ? 0 : NEWLINE;
  if (values.delimiter !== undefined && values.field === undefined) throw new CommandError('--delimiter needs --field');
  const delimiter = Buffer.from(values.delimiter ?? '\t');
  if (delimiter.includes(separator)) throw new CommandError('--delimiter must not contain what ends a line');
  return { separator, crlf: !values.null && !values['no-crlf'], field: values.field, delimiter, lacking: { lines: 0 } };
}

/** Picks some of the keys, in their order, in one or several parts. */
export type Select = <K extends TextKeys>(keys: K) => Iterable<K>;

/** The lines of a text, and a column of their keys. */
interface Records {
  /** Line i is the text from `ends[i]` to `ends[i + 1]`, its separator included. */
  readonly ends: readonly number[];
  readonly keys: KeyColumn<Uint32Array>;
}

function matches(text: Uint8Array, at: number, delimiter: Uint8Array): boolean {
  for (let i = 1; i < delimiter.length; i++) if (text[at + i] !== delimiter[i]) return false;
  return true;
}

/** Finds lines and keys in one pass over the bytes. A field that a line lacks is empty. */
function recordsOf(text: Uint8Array, { separator, crlf, field, delimiter, lacking }: TextFormat): Records {
  const first = field === undefined ? undefined : delimiter[0];
  const wanted = field ?? 1;
  const data = new Uint8Array(text.length);
  const ends = [0];
  const offsets = [0];
  let length = 0;
  let current = 1;
  const endRecord = (end: number): void => {
    ends.push(end);
    offsets.push(length);
    if (current < wanted) lacking.lines++;
    current = 1;
  };
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] ?? 0;
    if (byte === separator) {
      const isOpen = current === wanted && length > (offsets.at(-1) ?? 0);
      if (crlf && isOpen && text[at - 1] === RETURN) length--;
      endRecord(at + 1);
    } else if (byte === first && matches(text, at, delimiter)) {
      current++;
      at += delimiter.length - 1;
    } else if (current === wanted) {
      data[length++] = byte;
    }
  }
  if (ends.at(-1) !== text.length) endRecord(text.length);
  return { ends, keys: column(data.subarray(0, length), Uint32Array.from(offsets)) };
}

/** Whether key `i` of one column equals key `j` of another. */
function isSame(one: KeyColumn, i: number, other: KeyColumn, j: number): boolean {
  const start = Number(one.offsets[i]);
  const otherStart = Number(other.offsets[j]);
  const length = Number(one.offsets[i + 1]) - start;
  if (length !== Number(other.offsets[j + 1]) - otherStart) return false;
  for (let k = 0; k < length; k++) if (one.data[start + k] !== other.data[otherStart + k]) return false;
  return true;
}

/** The parts of a column with `most` keys each. */
function* partsOf({ data, offsets, length }: KeyColumn<Uint32Array>, most: number): Generator<KeyColumn<Uint32Array>> {
  for (let from = 0; from < length; from += most) yield column(data, offsets.subarray(from, from + most + 1));
}

/**
 * The lines from `from` on whose keys were selected, in parts. Each selected key belongs to the first line, of those left,
 * that has an equal key.
 */
function* linesOf(
  text: Uint8Array,
  { ends, keys }: Records,
  from: number,
  selection: Iterable<KeyColumn>,
): Generator<Uint8Array> {
  const lineStart = (line: number): number => ends[line] ?? text.length;
  let line = from;
  for (const selected of selection) {
    const runs: Uint8Array[] = [];
    let start = line;
    for (let i = 0; i < selected.length; line++) {
      if (isSame(keys, line, selected, i)) {
        i++;
      } else {
        if (line > start) runs.push(text.subarray(lineStart(start), lineStart(line)));
        start = line + 1;
      }
    }
    if (line > start) runs.push(text.subarray(lineStart(start), lineStart(line)));
    yield runs.length === 1 ? (runs[0] ?? text) : Buffer.concat(runs);
  }
}

/** Selects lines by their keys, `most` at a time: of equal keys among these, the first ones must be selected. */
function* selectRecords(text: Uint8Array, format: TextFormat, select: Select, most: number): Generator<Uint8Array> {
  const records = recordsOf(text, format);
  let from = 0;
  for (const part of partsOf(records.keys, most)) {
    yield* linesOf(text, records, from, select(part));
    from += part.length;
  }
}

const isWhole = ({ separator, field }: TextFormat): boolean => separator === NEWLINE && field === undefined;

/** The keys of a text of whole lines. */
export function keysOf(text: Uint8Array, format: TextFormat): TextKeys {
  return isWhole(format) ? lines(text, { crlf: format.crlf }) : recordsOf(text, format).keys;
}

/**
 * The lines of a text whose keys are selected.
 *
 * @param most how many keys can be selected together without an earlier one being left out for a later, equal one
 */
export function* selectIn(text: Uint8Array, format: TextFormat, select: Select, most: number): Generator<Uint8Array> {
  if (!isWhole(format)) yield* selectRecords(text, format, select, most);
  else for (const { bytes } of select(lines(text, { crlf: format.crlf }))) yield bytes;
}

export function countRecords(text: Uint8Array, { separator }: TextFormat): number {
  if (separator === NEWLINE) return lines(text).count();
  let count = 0;
  for (let at = 0; at < text.length; count++) {
    const found = text.indexOf(separator, at);
    at = found < 0 ? text.length : found + 1;
  }
  return count;
}

/** Warns if lines lacked the field, because a wrong delimiter would otherwise go unnoticed. */
export function warnIfLacking({ field, lacking }: TextFormat): void {
  if (field === undefined || lacking.lines === 0) return;
  say(`warning: ${plural(lacking.lines, 'line')} without a field ${field}, whose key is empty`);
}
