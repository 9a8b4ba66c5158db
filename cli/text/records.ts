// The keys of a text: its lines, some of their fields, or members of JSON objects.

import { type KeyColumn, type KeyLines, lines } from 'bloomery';
import { say } from '../errors.ts';
import { plural } from '../numbers.ts';
import { fieldKeys, recordKeys } from './fields.ts';
import { endOfRecord, NEWLINE, recordNoun, type TextFormat, writtenField, writtenPath } from './format.ts';
import { jsonKeys } from './json.ts';
import type { Piece } from './pieces.ts';

/** The keys of a text: its lines, or a column of what is the key of each record. */
export type TextKeys = KeyLines | KeyColumn;

/** Whether the keys of a text are its lines, as they are. */
export function areLines({ separator, quoted, fields, members, trim, ignoreCase }: TextFormat): boolean {
  return separator === NEWLINE && !quoted && fields.length + members.length === 0 && !trim && !ignoreCase;
}

/**
 * The keys of a text.
 *
 * @throws InvalidRecordError if a record must be JSON, and is not
 */
export function keysOf(text: Uint8Array, format: TextFormat): TextKeys {
  if (areLines(format)) return lines(text, { crlf: format.crlf });
  if (format.members.length > 0) return jsonKeys(text, format);
  return format.fields.length > 0 ? fieldKeys(text, format) : recordKeys(text, format);
}

export function countRecords(text: Uint8Array, format: TextFormat): number {
  if (format.separator === NEWLINE && !format.quoted) return lines(text).count();
  let count = 0;
  for (let at = 0; at < text.length; count++) at = endOfRecord(text, at, format);
  return count;
}

/** The same pieces, whose records are counted. */
export async function* counting<P extends Piece>(
  pieces: AsyncIterable<P>,
  format: TextFormat,
  count: (records: number) => void,
): AsyncGenerator<P> {
  for await (const piece of pieces) {
    count(countRecords(piece.bytes, format));
    yield piece;
  }
}

/** Warns if records lacked a part of the key, because a wrong delimiter or name would otherwise go unnoticed. */
export function warnIfLacking(format: TextFormat): void {
  const { fields, members, tally } = format;
  if (tally.lacking === 0) return;
  const count = plural(tally.lacking, recordNoun(format));
  const names = members.map(writtenPath).join(', ');
  if (members.length > 1) say(`warning: ${count} without one of ${names}, which is null in the key`);
  else if (members.length > 0) say(`warning: ${count} without ${names}, whose key is empty`);
  else if (fields.length > 1)
    say(
      `warning: ${count} without one of the fields ${fields.map(writtenField).join(', ')}, which is empty in the key`,
    );
  else say(`warning: ${count} without a field ${fields.map(writtenField).join()}, whose key is empty`);
}
