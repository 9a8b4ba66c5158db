// The keys of a text: its lines, some of their fields, or members of JSON objects.

import { type KeyColumn, KeyLines, lines } from 'bloomery';
import type { Section } from './cut.ts';
import { fieldKeys, recordKeys } from './fields.ts';
import { endOfRecord, NEWLINE, type TextFormat } from './format.ts';
import { keyedJson } from './json.ts';

/** The keys of a text: its lines, or a column of what is the key of each record. */
export type TextKeys = KeyLines | KeyColumn;

/** Whether the keys of a text are its lines, as they are. */
export function areLines({ separator, quoted, fields, members, trim, ignoreCase }: TextFormat): boolean {
  return separator === NEWLINE && !quoted && fields.length + members.length === 0 && !trim && !ignoreCase;
}

/** The records of a text that are in its format, and their keys. */
export interface KeyedText {
  readonly text: Uint8Array;
  readonly keys: TextKeys;
  /** Which lines of JSON are invalid, counted from 0. */
  readonly invalid?: readonly number[];
}

/** The records of a text that have keys: all, or of JSON up to the first that is not valid, unless those are left out. */
export function keyedIn(text: Uint8Array, format: TextFormat): KeyedText {
  const keyed = keyText(text, format);
  const { tally } = format;
  if (tally.keys !== undefined) tally.keys += countKeys(keyed.keys);
  return keyed;
}

function keyText(text: Uint8Array, format: TextFormat): KeyedText {
  if (areLines(format)) return { text, keys: lines(text, { crlf: format.crlf }) };
  if (format.members.length > 0) return keyedJson(text, format);
  return { text, keys: format.fields.length > 0 ? fieldKeys(text, format) : recordKeys(text, format) };
}

/** The keys of those records. */
export function keysOf(text: Uint8Array, format: TextFormat): TextKeys {
  return keyedIn(text, format).keys;
}

export function countKeys(keys: TextKeys): number {
  return keys instanceof KeyLines ? keys.count() : keys.length;
}

export function countRecords(text: Uint8Array, format: TextFormat): number {
  if (format.separator === NEWLINE && !format.quoted) return lines(text).count();
  let count = 0;
  for (let at = 0; at < text.length; count++) at = endOfRecord(text, at, format);
  return count;
}

/** Passes sections on, and counts the records of each. */
export async function* counting<P extends Section>(
  sections: AsyncIterable<P>,
  format: TextFormat,
  count: (records: number) => void,
): AsyncGenerator<P> {
  for await (const section of sections) {
    count(countRecords(section.bytes, format));
    yield section;
  }
}

/** How many of the records that were read have keys. Invalid ones of CSV are left out before anybody counts them. */
export function validOf(read: number, { members, tally }: TextFormat): number {
  return members.length > 0 ? read - tally.invalid : read;
}
