// The four input fields: their values, and messages at them.

import { byteSize, integer, plural, short } from '../format.ts';
import { element } from '../shell/dom.ts';
import { bitsOf, bytesOf } from './kind-row.ts';
import type { Field } from './limits.ts';
import { chance, readBits, readCount, readRate, whyNoCount, writtenRate } from './numbers.ts';
import { type Answer, bitsPerKey, following, type Question, rowOf } from './solve.ts';

/** A field: how its text is read and written, and what is said below it. */
interface FieldRow {
  read(text: string): number | undefined;
  readonly write: (value: number) => string;
  noteOn(answer: Answer, question: Question): string;
}

const rows: Readonly<Record<Field, FieldRow>> = {
  capacity: {
    read: readCount,
    write: integer,
    noteOn: ({ capacity }) => plural(capacity, 'distinct key'),
  },
  errorRate: {
    read: readRate,
    write: writtenRate,
    noteOn: ({ errorRate }) =>
      errorRate > 0
        ? `${chance(errorRate)} absent keys looks present, once it is full`
        : 'hardly any absent key looks present',
  },
  bits: {
    read: readBits,
    write: integer,
    noteOn: (answer) => `${byteSize(bytesOf(answer.shape))}, ${short(bitsPerKey(answer))} bits per key`,
  },
  hashes: {
    read: readHashes,
    write: String,
    noteOn({ row }, { hashes }) {
      if (!row.choosesHashes) return `A ${row.kind} filter always has this number.`;
      return hashes === undefined ? 'The best number for this size.' : 'Empty the field for the best number.';
    },
  },
};

export const fields = Object.keys(rows) as Field[];

function readHashes(text: string): number | undefined {
  const value = readCount(text);
  return value !== undefined && value <= 255 ? value : undefined;
}

/** The value of a text in a field; NaN if it cannot be read. */
export function readField(field: Field, text: string): number {
  return rows[field].read(text) ?? Number.NaN;
}

/** The values of the fields: those of the filter, or of the question if there is no filter. */
function valuesOf({ values, hashes }: Question, answer: Answer | undefined): Partial<Record<Field, number>> {
  if (answer === undefined) return hashes === undefined ? values : { ...values, hashes };
  const { capacity, errorRate, shape } = answer;
  return { capacity, errorRate, bits: bitsOf(shape), hashes: shape.hashes };
}

/** Shows a text below a field: an explanation, or why there is no filter. */
export function showNote(field: string, text: string, isError: boolean): void {
  const note = element(`${field}-note`, HTMLElement);
  note.textContent = text;
  note.classList.toggle('error', isError);
  element(field, HTMLInputElement).setAttribute('aria-invalid', String(isError));
}

/** Updates all fields except the one that the user is editing. */
export function showFields(question: Question, answer: Answer | undefined, writing: Field | undefined): void {
  const values = valuesOf(question, answer);
  for (const field of fields) {
    const input = element(field, HTMLInputElement);
    const value = values[field];
    if (field !== writing && !Number.isNaN(value)) input.value = value === undefined ? '' : rows[field].write(value);
    const follows = field === 'hashes' ? question.hashes === undefined : field === following(question);
    input.classList.toggle('follows', follows);
    input.readOnly = field === 'hashes' && !rowOf(question).choosesHashes;
    showNote(field, answer ? rows[field].noteOn(answer, question) : '', false);
  }
}

/** Why a field cannot be read, if its text tells more than what the field takes. */
export function whyUnread(field: Field): string | undefined {
  return field === 'errorRate' ? undefined : whyNoCount(element(field, HTMLInputElement).value);
}
