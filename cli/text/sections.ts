import { CommandError, fail, nameOf, say } from '../errors.ts';
import { byteSize } from '../numbers.ts';
import { type Chunks, NOTHING } from './bytes.ts';
import { cutText, type InputSection, type Section } from './cut.ts';
import { RETURN, type TextFormat } from './format.ts';
import { type Inputs, rawChunks } from './input.ts';
import { openText } from './open-text.ts';

/** The text of one of the inputs, unzipped. A header is kept apart: see `Tally`. */
export async function* sectionsOf(name: string, format: TextFormat, inputs: Inputs): AsyncGenerator<InputSection> {
  const raw = rawChunks(name, (bytes) => {
    inputs.bytesRead += bytes;
  });
  yield* cutText(name, await openText(name, raw, format), format);
}

/** Whether a read has failed because `closePipes` closed the pipe, after another error. */
function wasClosed({ cause }: Error): boolean {
  return (cause as NodeJS.ErrnoException | undefined)?.code === 'ERR_STREAM_PREMATURE_CLOSE';
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
      if (!inputs.mayFail || wasClosed(error as Error)) throw error;
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

/** The text without byte order marks. */
export async function* unmarked(sections: AsyncIterable<Section>): AsyncGenerator<Section> {
  for await (const { bytes } of sections) yield { mark: NOTHING, bytes };
}

/** What is missing at the end of a line that others follow: nothing, or a separator. */
export function missingEnd(line: Uint8Array, { separator, crlf }: TextFormat): Uint8Array {
  const last = line.at(-1);
  if (last === separator) return NOTHING;
  // Another carriage return keeps the first one part of the line.
  return Uint8Array.from(crlf && last === RETURN ? [RETURN, separator] : [separator]);
}

/**
 * The text as one sequence of bytes, which has the same keys. A last line without a separator gets one if more text
 * follows, and a byte order mark is left out except at the beginning.
 */
export async function* join(sections: AsyncIterable<Section>, format: TextFormat): Chunks {
  let end: Uint8Array | undefined;
  for await (const { mark, bytes } of sections) {
    const before = end ?? mark;
    if (before.length > 0) yield before;
    end = bytes.length > 0 ? missingEnd(bytes, format) : undefined;
    yield bytes;
  }
}

/**
 * What a command prints: the header of the first input that has one, and then what it has selected. Warns of inputs with
 * another header, because their records stand below this one.
 */
export async function* belowHeader(selected: Chunks, format: TextFormat): Chunks {
  const { tally } = format;
  let isBegun = false;
  for await (const chunk of selected) {
    // Nothing is selected before the header has been read.
    if (!isBegun && tally.header) {
      yield tally.header;
      const end = missingEnd(tally.header, format);
      if (end.length > 0) yield end;
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
