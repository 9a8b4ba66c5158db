// How a text is divided into records, and where the key is in each.

import { CommandError, nameOf, quote } from '../command-error.ts';
import { integer } from '../numbers.ts';
import { bytesOf } from './bytes.ts';

export const NEWLINE = 10;
export const RETURN = 13;
export const QUOTE = 34;

/** All fields from one on, which is counted from 1. */
export interface OpenRange {
  readonly from: number;
}

/** The field that the header of each input gives this name. */
export interface NamedField {
  readonly name: string;
}

/** A field, counted from 1 or named, or several that are next to each other. */
export type Field = number | OpenRange | NamedField;

/** How a text is divided into records, which are lines in most texts, and where the key is in a record. */
export interface TextFormat {
  /** The byte that ends a record: a newline or NUL. */
  readonly separator: number;
  /** Whether a carriage return before the newline is part of the line end. */
  readonly crlf: boolean;
  /** Whether fields may be in quotes, as in CSV. What ends a record may then be part of a field. */
  readonly quoted: boolean;
  /** Whether the first record of each input has no key. */
  readonly header: boolean;
  /** The fields that are the key. Only in the format of a section of an input, the header has replaced all names. */
  readonly fields: readonly Field[];
  readonly delimiter: Uint8Array;
  /** The members of a JSON object that are the key. If there are neither these nor fields, the key is the record. */
  readonly members: readonly Path[];
  /** Where the value of the key is, in a text of keys and values. */
  readonly value: ValuePlace | undefined;
  /** Whether the key leaves out the white space around the field, the member or the record that it is. */
  readonly trim: boolean;
  /** Whether keys are in lower case. */
  readonly ignoreCase: boolean;
  /** Whether records that are not in the format are left out. If not, the first one is an error. */
  readonly skipsInvalid: boolean;
  readonly input: Input;
  readonly tally: Tally;
}

/** Where a value is: in one field, or in one member. Only in the format of a section, a name has become a number. */
export type ValuePlace = Pick<TextFormat, 'fields' | 'members'>;

/**
 * What errors tell of the input that is read, if its records are JSON or have values. Only the format of a section of it
 * has its name.
 */
export interface Input {
  readonly name: string;
  /** The number of its lines before the next record, a header included. */
  lines: number;
}

export function inputNamed(name: string, header: boolean): Input {
  return { name, lines: header ? 1 : 0 };
}

/** The format of the sections of an input. Those that need not tell their input have one format, whatever it is. */
export function formatOfInput(format: TextFormat, name: string): TextFormat {
  return format.members.length > 0 || format.value ? { ...format, input: inputNamed(name, format.header) } : format;
}

/** What a record is called in messages. */
export const recordNoun = ({ quoted }: TextFormat): 'record' | 'line' => (quoted ? 'record' : 'line');

/** The name of a member of an object, after those of the members that it is in. */
export type Path = readonly string[];

/** A path as the option takes it: a dot or a comma of a name has a backslash before it. */
export function writtenPath(path: Path): string {
  return path.map((name) => name.replaceAll(/[.,]/g, '\\$&')).join('.');
}

