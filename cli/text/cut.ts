// Cuts a text into whole records, and keeps its header apart.

import { areSame, type Chunks, joined, MARK, NOTHING } from './bytes.ts';
import { cutCsv } from './csv.ts';
import { endOfRecord, formatOfInput, linesIn, NEWLINE, RETURN, type TextFormat } from './format.ts';
import { withColumns } from './header.ts';

/**
 * The most bytes passed to a filter at once, except for a longer line. It takes them in one go, so the lines that it
 * selects are copied only once.
 */
const SLICE_BYTES = 64 * 1024;
/** A text in UTF-8. */
export interface OpenText {
  /** Its byte order mark, which is printed, but not part of a line. */
  readonly mark: Uint8Array;
  /** The text without it. */
  readonly chunks: Chunks;
}

/** Whole records of a text; only the last one of a file may lack its separator. */
export interface Section {
  /** The byte order mark before the lines, if there is one. */
  readonly mark: Uint8Array;
  readonly bytes: Uint8Array;
}

/** A section of an input. */
export interface InputSection extends Section {
  /** The format of the input, whose header has replaced the names of fields by their numbers. */
  readonly format: TextFormat;
}

/** Yields the text in sections that end with a separator, except for the last one. */
async function* cutLines(chunks: Chunks, { separator }: TextFormat): Chunks {
  let rest: Uint8Array[] = [];
  for await (const chunk of chunks) {
    // The end of the line that the last chunk began.
    const start = rest.length > 0 ? chunk.indexOf(separator) + 1 : 0;
    const last = chunk.lastIndexOf(separator) + 1;
    if (start > 0) {
      yield joined([...rest, chunk.subarray(0, start)]);
      rest = [];
    }
    if (last > start) yield chunk.subarray(start, last);
    // A copy, because the chunk's memory will be used again.
    if (last < chunk.length) rest.push(new Uint8Array(chunk.subarray(last)));
  }
  if (rest.length > 0) yield joined(rest);
}

/** A header without its mark and its end, which files may have or not. */
function wordsOf(header: Uint8Array): Uint8Array {
  const from = areSame(header.subarray(0, MARK.length), MARK) ? MARK.length : 0;
  let to = header.length;
  if (header[to - 1] === NEWLINE || header[to - 1] === 0) to--;
  if (header[to - 1] === RETURN) to--;
  return header.subarray(from, to);
}

/** The records of a text. A header is kept apart: see `Tally`. */
export async function* cutText(name: string, text: OpenText, format: TextFormat): AsyncGenerator<InputSection> {
  let { mark } = text;
  let { header } = format;
  let own = formatOfInput(format, name);
  let isEmpty = true;
  for await (const bytes of format.quoted ? cutCsv(name, text.chunks, own) : cutLines(text.chunks, format)) {
    // The first record is a section of its own, because the mark is printed only with it.
    const end = header || mark.length > 0 ? endOfRecord(bytes, 0, format) : 0;
    if (header) {
      own = withColumns(own, bytes.subarray(0, end), name);
      // The names of CSV may have newlines.
      own.input.lines = linesIn(bytes, 0, end, format);
      const whole = joined([mark, bytes.subarray(0, end)]);
      format.tally.header ??= whole;
      if (!areSame(wordsOf(whole), wordsOf(format.tally.header))) format.tally.differing.add(name);
    } else if (end > 0) {
      yield { mark, bytes: bytes.subarray(0, end), format: own };
    }
    isEmpty &&= header && end === bytes.length;
    if (end < bytes.length) yield { mark: NOTHING, bytes: bytes.subarray(end), format: own };
    mark = NOTHING;
    header = false;
  }
  if (isEmpty && (format.header || format.quoted || format.members.length > 0)) format.tally.empty.add(name);
}

/** Where the last record ends that ends up to `most`, or else the first one. */
function endOfSlice(bytes: Uint8Array, from: number, most: number, format: TextFormat): number {
  if (most >= bytes.length) return bytes.length;
  let end = from;
  if (!format.quoted) end = bytes.lastIndexOf(format.separator, most - 1) + 1;
  else for (let next = from; next <= most; next = endOfRecord(bytes, next, format)) end = next;
  // A longer record.
  return end > from ? end : endOfRecord(bytes, from, format);
}

/** Cuts whole records into slices for a filter. */
export function* slicesOf(bytes: Uint8Array, format: TextFormat): Generator<Uint8Array, void, undefined> {
  for (let from = 0, end = 0; from < bytes.length; from = end) {
    end = endOfSlice(bytes, from, from + SLICE_BYTES, format);
    yield bytes.subarray(from, end);
  }
}
