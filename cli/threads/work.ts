// What a thread gets to work on: lines, or a range of a file that it reads.

import { readSync } from 'node:fs';
import { isatty } from 'node:tty';
import { type Field, inputNamed, newTally, type Tally, type TextFormat } from '../text/format.ts';
import type { Span, SpanRead } from '../text/parts.ts';
import { countRecords } from '../text/records.ts';
import type { Batch } from './batches.ts';

/** A batch as a thread gets it. The memory is moved, because memory that threads share is slower. */
export interface Work {
  readonly memory: ArrayBuffer;
  /** How many bytes of the memory are lines, if there is no span. */
  readonly length: number;
  /** What to read into the memory. */
  readonly span: Span | undefined;
  /** The fields that are the key. */
  readonly fields: readonly Field[];
}

/** The lines of a batch, read by a thread. */
export interface Lines {
  /** In the memory of the batch, or in a larger one. */
  readonly text: Uint8Array<ArrayBuffer>;
  readonly read: SpanRead | undefined;
  readonly format: TextFormat;
}

/** The number of the descriptor where progress is shown. */
const STDERR = 2;
/** Node reads no more than 2 GiB at once. */
const MOST_READ = 2 ** 30;
const NOTHING: Omit<SpanRead, 'error'> = { bytes: 0, lines: 0 };

export function workOf({ memory, length, range, format: { fields } }: Batch): Work {
  if (range === undefined) return { memory, length, span: undefined, fields };
  const { file, from, to, isFirst } = range;
  return { memory, length, span: { file, from, to, isFirst }, fields };
}

/** Takes what became of a batch. Returns whether its lines are part of the text. */
export function settle({ range }: Batch, read: SpanRead | undefined): boolean {
  return range === undefined || read === undefined || range.settle(read);
}

/** Reads a file from some byte on, as far as it is asked to. */
class Reader {
  readonly #file: number;
  readonly #start: number;
  #bytes: Buffer<ArrayBuffer>;
  #length = 0;
  isEnded = false;

  constructor(file: number, start: number, memory: ArrayBuffer) {
    this.#file = file;
    this.#start = start;
    this.#bytes = Buffer.from(memory);
  }

  /** Reads on until the memory is full, which is doubled if it is already. */
  readOn(): Buffer<ArrayBuffer> {
    if (this.#length === this.#bytes.length) {
      const longer = Buffer.from(new ArrayBuffer(2 * this.#length));
      longer.set(this.#bytes);
      this.#bytes = longer;
    }
    while (this.#length < this.#bytes.length && !this.isEnded) {
      const left = Math.min(MOST_READ, this.#bytes.length - this.#length);
      const read = readSync(this.#file, this.#bytes, this.#length, left, this.#start + this.#length);
      this.#length += read;
      this.isEnded = read === 0;
    }
    return this.#bytes.subarray(0, this.#length);
  }
}

/** Reads the lines that begin in a span. The memory must be longer than the span. */
function readSpan({ file, from, to, isFirst }: Span, memory: ArrayBuffer, separator: number): Buffer<ArrayBuffer> {
  // The byte before tells whether a line begins at `from`.
  const start = isFirst ? from : from - 1;
  const reader = new Reader(file, start, memory);
  let bytes = reader.readOn();
  const begin = isFirst ? 0 : bytes.indexOf(separator) + 1;
  if ((begin === 0 && !isFirst) || start + begin >= to) return bytes.subarray(0, 0);
  for (let at = Math.max(begin, to - 1 - start); ; at = bytes.length, bytes = reader.readOn()) {
    // The last range goes on to the end of the file.
    const found = at < bytes.length && to < Number.POSITIVE_INFINITY ? bytes.indexOf(separator, at) : -1;
    if (found >= 0) return bytes.subarray(begin, found + 1);
    if (reader.isEnded) return bytes.subarray(begin);
  }
}

/** The lines of a batch, in a thread. */
export function linesIn({ memory, length, span, fields }: Work, task: TextFormat): Lines {
  const format = { ...task, fields };
  if (span === undefined) return { text: new Uint8Array(memory, 0, length), read: undefined, format };
  try {
    const text = readSpan(span, memory, format.separator);
    return { text, read: { bytes: text.length, lines: isatty(STDERR) ? countRecords(text, format) : 0 }, format };
  } catch (error) {
    // Only an error of the system is one of the file.
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return { text: new Uint8Array(memory, 0, 0), read: { ...NOTHING, error: error as Error }, format };
  }
}

/** The tally of a batch that a thread has read, as if nothing came before it. */
export interface BatchTally
  extends Pick<Tally, 'keys' | 'lacking' | 'numbers' | 'digits' | 'invalid' | 'firstInvalid'> {
  /** See `Input`. */
  readonly lines: number;
}

/** Reads the keys of a batch, with a tally of its own. */
export function tallied<T>(format: TextFormat, read: (format: TextFormat) => T): { value: T; tally: BatchTally } {
  const [input, tally] = [inputNamed('', false), newTally()];
  if (format.tally.keys !== undefined) tally.keys = 0;
  const value = read({ ...format, input, tally });
  const { keys, lacking, numbers, digits, invalid, firstInvalid } = tally;
  return { value, tally: { lines: input.lines, keys, lacking, numbers, digits, invalid, firstInvalid } };
}

/** Adds the tally of a batch to that of the text. Batches must come in the order of the text. */
export function addTally({ input, tally }: TextFormat, found: BatchTally): void {
  const { lines, keys = 0, lacking, numbers, digits, invalid, firstInvalid } = found;
  tally.firstInvalid ??= firstInvalid && {
    ...firstInvalid,
    input: input.name,
    line: input.lines + firstInvalid.line,
  };
  input.lines += lines;
  if (tally.keys !== undefined) tally.keys += keys;
  tally.lacking += lacking;
  tally.numbers |= numbers;
  tally.digits |= digits;
  tally.invalid += invalid;
}
