// Checks whether a file is a text, packed with gzip or not, and estimates its number of lines, before it is read.

import { fileStream } from 'bloomery';
import { formatNameOf } from '../../../src/streams/first-bytes.ts';
import { InputError } from './input-error.ts';
import type { Source } from './job.ts';
import { roomForEstimate } from './room.ts';

const SAMPLES = 16;
const SAMPLE_BYTES = 64 * 1024;
/** So much of a packed file is unpacked to estimate the rest. */
const PACKED_SAMPLE_BYTES = 256 * 1024;
const [NEWLINE, RETURN] = [10, 13];
const MARK = [0xef, 0xbb, 0xbf] as const;

type Bytes = Uint8Array<ArrayBuffer>;

export interface TextFile {
  /** The size of the text in bytes; an estimate if it is packed and large. */
  readonly size: number;
  /** The number of lines to make room for: exact for a small file, else an estimate with a margin. */
  readonly room: number;
  /** The first bytes of the text. */
  readonly start: Uint8Array;
  /** The text from its beginning, without a byte order mark. */
  open(): ReadableStream<Bytes>;
}

async function bytesAt(file: Blob, start: number, length: number): Promise<Bytes> {
  return new Uint8Array(await file.slice(start, start + length).arrayBuffer());
}

function beginsWith(bytes: Uint8Array, ...start: readonly number[]): boolean {
  return start.every((byte, i) => bytes[i] === byte);
}

const ARCHIVES = ['zip', 'tar', '7z', 'rar'];

/** Says why the first bytes of a file are not lines of text; undefined if they are. */
export function objectionTo(start: Uint8Array): string | undefined {
  if (start.length === 0) return 'It is empty.';
  if (beginsWith(start, ...new TextEncoder().encode('BLMY'))) {
    return 'It is a saved filter, not a list of lines.';
  }
  const format = formatNameOf(start);
  if (format?.startsWith('UTF')) return `It is text in ${format}. Save it as UTF-8 first.`;
  if (format !== undefined) {
    return `It is ${ARCHIVES.includes(format) ? `a ${format} archive` : `compressed with ${format}`}. Unpack it first.`;
  }
  if (start.includes(0)) return 'It is binary: it has zero bytes, and lines of text have none.';
  return start.includes(NEWLINE) || !start.includes(RETURN)
    ? undefined
    : 'It is a single line, because carriage returns end its lines. Save it with the line ends of Windows or Unix first.';
}

type Utf16 = 'utf-16le' | 'utf-16be';

/** The order of the bytes of UTF-16; undefined for another text. */
function utf16Of(start: Uint8Array): Utf16 | undefined {
  if (formatNameOf(start) !== 'UTF-16') return undefined;
  return start[0] === 0xff ? 'utf-16le' : 'utf-16be';
}

/** Makes UTF-8 of UTF-16, without its mark. Nothing is replaced, because different lines could become one. */
function toUtf8(encoding: Utf16, source: Source): TransformStream<Bytes, Bytes> {
  const [decoder, encoder] = [new TextDecoder(encoding, { fatal: true }), new TextEncoder()];
  const decode = (chunk?: Bytes): Bytes => {
    try {
      return encoder.encode(decoder.decode(chunk, { stream: chunk !== undefined })) as Bytes;
    } catch (error) {
      throw new InputError('It begins as UTF-16 does, and is not valid UTF-16.', source, { cause: error });
    }
  };
  return new TransformStream({
    transform: (chunk, controller) => controller.enqueue(decode(chunk)),
    flush() {
      decode();
    },
  });
}

/** The beginning of a text in UTF-16 as UTF-8. It may be cut within a character. */
function startInUtf8(start: Uint8Array, encoding: Utf16): Uint8Array {
  return new TextEncoder().encode(new TextDecoder(encoding).decode(start, { stream: true }));
}

function countNewlines(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === NEWLINE) count++;
  return count;
}

