// Checks whether a file is a text, packed with gzip or not, and estimates its number of lines, before it is read.

import { fileStream } from 'bloomery';
import { areSame, bytesOf, type Chunks, joined, MARK, NOTHING } from '../../../cli/text/bytes.ts';
import { formatNameOf } from '../../../src/streams/first-bytes.ts';
import { InputError } from './input-error.ts';
import type { Source } from './job.ts';
import { roomForEstimate } from './room.ts';

const SAMPLES = 16;
const SAMPLE_BYTES = 64 * 1024;
/** So much of a packed file is unpacked to estimate the rest. */
const PACKED_SAMPLE_BYTES = 256 * 1024;
const [NEWLINE, RETURN] = [10, 13];

/** How the bytes of a text that is not in UTF-16 are read. */
export type Encoding = 'utf-8' | 'windows-1252';

export interface TextFile {
  /** The size of the text in bytes; an estimate if it is packed and large. */
  readonly size: number;
  /** The number of lines to make room for: exact for a small file, else an estimate with a margin. */
  readonly room: number;
  /** The first bytes of the text. */
  readonly start: Uint8Array;
  /** Whether the beginning can be UTF-8. */
  readonly isUtf8: boolean;
  /** The byte order mark before the text, if there is one. */
  readonly mark: Uint8Array;
  /** The text from its beginning, without a byte order mark, in UTF-8 unless that is not known. */
  open(): Chunks;
}

async function bytesAt(file: Blob, start: number, length: number): Promise<Uint8Array> {
  return new Uint8Array(await file.slice(start, start + length).arrayBuffer());
}

const beginsWith = (bytes: Uint8Array, start: Uint8Array): boolean => areSame(bytes.subarray(0, start.length), start);

const ARCHIVES = ['zip', 'tar', '7z', 'rar'];

/** Says why the first bytes of a file are not lines of text; undefined if they are. */
export function objectionTo(start: Uint8Array): string | undefined {
  if (start.length === 0) return 'It is empty.';
  if (beginsWith(start, bytesOf('BLMY'))) {
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

/** The chunks of a stream, in browsers in which a stream is not iterable too. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): Chunks {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Unpacks a file while it is read. */
async function* unpacked(file: Blob, source: Source): Chunks {
  try {
    yield* chunksOf(fileStream(file).pipeThrough(new DecompressionStream('gzip')));
  } catch (error) {
    // The file itself cannot be read.
    if (error instanceof DOMException) throw error;
    throw new InputError('It is damaged gzip, or has something after its end.', source, { cause: error });
  }
}

/** Makes UTF-8 of another encoding, without its mark. Nothing is replaced, because different lines could become one. */
async function* toUtf8(chunks: Chunks, encoding: Utf16 | Encoding, source: Source): Chunks {
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for await (const chunk of chunks) yield bytesOf(decoder.decode(chunk, { stream: true }));
    decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new InputError('It begins as UTF-16 does, and is not valid UTF-16.', source, { cause: error });
  }
}

/** The beginning of a text in another encoding as UTF-8. It may be cut within a character. */
function startInUtf8(start: Uint8Array, encoding: Utf16 | Encoding): Uint8Array {
  return bytesOf(new TextDecoder(encoding).decode(start, { stream: true }));
}

/** Whether the beginning of a text can be UTF-8. It may be cut within a character. */
function isUtf8(start: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Leaves the first bytes of a text out. */
async function* without(chunks: Chunks, count: number): Chunks {
  let left = count;
  for await (const chunk of chunks) {
    const rest = chunk.subarray(left);
    left -= chunk.length - rest.length;
    if (rest.length > 0) yield rest;
  }
}

/** The first bytes of a text, its size, and its lines, counted in a part of it that may end anywhere. */
async function sampleOf(chunks: Chunks, isWhole: boolean) {
  let start = NOTHING;
  let [size, newlines, last] = [0, 0, NEWLINE];
  try {
    for await (const chunk of chunks) {
      if (start.length < SAMPLE_BYTES) start = joined([start, chunk]);
      size += chunk.length;
      newlines += countNewlines(chunk);
      last = chunk.at(-1) ?? last;
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
 * @param encoding of what is not in UTF-16
 * @throws InputError if it is not a text
 */
export async function openText(file: Blob, source: Source, encoding: Encoding = 'utf-8'): Promise<TextFile> {
  const first = await bytesAt(file, 0, SAMPLE_BYTES);
  const isPacked = formatNameOf(first) === 'gzip' && 'DecompressionStream' in globalThis;
  const sample = isPacked
    ? await samplePacked(file, source)
    : { start: first, size: file.size, room: await roomFor(file) };
  const utf16 = utf16Of(sample.start);
  const other = utf16 ?? (encoding === 'utf-8' ? undefined : encoding);
  const start = other ? startInUtf8(sample.start, other) : sample.start;
  const objection = objectionTo(start);
  if (objection !== undefined) throw new InputError(objection, source);
  const mark = beginsWith(start, MARK) ? MARK : NOTHING;
  // Most of the texts that are saved in UTF-16 have a byte for each two.
  const size = (utf16 ? Math.ceil(sample.size / 2) : sample.size) - mark.length;
  if (size === 0) throw new InputError('It is empty.', source);
  const open = (): Chunks => {
    const bytes = isPacked ? unpacked(file, source) : chunksOf(fileStream(file));
    return without(other ? toUtf8(bytes, other, source) : bytes, mark.length);
  };
  return { size, room: sample.room, start: start.subarray(mark.length), isUtf8: isUtf8(start), mark, open };
}
