import { column, type KeyColumn, type KeyLines, lines } from 'bloomery';
import { CommandError, say } from '../errors.ts';
import { plural } from '../numbers.ts';

export const NEWLINE = 10;
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
interface TextValues {
  readonly field: number | undefined;
  readonly delimiter: string | undefined;
  readonly null: boolean;
  readonly 'no-crlf': boolean;
}

/** @throws CommandError if a delimiter is given without a field, or contains what ends a line */
export function formatOf(values: TextValues): TextFormat {
  const separator = values.null ? 0 : NEWLINE;
  if (values.delimiter !== undefined && values.field === undefined) throw new CommandError('--delimiter needs --field');
  const delimiter = Buffer.from(values.delimiter ?? '\t');
  if (delimiter.includes(separator)) throw new CommandError('--delimiter must not contain what ends a line');
  return { separator, crlf: !values.null && !values['no-crlf'], field: values.field, delimiter, lacking: { lines: 0 } };
}

/** The keys of a text: its lines, or a column of the field that is the key of each line. */
export type TextKeys = KeyLines | KeyColumn;

function matches(text: Uint8Array, at: number, delimiter: Uint8Array): boolean {
  for (let i = 1; i < delimiter.length; i++) if (text[at + i] !== delimiter[i]) return false;
  return true;
}

/** The keys of all lines, found in one pass over the bytes. A field that a line lacks is empty. */
function columnOf(text: Uint8Array, { separator, crlf, field, delimiter, lacking }: TextFormat): KeyColumn {
  const first = field === undefined ? undefined : delimiter[0];
  const wanted = field ?? 1;
  const data = new Uint8Array(text.length);
  const offsets = [0];
  let length = 0;
  let current = 1;
  const endRecord = (): void => {
    offsets.push(length);
    if (current < wanted) lacking.lines++;
    current = 1;
  };
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] ?? 0;
    if (byte === separator) {
      const isOpen = current === wanted && length > (offsets.at(-1) ?? 0);
      if (crlf && isOpen && text[at - 1] === RETURN) length--;
      endRecord();
    } else if (byte === first && matches(text, at, delimiter)) {
      current++;
      at += delimiter.length - 1;
    } else if (current === wanted) {
      data[length++] = byte;
    }
  }
  if (text.length > 0 && text.at(-1) !== separator) endRecord();
  return column(data.subarray(0, length), Uint32Array.from(offsets));
}

/** The keys of a text. */
export function keysOf(text: Uint8Array, format: TextFormat): TextKeys {
  const { separator, crlf, field } = format;
  return separator === NEWLINE && field === undefined ? lines(text, { crlf }) : columnOf(text, format);
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