/** Counts the lines of a small file, and estimates those of a large one from samples all over it. */
async function roomFor(text: Blob): Promise<number> {
  const { size } = text;
  if (size <= SAMPLES * SAMPLE_BYTES) {
    const bytes = await bytesAt(text, 0, size);
    return countNewlines(bytes) + (bytes.at(-1) === NEWLINE ? 0 : 1);
  }
  let newlines = 0;
  for (let i = 0; i < SAMPLES; i++) {
    newlines += countNewlines(await bytesAt(text, Math.floor((i * size) / SAMPLES), SAMPLE_BYTES));
  }
  return roomForEstimate((newlines / (SAMPLES * SAMPLE_BYTES)) * size);
}

/** Unpacks a file while it is read. */
function unpacked(file: Blob, source: Source): ReadableStream<Bytes> {
  const reader = fileStream(file).pipeThrough(new DecompressionStream('gzip')).getReader();
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          // The file itself cannot be read.
          if (error instanceof DOMException) throw error;
          throw new InputError('It is damaged gzip, or has something after its end.', source, { cause: error });
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Leaves the first bytes of a stream out. */
function without(count: number): TransformStream<Bytes, Bytes> {
  let left = count;
  return new TransformStream({
    transform(chunk, controller) {
      const rest = chunk.subarray(left);
      left -= chunk.length - rest.length;
      if (rest.length > 0) controller.enqueue(rest);
    },
  });
}

/** The first bytes of a text, its size, and its lines, counted in a part of it that may end anywhere. */
async function sampleOf(stream: ReadableStream<Bytes>, isWhole: boolean) {
  const reader = stream.getReader();
  let start: Bytes = new Uint8Array(0);
  let [size, newlines, last] = [0, 0, NEWLINE];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (start.length < SAMPLE_BYTES) {
        const longer = new Uint8Array(start.length + value.length);
        longer.set(start);
        longer.set(value, start.length);
        start = longer;
      }
      size += value.length;
      newlines += countNewlines(value);
      last = value.at(-1) ?? last;
    }
  } catch (error) {
    // A part of a packed file ends too early, which is an error only if it is the whole file.
    if (isWhole || !(error instanceof InputError)) throw error;
  }
  return { start: start.subarray(0, SAMPLE_BYTES), size, lines: newlines + (last === NEWLINE ? 0 : 1) };
}

/** The beginning of a text, its size, and its lines to make room for. */
type Sample = Pick<TextFile, 'start' | 'size' | 'room'>;

async function samplePacked(file: Blob, source: Source): Promise<Sample> {
  const part = file.slice(0, PACKED_SAMPLE_BYTES);
  const isWhole = part.size === file.size;
  const { start, size, lines } = await sampleOf(unpacked(part, source), isWhole);
  if (size === 0 && !isWhole) throw new InputError('It is damaged gzip.', source);
  const factor = file.size / part.size;
  return { start, size: Math.ceil(factor * size), room: isWhole ? lines : roomForEstimate(factor * lines) };
}

/**
 * Opens a file as a text of lines.
 *
 * @throws InputError if it is not a text
 */
export async function openText(file: Blob, source: Source): Promise<TextFile> {
  const first = await bytesAt(file, 0, SAMPLE_BYTES);
  const isPacked = formatNameOf(first) === 'gzip' && 'DecompressionStream' in globalThis;
  const sample = isPacked
    ? await samplePacked(file, source)
    : { start: first, size: file.size, room: await roomFor(file) };
  const encoding = utf16Of(sample.start);
  const start = encoding ? startInUtf8(sample.start, encoding) : sample.start;
  const objection = objectionTo(start);
  if (objection !== undefined) throw new InputError(objection, source);
  const mark = beginsWith(start, ...MARK) ? MARK.length : 0;
  // Most of the texts that are saved in UTF-16 have a byte for each two.
  const size = (encoding ? Math.ceil(sample.size / 2) : sample.size) - mark;
  if (size === 0) throw new InputError('It is empty.', source);
  const open = (): ReadableStream<Bytes> => {
    if (!isPacked && !encoding) return fileStream(mark === 0 ? file : file.slice(mark));
    const bytes = isPacked ? unpacked(file, source) : fileStream(file);
    const text = encoding ? bytes.pipeThrough(toUtf8(encoding, source)) : bytes;
    return mark === 0 ? text : text.pipeThrough(without(mark));
  };
  return { size, room: sample.room, start: start.subarray(mark), open };
}