/** A field as the option takes it: a name that would be read as something else is in quotes. */
export function writtenField(field: Field): string {
  if (typeof field === 'number') return String(field);
  if ('from' in field) return `${field.from}-`;
  return /^[\d-]*$|[",]/.test(field.name) ? `"${field.name.replaceAll('"', '""')}"` : field.name;
}

/** A field that comes twice, as it is written; undefined if none does. */
export function repeatedField(fields: readonly Field[]): string | undefined {
  const written = fields.map(writtenField);
  const open = fields.flatMap((field) => (typeof field === 'object' && 'from' in field ? [field.from] : []));
  const isTwice = (field: Field, i: number): boolean =>
    written.indexOf(written[i] as string) < i || (typeof field === 'number' && open.some((from) => from <= field));
  const twice = fields.findIndex(isTwice);
  return twice < 0 && open.length > 1 ? `${Math.max(...open)}-` : written[twice];
}

/** What has been found in the records of all inputs so far. */
export interface Tally {
  /** How many have keys; undefined if they are not counted, which takes time. */
  keys: number | undefined;
  /** How many lack a field or a member that is part of the key. */
  lacking: number;
  /** In which members of the key there were numbers, and strings that begin like these: a bit for each of the first 32. */
  numbers: number;
  digits: number;
  /** How many are not in the format. */
  invalid: number;
  firstInvalid: InvalidRecord | undefined;
  /** The first header. */
  header: Uint8Array | undefined;
  /** The names of inputs whose header is another one. */
  readonly differing: Set<string>;
  /** The names of inputs without a record. */
  readonly empty: Set<string>;
}

export function newTally(): Tally {
  return {
    keys: undefined,
    lacking: 0,
    numbers: 0,
    digits: 0,
    invalid: 0,
    firstInvalid: undefined,
    header: undefined,
    differing: new Set(),
    empty: new Set(),
  };
}

/** The values of the options that describe a text. */
export interface TextValues {
  readonly field: readonly Field[] | undefined;
  readonly delimiter: string | undefined;
  readonly csv: boolean;
  readonly 'json-field': readonly Path[] | undefined;
  readonly header: boolean;
  readonly trim: boolean;
  readonly 'ignore-case': boolean;
  readonly null: boolean;
  readonly 'no-crlf': boolean;
  readonly 'skip-invalid': boolean;
  readonly value?: ValuePlace | undefined;
}

/** @throws CommandError if one of the fields is a name, which no header tells */
function requireNumbers(option: string, fields: readonly Field[] = []): void {
  const named = fields.find((each) => typeof each === 'object' && 'name' in each);
  if (named === undefined) return;
  throw new CommandError(
    `${option} ${quote(writtenField(named))} is a name, which needs --header: it is in the first line`,
  );
}

/** @throws CommandError unless the options go with each other */
export function formatOf(values: TextValues): TextFormat {
  const { field, csv: quoted, header, trim, 'ignore-case': ignoreCase, value } = values;
  const separator = values.null ? 0 : NEWLINE;
  const delimiter = bytesOf(values.delimiter ?? (quoted ? ',' : '\t'));
  if (values['json-field'] !== undefined) {
    const other = (['field', 'delimiter', 'csv'] as const).find(
      (name) => values[name] !== undefined && values[name] !== false,
    );
    if (other !== undefined) throw new CommandError(`--${other} does not go with --json-field`);
  }
  if (values.delimiter !== undefined && field === undefined && !quoted) {
    throw new CommandError('--delimiter needs --field or --csv');
  }
  if (!header) {
    requireNumbers('--field', field);
    requireNumbers('--value-field', value?.fields);
  }
  if (value && field === undefined && values['json-field'] === undefined) {
    throw new CommandError('--value-field needs --field or --json-field, which say where the key is');
  }
  if (delimiter.includes(separator)) throw new CommandError('--delimiter must not contain what ends a line');
  if (quoted && (delimiter.length > 1 || delimiter[0] === QUOTE)) {
    throw new CommandError('--delimiter must be a single byte with --csv, and not a quote');
  }
  const skipsInvalid = values['skip-invalid'];
  if (skipsInvalid && !quoted && values['json-field'] === undefined && !value) {
    throw new CommandError('--skip-invalid needs --csv, --json-field or --value-field: any other line is valid');
  }
  return {
    separator,
    crlf: !values.null && !values['no-crlf'],
    quoted,
    header,
    fields: field ?? [],
    delimiter,
    members: values['json-field'] ?? [],
    value,
    trim,
    ignoreCase,
    skipsInvalid,
    input: inputNamed('', header),
    tally: newTally(),
  };
}

/** A record that is not in the format of the text, or has no value, and so counts for nothing. */
export interface InvalidRecord {
  /** The name of the input. */
  readonly input: string;
  /** The number of the line in which it begins, counted from 1 in the input. */
  readonly line: number;
  /** What is wrong with the line, such as `is not CSV: its last quote is not closed`. */
  readonly reason: string;
}

/** `'list.csv', line 3 is not CSV: its last quote is not closed` */
export function wordsOf({ input, line, reason }: InvalidRecord, { separator }: TextFormat): string {
  const noun = separator === NEWLINE ? 'line' : 'record';
  return `${nameOf(input)}, ${noun} ${integer(line)} ${reason}`;
}

/** An error for a record that is not in the format. */
export class InvalidRecordError extends CommandError {
  readonly record: InvalidRecord;

  constructor(record: InvalidRecord, format: TextFormat) {
    super(wordsOf(record, format));
    this.record = record;
  }
}

/**
 * Called after the records before the first invalid one have been used.
 *
 * @throws CommandError if a record was not in the format, unless those are left out
 */
export function requireValid(format: TextFormat): void {
  const { skipsInvalid, tally } = format;
  if (tally.firstInvalid && !skipsInvalid) throw new InvalidRecordError(tally.firstInvalid, format);
}

/** Where the record ends that begins at `at` or has a field that begins there: after what ends it, or with the text. */
export function endOfRecord(text: Uint8Array, at: number, { separator, quoted }: TextFormat): number {
  if (!quoted) return text.indexOf(separator, at) + 1 || text.length;
  let isOpen = false;
  for (let end = at; end < text.length; end++) {
    // A quote within quotes is written twice, which closes and opens them.
    if (text[end] === QUOTE) isOpen = !isOpen;
    else if (text[end] === separator && !isOpen) return end + 1;
  }
  return text.length;
}

/** How many lines end in a part of a text. */
export function linesIn(text: Uint8Array, from: number, to: number, { separator }: TextFormat): number {
  let lines = 0;
  for (let at = from; at < to; at++) if (text[at] === separator) lines++;
  return lines;
}
