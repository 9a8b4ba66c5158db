// Where records end in CSV that comes in chunks. Only one reader checks the quotes, so that it knows the number of the
// record that is wrong; what gets the records then may take them to be right.
//
// Parsers make objects of all fields, and do not tell which bytes a record has: csv-parse, which has an option for that
// (whose answer lacks the newline after a carriage return), takes six times as long. The tests compare both.

import { CommandError, nameOf } from '../errors.ts';
import { byteSize, integer } from '../numbers.ts';
import { QUOTE, RETURN, type TextFormat } from './format.ts';

/** A longer record is taken for one whose quote is not closed, rather than for a reason to fill the memory. */
const MOST_BYTES = 64 * 2 ** 20;

/** Where a reader is: at the start of a field, in it, in its quotes, after a quote in these, or after a return then. */
const [START, PLAIN, QUOTED, CLOSED, RETURNED] = [0, 1, 2, 3, 4];

/** Where the first and the last record end in a chunk; both are 0 if none does. */
export interface Ends {
  readonly first: number;
  readonly last: number;
}

export class CsvReader {
  readonly #name: string;
  readonly #format: TextFormat;
  #state = START;
  #records = 0;
  /** The number of bytes of the last record so far. */
  #length = 0;
  /** What is wrong with the record after the last one. */
  failure: CommandError | undefined;

  /** @param name that of the input, for errors */
  constructor(name: string, format: TextFormat) {
    this.#name = name;
    this.#format = format;
  }

  #fail(reason: string): void {
    this.failure = new CommandError(`${nameOf(this.#name)}, record ${integer(this.#records + 1)}: ${reason}`);
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
      } else if (byte === separator) {
        state = START;
        last = at + 1;
        first ||= last;
        this.#records++;
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
        return this.#stop(first, last, 'text between the end of a field in quotes and the delimiter');
      }
    }
    this.#state = state;
    this.#length = last > 0 ? chunk.length - last : this.#length + chunk.length;
    if (this.#length > MOST_BYTES) this.#fail(`longer than ${byteSize(MOST_BYTES)}; is a quote not closed?`);
    return { first, last };
  }

  #stop(first: number, last: number, reason: string): Ends {
    this.#fail(reason);
    return { first, last };
  }

  /** Ends the text. */
  end(): void {
    if (this.#state === QUOTED) this.#fail('its last quote is not closed');
    if (this.#state === RETURNED) this.#fail('text between the end of a field in quotes and the delimiter');
  }
}
