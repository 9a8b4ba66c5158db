// Where records end in CSV that comes in chunks. Only one reader checks the quotes, so that it knows the line that is
// wrong; what gets the records then may take them to be right.
//
// Parsers make objects of all fields, and do not tell which bytes a record has: csv-parse, which has an option for that
// (whose answer lacks the newline after a carriage return), takes six times as long. The tests compare both.

import { byteSize } from '../numbers.ts';
import { type Chunks, joined } from './bytes.ts';
import { InvalidRecordError, QUOTE, RETURN, type TextFormat } from './format.ts';

/** A longer record is taken for one whose quote is not closed, rather than for a reason to fill the memory. */
const MOST_BYTES = 64 * 2 ** 20;

/** What is read again after an invalid record is passed on in parts of this size, because each line takes memory. */
const PART_BYTES = 2 ** 20;

const BETWEEN = 'text between the end of a field in quotes and the delimiter';

/** Where a reader is: at the start of a field, in it, in its quotes, after a quote in these, or after a return then. */
const [START, PLAIN, QUOTED, CLOSED, RETURNED] = [0, 1, 2, 3, 4];

/** Where the first and the last record end in a chunk; both are 0 if none does. */
export interface Ends {
  readonly first: number;
  readonly last: number;
}

export class CsvReader {
  readonly #format: TextFormat;
  #state = START;
  /** The number of the line in which the last record begins, and how many lines end in its quotes. */
  #line = 1;
  #inner = 0;
  /** The number of bytes of the last record so far. */
  #length = 0;
  /** What is wrong with the record after the last one. */
  failure: string | undefined;

  constructor(format: TextFormat) {
    this.#format = format;
  }

  /** The number of the line in which the record after the last one begins. */
  get line(): number {
    return this.#line;
  }

  /** Reads a chunk, up to the first mistake. */
  read(chunk: Uint8Array): Ends {
    const { separator, crlf, delimiter } = this.#format;
    const comma = delimiter[0];
    let [first, last] = [0, 0];
    let state = this.#state;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (state === QUOTED) {
        if (byte === QUOTE) state = CLOSED;
        else if (byte === separator) this.#inner++;
      } else if (byte === separator) {
        state = START;
        last = at + 1;
        first ||= last;
        this.#line += 1 + this.#inner;
        this.#inner = 0;
      } else if (state === PLAIN) {
        if (byte === comma) state = START;
        else if (byte === QUOTE) return this.#stop(first, last, 'a quote within a field that does not begin with one');
      } else if (state === START) {
        if (byte !== comma) state = byte === QUOTE ? QUOTED : PLAIN;
      } else if (state === CLOSED && byte === QUOTE) {
        state = QUOTED;
      } else if (state === CLOSED && byte === comma) {
        state = START;
      } else if (state === CLOSED && byte === RETURN && crlf) {
        state = RETURNED;
      } else {
        return this.#stop(first, last, BETWEEN);
      }
    }
    this.#state = state;
    this.#length = last > 0 ? chunk.length - last : this.#length + chunk.length;
    if (this.#length > MOST_BYTES) this.failure = `longer than ${byteSize(MOST_BYTES)}; is a quote not closed?`;
    return { first, last };
  }

  #stop(first: number, last: number, reason: string): Ends {
    this.failure = reason;
    return { first, last };
  }

  /** Ends the text. */
  end(): void {
    if (this.#state === QUOTED) this.failure = 'its last quote is not closed';
    if (this.#state === RETURNED) this.failure = BETWEEN;
  }

  /** Begins again with the line after the one in which the record begins that is wrong. */
  leaveLine(): void {
    this.failure = undefined;
    this.#state = START;
    this.#line++;
    this.#inner = this.#length = 0;
  }
}

/**
 * Yields whole records of a text. If the format says so, the first line of a wrong record is left out, and not the others: they
 * may be records, if a quote was not closed. The header is never left out, because a record would take its place.
 *
 * @throws CommandError for a record that is wrong, after all that comes before, unless those are left out
 */
export async function* cutCsv(name: string, chunks: Chunks, format: TextFormat): Chunks {
  const { separator, header, skipsInvalid, tally, input } = format;
  const reader = new CsvReader(format);
  let rest: Uint8Array[] = [];
  /** Whether a line that is left out goes on. */
  let isLeaving = false;
  /** Leaves out the first line of what begins with a record that is wrong. Returns what follows. */
  const leaveLine = (text: Uint8Array): Uint8Array => {
    const record = { input: name, line: reader.line, reason: `is not CSV: ${reader.failure}` };
    if (!skipsInvalid || (header && reader.line === 1)) throw new InvalidRecordError(record, format);
    tally.invalid++;
    input.lines++;
    tally.firstInvalid ??= record;
    reader.leaveLine();
    isLeaving = true;
    return lineLeft(text);
  };
  const lineLeft = (text: Uint8Array): Uint8Array => {
    const end = text.indexOf(separator) + 1;
    isLeaving = end === 0;
    return text.subarray(end || text.length);
  };
  function* cut(chunk: Uint8Array): Generator<Uint8Array, void, undefined> {
    /** A stack of the texts that are still to be read. */
    const texts = [chunk];
    for (let next = texts.pop(); next; next = texts.pop()) {
      if (next.length > PART_BYTES) texts.push(next.subarray(PART_BYTES));
      const part = next.subarray(0, PART_BYTES);
      const text = isLeaving ? lineLeft(part) : part;
      const { first, last } = reader.read(text);
      // The end of the record that the last chunk began.
      const start = rest.length > 0 ? first : 0;
      if (start > 0) {
        yield joined([...rest, text.subarray(0, start)]);
        rest = [];
      }
      if (last > start) yield text.subarray(start, last);
      const left = text.subarray(last);
      if (reader.failure === undefined) {
        // A copy, because the chunk's memory will be used again.
        if (left.length > 0) rest.push(new Uint8Array(left));
        continue;
      }
      texts.push(leaveLine(rest.length > 0 ? joined([...rest, left]) : left));
      rest = [];
    }
  }
  for await (const chunk of chunks) yield* cut(chunk);
  for (reader.end(); reader.failure !== undefined; reader.end()) {
    const text = leaveLine(joined(rest));
    rest = [];
    yield* cut(text);
  }
  if (rest.length > 0) yield joined(rest);
}
