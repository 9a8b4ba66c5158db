// Keys that are fields of records, or whole records that are not lines.

import type { KeyColumn } from 'bloomery';
import { trimEnd, trimStart } from './blanks.ts';
import { endOfRecord, type Field, QUOTE, RETURN, type TextFormat } from './format.ts';
import { KeyWriter } from './key-writer.ts';

function matches(text: Uint8Array, at: number, delimiter: Uint8Array): boolean {
  for (let i = 1; i < delimiter.length; i++) if (text[at + i] !== delimiter[i]) return false;
  return true;
}

/** Where the field ends that begins at `at`: at a delimiter, at what ends the record, or with the text. */
function endOfField(text: Uint8Array, at: number, { separator, delimiter, quoted }: TextFormat): number {
  const first = delimiter[0];
  let end = at;
  if (quoted && text[end] === QUOTE) {
    do end = text.indexOf(QUOTE, end + 1) + 1 || text.length;
    while (text[end] === QUOTE);
  }
  for (; end < text.length; end++) {
    const byte = text[end];
    if (byte === separator || (byte === first && matches(text, end, delimiter))) break;
  }
  return end;
}

/** Writes what is in the quotes of a field, as it is meant. */
function unquote(keys: KeyWriter, text: Uint8Array, start: number, end: number): void {
  for (let at = start, next = at; at < end; at = next) {
    // Up to a quote, which is the first of two, or the last of all.
    next = text.indexOf(QUOTE, at) + 1;
    keys.copy(text, at, Math.min(next, end));
    next++;
  }
}

/** Writes what is in the quotes of a field so that it differs from all others in its place: in quotes only if it needs them. */
function requote(keys: KeyWriter, text: Uint8Array, start: number, end: number, format: TextFormat): void {
  const { separator, delimiter } = format;
  const content = text.subarray(start, end);
  const needsQuotes = [QUOTE, separator, delimiter[0] as number].some((byte) => content.includes(byte));
  if (needsQuotes) keys.put(QUOTE);
  keys.copy(text, start, end);
  if (needsQuotes) keys.put(QUOTE);
}

/** Where a record or a field ends that ends at `end`: before the carriage return of a line end. */
function withoutReturn(text: Uint8Array, start: number, end: number, { separator, crlf }: TextFormat): number {
  return crlf && end > start && text[end] === separator && text[end - 1] === RETURN ? end - 1 : end;
}

/** The records as keys, as they are written, without what ends them. */
export function recordKeys(text: Uint8Array, format: TextFormat): KeyColumn {
  const { separator, trim, ignoreCase } = format;
  const keys = new KeyWriter(text.length, ignoreCase);
  for (let at = 0, next = at; at < text.length; at = next) {
    next = endOfRecord(text, at, format);
    const end = withoutReturn(text, at, text[next - 1] === separator ? next - 1 : next, format);
    const start = trim ? trimStart(text, at, end) : at;
    keys.copy(text, start, trim ? trimEnd(text, start, end) : end);
    keys.end();
  }
  return keys.toColumn();
}

/** The fields of a record, as they are meant. */
export function cellsOf(record: Uint8Array, format: TextFormat): Uint8Array[] {
  const cells: Uint8Array[] = [];
  for (let [at, isLast] = [0, false]; !isLast; ) {
    const end = endOfField(record, at, format);
    isLast = end === record.length || record[end] === format.separator;
    const stop = isLast ? withoutReturn(record, at, end, format) : end;
    const cell = new KeyWriter(stop - at);
    if (format.quoted && record[at] === QUOTE) unquote(cell, record, at + 1, stop - 1);
    else cell.copy(record, at, stop);
    cell.end();
    cells.push(cell.toColumn().data);
    at = end + format.delimiter.length;
  }
  return cells;
}

/** The number of a field, or of the first of several. */
function numberOf(field: Field): number {
  if (typeof field === 'number') return field;
  if ('from' in field) return field.from;
  throw new Error(`no header has told which field ${field.name} is`);
}

/**
 * The keys of all records, found in one pass over the bytes. A field that a record lacks is empty. Several fields are
 * separated by the delimiter, and in quotes where CSV needs them, so that different fields are different keys.
 */
export function fieldKeys(text: Uint8Array, format: TextFormat): KeyColumn {
  const { separator, quoted, fields, delimiter, trim, ignoreCase, tally } = format;
  const keys = new KeyWriter(text.length, ignoreCase);
  // In the order of the record, and where each one comes in the key.
  const wanted = fields.map((field, place) => ({ field: numberOf(field), place })).sort((a, b) => a.field - b.field);
  // If there is such a range, it is the last of the wanted: no field is in the key twice.
  const openPlace = fields.findIndex((field) => typeof field === 'object');
  const isSingle = fields.length === 1 && openPlace < 0;
  const starts = new Uint32Array(fields.length);
  const ends = new Uint32Array(fields.length);
  /** Where each field begins and ends that follows the first of the open range. */
  const others: number[] = [];
  const writeField = (first: number, last: number): void => {
    const isQuoted = quoted && last > first && text[first] === QUOTE;
    let [start, end] = isQuoted ? [first + 1, last - 1] : [first, last];
    if (trim) {
      start = trimStart(text, start, end);
      end = trimEnd(text, start, end);
    }
    if (!isQuoted) keys.copy(text, start, end);
    else if (isSingle) unquote(keys, text, start, end);
    else requote(keys, text, start, end, format);
  };
  const writeDelimiter = (): void => keys.copy(delimiter, 0, delimiter.length);
  for (let at = 0; at < text.length; ) {
    let found = 0;
    others.length = 0;
    for (let current = 1; ; current++) {
      const end = endOfField(text, at, format);
      const isLast = end === text.length || text[end] === separator;
      const next = wanted[found];
      const isWanted = next?.field === current;
      const isOther = openPlace >= 0 && found === fields.length;
      if (isWanted || isOther) {
        const stop = isLast ? withoutReturn(text, at, end, format) : end;
        if (isWanted) {
          starts[next.place] = at;
          ends[next.place] = stop;
          found++;
        } else {
          others.push(at, stop);
        }
      }
      at = isLast ? end + 1 : end + delimiter.length;
      if (isLast) break;
      if (found === fields.length && openPlace < 0) {
        at = endOfRecord(text, at, format);
        break;
      }
    }
    if (found < fields.length) {
      tally.lacking++;
      wanted.forEach(({ place }, i) => {
        if (i >= found) ends[place] = starts[place] = 0;
      });
    }
    for (let place = 0; place < fields.length; place++) {
      if (place > 0) writeDelimiter();
      writeField(starts[place] as number, ends[place] as number);
      if (place !== openPlace) continue;
      for (let i = 0; i < others.length; i += 2) {
        writeDelimiter();
        writeField(others[i] as number, others[i + 1] as number);
      }
    }
    keys.end();
  }
  return keys.toColumn();
}
