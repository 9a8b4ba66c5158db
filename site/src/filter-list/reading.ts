// How a text is read: as lines, in columns, or as a JSON object a line. The formats are those of the command line.

import { formatOf, type Path, type TextFormat } from '../../../cli/text/format.ts';
import type { Encoding } from './text-file.ts';

/** What divides a text into columns; undefined for what has none. */
const delimiters = { lines: undefined, comma: ',', semicolon: ';', tab: '\t', tsv: '\t', json: undefined } as const;

export type Form = keyof typeof delimiters;

export interface Reading {
  readonly form: Form;
  readonly header: boolean;
  /** The columns that are compared, counted from 1, or the members. If there are neither, all of the record is. */
  readonly fields: readonly number[];
  readonly members: readonly Path[];
  readonly encoding: Encoding;
}

export const asLines: Reading = { form: 'lines', header: false, fields: [], members: [], encoding: 'utf-8' };

/** What makes no difference between two keys. */
export interface Sameness {
  readonly ignoreCase: boolean;
  readonly trim: boolean;
}

export function formatFor({ form, header, fields, members }: Reading, { ignoreCase, trim }: Sameness): TextFormat {
  const delimiter = delimiters[form];
  const isQuoted = delimiter !== undefined && form !== 'tsv';
  return formatOf({
    csv: isQuoted,
    delimiter: isQuoted || fields.length > 0 ? delimiter : undefined,
    field: fields.length > 0 ? fields : undefined,
    'json-field': members.length > 0 ? members : undefined,
    header,
    trim,
    'ignore-case': ignoreCase,
    null: false,
    'no-crlf': false,
    'skip-invalid': false,
  });
}

const widthOf = ({ fields, members }: Reading): number => fields.length + members.length;

/** Why the keys of two texts cannot be compared; undefined if they can. */
export function mismatchOf(text: Reading, list: Reading): string | undefined {
  const [inText, inList] = [widthOf(text), widthOf(list)];
  if (Math.max(inText, 1) !== Math.max(inList, 1)) return 'Tick as many columns as in the other list.';
  return inText > 1 && delimiters[text.form] !== delimiters[list.form]
    ? 'Several columns are compared only where both lists have the same separator.'
    : undefined;
}
