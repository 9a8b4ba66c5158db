// Checks whether a file is a text, and estimates its number of lines, before it is read.

import { InputError } from './input-error.ts';
import type { Source } from './job.ts';
import { roomForEstimate } from './room.ts';

const SAMPLES = 16;
const SAMPLE_BYTES = 64 * 1024;
const NEWLINE = 10;

export interface TextFile {
  /** The text, without a byte order mark. */
  readonly text: Blob;
  /** The number of lines to make room for: exact for a small file, else an estimate with a margin. */
  readonly room: number;
}

async function bytesAt(file: Blob, start: number, length: number): Promise<Uint8Array> {
  return new Uint8Array(await file.slice(start, start + length).arrayBuffer());
}

function beginsWith(bytes: Uint8Array, ...start: readonly number[]): boolean {
  return start.every((byte, i) => bytes[i] === byte);
}

/** Says why the first bytes of a file are not lines of text; undefined if they are. */
export function objectionTo(start: Uint8Array): string | undefined {
  if (start.length === 0) return 'It is empty.';
  if (beginsWith(start, ...new TextEncoder().encode('BLMY'))) {
    return 'It is a saved filter, not a list of lines.';
  }
  if (beginsWith(start, 0x1f, 0x8b)) return 'It is compressed with gzip. Unpack it first.';
  if (beginsWith(start, 0x28, 0xb5, 0x2f, 0xfd)) return 'It is compressed with Zstandard. Unpack it first.';
  if (beginsWith(start, 0x50, 0x4b, 3, 4)) return 'It is a ZIP archive. Unpack it first.';
  if (beginsWith(start, 0xff, 0xfe) || beginsWith(start, 0xfe, 0xff)) {
    return 'It is text in UTF-16. Save it as UTF-8 first.';
  }
  return start.includes(0) ? 'It is binary: it has zero bytes, and lines of text have none.' : undefined;
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

/**
 * Opens a file as a text of lines.
 *
 * @throws InputError if it is not a text
 */
export async function openText(file: Blob, source: Source): Promise<TextFile> {
  const start = await bytesAt(file, 0, SAMPLE_BYTES);
  const objection = objectionTo(start);
  if (objection !== undefined) throw new InputError(objection, source);
  const text = beginsWith(start, 0xef, 0xbb, 0xbf) ? file.slice(3) : file;
  if (text.size === 0) throw new InputError('It is empty.', source);
  return { text, room: await roomFor(text) };
}
