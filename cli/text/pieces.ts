import { CommandError, fail } from '../errors.ts';
import { byteSize } from '../numbers.ts';
import { type Chunks, type Inputs, peek, rawChunks, startsWith } from './input.ts';
import type { TextFormat } from './records.ts';
import { unzip } from './unzip.ts';

/**
 * The most bytes passed to a filter at once, except for a longer line. It takes them in one go, so the lines that it
 * selects are copied only once.
 */
const SLICE_BYTES = 64 * 1024;
const RETURN = 13;
export const NOTHING: Uint8Array = new Uint8Array(0);
/** The UTF-8 byte order mark. It is not part of the first key. */
export const MARK: Uint8Array = Uint8Array.of(0xef, 0xbb, 0xbf);

/** Whole lines of a text; only the last one of a file may lack its separator. */
export interface Piece {
  /** The byte order mark before the lines, if there is one. */
  readonly mark: Uint8Array;
  readonly bytes: Uint8Array;
}

/** Yields the text in pieces that end with a separator, except for the last one. */
async function* cut(chunks: Chunks, separator: number): Chunks {
  let rest: Uint8Array[] = [];
  for await (const chunk of chunks) {
    // The end of the line that the last chunk began.
    const start = rest.length > 0 ? chunk.indexOf(separator) + 1 : 0;
    if (start > 0) {
      yield Buffer.concat([...rest, chunk.subarray(0, start)]);
      rest = [];
    }
    const end = chunk.lastIndexOf(separator) + 1;
    if (end > start) yield chunk.subarray(start, end);
    // A copy, because the chunk's memory will be used again.
    if (end < chunk.length) rest.push(Buffer.from(chunk.subarray(end)));
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}

async function* withoutMark(chunks: Chunks): Chunks {
  let left = MARK.length;
  for await (const chunk of chunks) {
    const skipped = Math.min(left, chunk.length);
    left -= skipped;
    if (skipped < chunk.length) yield chunk.subarray(skipped);
  }
}

/** The text of one of the inputs, unzipped. */
export async function* piecesOf(name: string, separator: number, inputs: Inputs): AsyncGenerator<Piece> {
  const raw = rawChunks(name, (bytes) => {
    inputs.bytesRead += bytes;
  });
  const contents = await unzip(name, raw);
  const { head, chunks } = await peek(contents.chunks, [MARK]);
  let mark = startsWith(head, MARK) ? MARK : NOTHING;
  for await (const bytes of cut(mark === MARK ? withoutMark(chunks) : chunks, separator)) {
    // The first line is a piece of its own, because the mark is printed only with it.
    const end = mark.length > 0 ? 1 + bytes.indexOf(separator) || bytes.length : 0;
    if (end > 0) yield { mark, bytes: bytes.subarray(0, end) };
    if (end < bytes.length) yield { mark: NOTHING, bytes: bytes.subarray(end) };
    mark = NOTHING;
  }
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
export function readPieces(inputs: Inputs, separator: number): AsyncGenerator<Piece> {
  return readInTurn(inputs, (name) => piecesOf(name, separator, inputs));
}

/** Cuts whole lines into slices for a filter. */
export function* slicesOf(bytes: Uint8Array, separator: number): Generator<Uint8Array, void, undefined> {
  for (let from = 0, end = 0; from < bytes.length; from = end) {
    end = from + SLICE_BYTES;
    if (end < bytes.length) end = bytes.lastIndexOf(separator, end - 1) + 1;
    // A longer line.
    if (end <= from) end = bytes.indexOf(separator, from) + 1 || bytes.length;
    yield bytes.subarray(from, end);
  }
}

/** The text without byte order marks. */
export async function* unmarked(pieces: AsyncIterable<Piece>): AsyncGenerator<Piece> {
  for await (const { bytes } of pieces) yield { mark: NOTHING, bytes };
}

/**
 * The text as one sequence of bytes, which has the same keys. A last line without a separator gets one if more text
 * follows, and a byte order mark is left out except at the beginning.
 */
export async function* join(pieces: AsyncIterable<Piece>, { separator, crlf }: TextFormat): Chunks {
  let last: number | undefined;
  for await (const { mark, bytes } of pieces) {
    if (last === undefined && mark.length > 0) yield mark;
    // Another carriage return keeps the first one part of the line.
    if (crlf && last === RETURN) yield Uint8Array.of(RETURN);
    if (last !== undefined && last !== separator) yield Uint8Array.of(separator);
    yield bytes;
    last = bytes.at(-1);
  }
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
