// Checks whether a file is a text, packed with gzip or not, and estimates its number of lines, before it is read.

import { fileStream } from 'bloomery';
import { areSame, bytesOf, type Chunks, joined, MARK, NOTHING, toUtf8 } from '../../../cli/text/bytes.ts';
import { formatNameOf, HEAD_BYTES } from '../../../src/streams/first-bytes.ts';
import { InputError } from './input-error.ts';
import type { Source } from './job.ts';
import { roomForEstimate } from './room.ts';

const SAMPLE_BYTES = 64 * 1024;
/** So much of a file is read to estimate the rest. */
const [PLAIN_SAMPLE_BYTES, PACKED_SAMPLE_BYTES] = [2 ** 20, 2 ** 18];
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

/** The beginning of a text, its size, and its lines to make room for: counted in a part of it, which tells of the rest. */
async function sampleOf(file: Blob, source: Source, isPacked: boolean) {
  const part = file.slice(0, isPacked ? PACKED_SAMPLE_BYTES : PLAIN_SAMPLE_BYTES);
  const isWhole = part.size === file.size;
  let start = NOTHING;
  let [size, newlines, last] = [0, 0, NEWLINE];
  try {
    for await (const chunk of isPacked ? unpacked(part, source) : chunksOf(fileStream(part))) {
      if (start.length < SAMPLE_BYTES) start = joined([start, chunk]).subarray(0, SAMPLE_BYTES);
      size += chunk.length;
      for (const byte of chunk) if (byte === NEWLINE) newlines++;
      last = chunk.at(-1) ?? last;
    }
  } catch (error) {
    // A part of a packed file ends too early, which is an error only if it is the whole file.
    if (isWhole || !(error instanceof InputError)) throw error;
  }
  if (size === 0 && !isWhole) throw new InputError('It is damaged gzip.', source);
  const lines = newlines + (last === NEWLINE ? 0 : 1);
  const factor = isWhole ? 1 : file.size / part.size;
  return { start, size: Math.ceil(factor * size), room: isWhole ? lines : roomForEstimate(factor * lines) };
}

/**
 * Opens a file as a text of lines.
 *
 * @param encoding of what is not in UTF-16
 * @throws InputError if it is not a text
 */
export async function openText(file: Blob, source: Source, encoding: Encoding = 'utf-8'): Promise<TextFile> {
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  const isPacked = formatNameOf(head) === 'gzip' && 'DecompressionStream' in globalThis;
  const sample = await sampleOf(file, source, isPacked);
  const utf16 = utf16Of(sample.start);
  const other = utf16 ?? (encoding === 'utf-8' ? undefined : encoding);
  // It may be cut within a character.
  const start = other ? bytesOf(new TextDecoder(other).decode(sample.start, { stream: true })) : sample.start;
  const objection = objectionTo(start);
  if (objection !== undefined) throw new InputError(objection, source);
  const mark = beginsWith(start, MARK) ? MARK : NOTHING;
  // Most of the texts that are saved in UTF-16 have a byte for each two.
  const size = (utf16 ? Math.ceil(sample.size / 2) : sample.size) - mark.length;
  if (size === 0) throw new InputError('It is empty.', source);
  const refusal = (cause: unknown): Error =>
    new InputError('It begins as UTF-16 does, and is not valid UTF-16.', source, { cause });
  const open = (): Chunks => {
    const bytes = isPacked ? unpacked(file, source) : chunksOf(fileStream(file));
    return without(other ? toUtf8(bytes, other, refusal) : bytes, mark.length);
  };
  return { size, room: sample.room, start: start.subarray(mark.length), isUtf8: isUtf8(start), mark, open };
}
