import { CommandError, fail, nameOf, say } from '../errors.ts';
import { byteSize } from '../numbers.ts';
import { cutCsv } from './csv.ts';
import { endOfRecord, formatOfInput, linesIn, RETURN, type TextFormat } from './format.ts';
import { withColumns } from './header.ts';
import { type Chunks, type Inputs, rawChunks } from './input.ts';
import { openText } from './open-text.ts';

/**
 * The most bytes passed to a filter at once, except for a longer line. It takes them in one go, so the lines that it
 * selects are copied only once.
 */
const SLICE_BYTES = 64 * 1024;
export const NOTHING: Uint8Array = new Uint8Array(0);

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
      yield Buffer.concat([...rest, chunk.subarray(0, start)]);
      rest = [];
    }
    if (last > start) yield chunk.subarray(start, last);
    // A copy, because the chunk's memory will be used again.
    if (last < chunk.length) rest.push(Buffer.from(chunk.subarray(last)));
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}

/** A header without its mark and its end, which files may have or not. */
function wordsOf(header: Uint8Array): string {
  return Buffer.from(header)
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .replace(/\r?[\n\0]?$/, '');
}

/** The text of one of the inputs, unzipped. A header is kept apart: see `Tally`. */
export async function* sectionsOf(name: string, format: TextFormat, inputs: Inputs): AsyncGenerator<InputSection> {
  const raw = rawChunks(name, (bytes) => {
    inputs.bytesRead += bytes;
  });
  let { mark, chunks } = await openText(name, raw, format);
  let { header } = format;
  let own = formatOfInput(format, name);
  let isEmpty = true;
  for await (const bytes of format.quoted ? cutCsv(name, chunks, own) : cutLines(chunks, format)) {
    // The first record is a section of its own, because the mark is printed only with it.
    const end = header || mark.length > 0 ? endOfRecord(bytes, 0, format) : 0;
    if (header) {
      own = withColumns(own, bytes.subarray(0, end), name);
      // The names of CSV may have newlines.
      own.input.lines = linesIn(bytes, 0, end, format);
      const whole = Buffer.concat([mark, bytes.subarray(0, end)]);
      format.tally.header ??= whole;
      if (wordsOf(whole) !== wordsOf(format.tally.header)) format.tally.differing.add(name);
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

/**
 * Reads all inputs in order. One that cannot be read is reported and left out if the inputs allow it.
 *
 * @throws CommandError if an input cannot be read, unless the inputs allow that
 */
export async function* readInTurn<T>(inputs: Inputs, read: (name: string) => AsyncGenerator<T>): AsyncGenerator<T> {
  for (const name of inputs.names) {
    try {
      yield* read(name);
    } catch (error) {
      if (!inputs.mayFail) throw error;
      fail(error);
    }
  }
}

/**
 * The text of all inputs in order, unzipped.
 *
 * @throws CommandError if an input cannot be read, unless the inputs allow that
 */
export function readSections(inputs: Inputs, format: TextFormat): AsyncGenerator<InputSection> {
  return readInTurn(inputs, (name) => sectionsOf(name, format, inputs));
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

/** The text without byte order marks. */
export async function* unmarked(sections: AsyncIterable<Section>): AsyncGenerator<Section> {
  for await (const { bytes } of sections) yield { mark: NOTHING, bytes };
}

/**
 * The text as one sequence of bytes, which has the same keys. A last line without a separator gets one if more text
 * follows, and a byte order mark is left out except at the beginning.
 */
export async function* join(sections: AsyncIterable<Section>, { separator, crlf }: TextFormat): Chunks {
  let last: number | undefined;
  for await (const { mark, bytes } of sections) {
    if (last === undefined && mark.length > 0) yield mark;
    // Another carriage return keeps the first one part of the line.
    if (crlf && last === RETURN) yield Uint8Array.of(RETURN);
    if (last !== undefined && last !== separator) yield Uint8Array.of(separator);
    yield bytes;
    last = bytes.at(-1);
  }
}

/**
 * What a command prints: the header of the first input that has one, and then what it has selected. Warns of inputs with
 * another header, because their records stand below this one.
 */
export async function* belowHeader(selected: Chunks, { separator, tally }: TextFormat): Chunks {
  let isBegun = false;
  for await (const chunk of selected) {
    // Nothing is selected before the header has been read.
    if (!isBegun && tally.header) {
      yield tally.header;
      if (tally.header.at(-1) !== separator) yield Uint8Array.of(separator);
    }
    isBegun = true;
    yield chunk;
  }
  if (!isBegun && tally.header) yield tally.header;
  for (const name of tally.differing) say(`warning: ${nameOf(name)} has another header than the one that is printed`);
}

function allocate(length: number): Uint8Array {
  try {
    return new Uint8Array(length);
  } catch (error) {
    throw new CommandError(`a text of ${byteSize(length)} does not fit into memory`, { cause: error });
  }
}

/**
 * Copies a text into one memory. That grows, and is then copied, only if the text is longer than expected.
 *
 * @throws CommandError if there is not enough memory
 */
export async function collect(chunks: Chunks, expected: number): Promise<Uint8Array> {
  let memory = allocate(expected);
  let length = 0;
  for await (const chunk of chunks) {
    const end = length + chunk.length;
    if (end > memory.length) {
      // Doubled, which is cheap: pages that are not written take no memory.
      const longer = allocate(Math.max(end, 2 * memory.length));
      longer.set(memory.subarray(0, length));
      memory = longer;
    }
    memory.set(chunk, length);
    length = end;
  }
  return memory.subarray(0, length);
}
