// Keys that are fields of records, or whole records that are not lines.

import type { KeyColumn } from 'bloomery';
import { endOfRecord, QUOTE, RETURN, type TextFormat } from './format.ts';
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

/** Writes a field in quotes as it is meant. */
function unquote(keys: KeyWriter, text: Uint8Array, start: number, end: number): void {
  for (let at = start + 1, next = at; at < end - 1; at = next) {
    // Up to a quote, which is the first of two, or the last of all.
    next = text.indexOf(QUOTE, at) + 1;
    keys.copy(text, at, Math.min(next, end - 1));
    next++;
  }
}

/** Writes a field so that it differs from all others in its place: in quotes only if it needs them. */
function requote(keys: KeyWriter, text: Uint8Array, start: number, end: number, format: TextFormat): void {
  const { separator, delimiter } = format;
  const content = text.subarray(start + 1, end - 1);
  if ([QUOTE, separator, delimiter[0] as number].some((byte) => content.includes(byte))) keys.copy(text, start, end);
  else keys.copy(text, start + 1, end - 1);
}

/** Where a record or a field ends that ends at `end`: before the carriage return of a line end. */
function withoutReturn(text: Uint8Array, start: number, end: number, { separator, crlf }: TextFormat): number {
  return crlf && end > start && text[end] === separator && text[end - 1] === RETURN ? end - 1 : end;
}

/** The records as keys, as they are written, without what ends them. */
export function recordKeys(text: Uint8Array, format: TextFormat): KeyColumn {
  const keys = new KeyWriter(text.length);
  for (let at = 0, next = at; at < text.length; at = next) {
    next = endOfRecord(text, at, format);
    keys.copy(text, at, withoutReturn(text, at, text[next - 1] === format.separator ? next - 1 : next, format));
    keys.end();
  }
  return keys.toColumn();
}

/**
 * The keys of all records, found in one pass over the bytes. A field that a record lacks is empty. Several fields are
 * separated by the delimiter, and in quotes where CSV needs them, so that different fields are different keys.
 */
export function fieldKeys(text: Uint8Array, format: TextFormat): KeyColumn {
  const { separator, quoted, fields, delimiter, tally } = format;
  const keys = new KeyWriter(text.length);
  // In the order of the record, and where each one comes in the key.
  const wanted = fields.map((field, place) => ({ field, place })).sort((a, b) => a.field - b.field);
  const starts = new Uint32Array(fields.length);
  const ends = new Uint32Array(fields.length);
  const writeField = (place: number): void => {
    const [start, end] = [starts[place] as number, ends[place] as number];
    if (!quoted || end === start || text[start] !== QUOTE) keys.copy(text, start, end);
    else if (fields.length === 1) unquote(keys, text, start, end);
    else requote(keys, text, start, end, format);
  };
  for (let at = 0; at < text.length; ) {
    let found = 0;
    for (let current = 1; ; current++) {
      const end = endOfField(text, at, format);
      const isLast = end === text.length || text[end] === separator;
      const next = wanted[found];
      if (next?.field === current) {
        starts[next.place] = at;
        ends[next.place] = isLast ? withoutReturn(text, at, end, format) : end;
        found++;
      }
      at = isLast ? end + 1 : end + delimiter.length;
      if (isLast) break;
      if (found === fields.length) {
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
      if (place > 0) keys.copy(delimiter, 0, delimiter.length);
      writeField(place);
    }
    keys.end();
  }
  return keys.toColumn();
}
