// The four fields: what is written into them, and what they mean.

import { byteSize, integer, oneIn, percent, plural, short } from '../format.ts';
import { element } from '../shell/dom.ts';
import { bitsOf } from './kinds.ts';
import { readBits, readCount, readRate } from './numbers.ts';
import { type Answer, following, type Quantity, type Question } from './solve.ts';

export type Field = Quantity | 'hashes';
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

const wanted: Readonly<Record<Field, string>> = {
  capacity: 'A whole number of keys, such as 1,000,000 or 1M.',
  errorRate: 'Between 0 and 1, such as 0.01, 1 % or 1 in 100.',
  bits: 'A number of bits, or a size such as 1.2 MB.',
  hashes: 'A whole number from 1 to 255, or nothing.',
};

function texts({ capacity, errorRate, shape }: Answer): Readonly<Record<Field, string>> {
  return {
    capacity: integer(capacity),
    errorRate: percent(errorRate),
    bits: integer(bitsOf(shape)),
    hashes: String(shape.hashes),
  };
}

function hashesNote({ row }: Answer, isGiven: boolean): string {
  if (!row.choosesHashes) return `A ${row.kind} filter always has so many.`;
  return isGiven ? 'Empty the field for the best number.' : 'The best number for this size.';
}

function notes(answer: Answer, question: Question): Readonly<Record<Field, string>> {
  const { capacity, errorRate, shape } = answer;
  const bits = bitsOf(shape);
  return {
    capacity: `${plural(capacity, 'distinct key')}`,
    errorRate: `${oneIn(errorRate)} absent keys looks present, once it is full`,
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

/** Writes an answer into the fields, except into the one in which the user is writing. */
export function showFields(question: Question, answer: Answer, writing: Field | undefined): void {
  const values = texts(answer);
  const explanations = notes(answer, question);
  for (const field of fields) {
    const input = element(field, HTMLInputElement);
    if (field !== writing) input.value = values[field];
    const follows = field === 'hashes' ? question.hashes === undefined : field === following(question);
    input.classList.toggle('follows', follows);
    input.readOnly = field === 'hashes' && !answer.row.choosesHashes;
    showNote(field, explanations[field], false);
  }
}

/** Says what a field takes. */
export function showWanted(field: Field): void {
  showNote(field, wanted[field], true);
}

/** Says why there is no such filter. */
export function showRefusal(field: Field, message: string): void {
  showNote(field, message, true);
}
