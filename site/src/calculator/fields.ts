// The four input fields: their values, and messages at them.

import { byteSize, integer, plural, short } from '../format.ts';
import { element } from '../shell/dom.ts';
import { bitsOf } from './kind-row.ts';
import type { Field } from './limits.ts';
import { chance, readBits, readCount, readRate, whyNoCount, writtenRate } from './numbers.ts';
import { type Answer, following, type Question, rowOf } from './solve.ts';

export const fields = ['capacity', 'errorRate', 'bits', 'hashes'] as const;

function readHashes(text: string): number | undefined {
  const value = readCount(text);
  return value !== undefined && value <= 255 ? value : undefined;
}

export const readers: Readonly<Record<Field, (text: string) => number | undefined>> = {
  capacity: readCount,
  errorRate: readRate,
  bits: readBits,
  hashes: readHashes,
};

const written: Readonly<Record<Field, (value: number) => string>> = {
  capacity: integer,
  errorRate: writtenRate,
  bits: integer,
  hashes: String,
};

/** The values of the fields: those of the filter, or of the question if there is no filter. */
function valuesOf({ values, hashes }: Question, answer: Answer | undefined): Partial<Record<Field, number>> {
  if (answer === undefined) return hashes === undefined ? values : { ...values, hashes };
  const { capacity, errorRate, shape } = answer;
  return { capacity, errorRate, bits: bitsOf(shape), hashes: shape.hashes };
}

function hashesNote({ row }: Answer, isGiven: boolean): string {
  if (!row.choosesHashes) return `A ${row.kind} filter always has this number.`;
  return isGiven ? 'Empty the field for the best number.' : 'The best number for this size.';
}

function notes(answer: Answer, question: Question): Readonly<Record<Field, string>> {
  const { capacity, errorRate, shape } = answer;
  const bits = bitsOf(shape);
  return {
    capacity: `${plural(capacity, 'distinct key')}`,
    errorRate:
      errorRate > 0
        ? `${chance(errorRate)} absent keys looks present, once it is full`
        : 'hardly any absent key looks present',
    bits: `${byteSize(Math.ceil(bits / 8))}, ${short(bits / capacity)} bits per key`,
    hashes: hashesNote(answer, question.hashes !== undefined),
  };
}

function showNote(field: Field, text: string, isError: boolean): void {
  const note = element(`${field}-note`, HTMLElement);
  note.textContent = text;
  note.classList.toggle('error', isError);
  element(field, HTMLInputElement).setAttribute('aria-invalid', String(isError));
}

/** Updates all fields except the one that the user is editing. */
export function showFields(question: Question, answer: Answer | undefined, writing: Field | undefined): void {
  const values = valuesOf(question, answer);
  const explanations = answer && notes(answer, question);
  for (const field of fields) {
    const input = element(field, HTMLInputElement);
    const value = values[field];
    if (field !== writing && !Number.isNaN(value)) input.value = value === undefined ? '' : written[field](value);
    const follows = field === 'hashes' ? question.hashes === undefined : field === following(question);
    input.classList.toggle('follows', follows);
    input.readOnly = field === 'hashes' && !rowOf(question).choosesHashes;
    showNote(field, explanations?.[field] ?? '', false);
  }
}

/** Why a field cannot be read, if its text tells more than what the field takes. */
export function whyUnread(field: Field): string | undefined {
  return field === 'errorRate' ? undefined : whyNoCount(element(field, HTMLInputElement).value);
}

/** Shows why there is no filter, at the field to change. */
export function showRefusal(field: Field, message: string): void {
  showNote(field, message, true);
}
