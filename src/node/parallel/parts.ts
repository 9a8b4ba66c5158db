// Cuts a text into parts of whole lines, which threads read on their own.

import { fstatSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { requireBytes } from '../../keys/key.ts';
import type { KeyLines } from '../../keys/lines.ts';
import { formatNameOf, HEAD_BYTES } from '../../streams/first-bytes.ts';

/** With less text than this, a thread hardly saves the 0.1 s that it takes to start, if the filter is a fast one. */
export const LEAST_BYTES: number = 32 * 2 ** 20;
/** The filters of all threads together take at most this much memory, unless they share one. */
export const MOST_BYTES: number = 512 * 2 ** 20;

/** What tells a file from another one under its name. */
interface Found {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
}

/** A file, as it was found before it was read. */
interface FoundFile {
  readonly path: string;
  readonly found: Found;
}

/** Whole lines: bytes of a file, or a text in memory. */
export type Part = (FoundFile & { readonly from: number; readonly to: number }) | { readonly text: Uint8Array };

/** The size of a part, unless its last line is longer: so that it stays in the processor's cache until it is hashed. */
export const PART_BYTES: number = 2 ** 20;
/** How much of a file is read at a time to find the end of a line. */
const SEARCH_BYTES = 64 * 1024;
const NEWLINE = 10;

/** What the threads are to read, all of it known to be there. */
export interface Text {
  readonly bytes: number;
  /** @throws the signal's reason if it is aborted during a search for the end of a line */
  parts(signal: AbortSignal | undefined): AsyncGenerator<Part, void, undefined>;
}

/**
 * Throws unless an open file is the one that was found. Lines may have been appended; they are not read. Every part is
 * read by a descriptor of its own, and another file may have taken the name.
 */
export function requireFound(descriptor: number, { path, found }: FoundFile): void {
  const { dev, ino, size, mtimeMs } = fstatSync(descriptor);
  if (size < found.size) throw new Error(`${path} has become shorter while it was read`);
  const isSame = dev === found.dev && ino === found.ino && (size > found.size || mtimeMs === found.mtimeMs);
  if (!isSame) throw new Error(`${path} was replaced while it was read`);
}

/** Returns where the line that contains the byte before `cut` ends. */
async function endOfLine(
  file: FileHandle,
  cut: number,
  size: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const buffer = new Uint8Array(SEARCH_BYTES);
  for (let at = cut - 1; at < size; ) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, SEARCH_BYTES, at);
    if (bytesRead === 0) break;
    const found = buffer.subarray(0, bytesRead).indexOf(NEWLINE);
    if (found >= 0) return Math.min(size, at + found + 1);
    at += bytesRead;
  }
  return size;
}

async function* partsOfFile(
  { path, found }: FoundFile,
  signal: AbortSignal | undefined,
): AsyncGenerator<Part, void, undefined> {
  const { size } = found;
  const file = await open(path);
  try {
    requireFound(file.fd, { path, found });
    for (let from = 0; from < size; ) {
      const cut = from + PART_BYTES;
      const to = cut < size ? await endOfLine(file, cut, size, signal) : size;
      yield { path, found, from, to };
      from = to;
    }
  } finally {
    await file.close();
  }
}

/** Finds files, before any is read. */
export async function textOfFiles(paths: readonly string[]): Promise<Text> {
  const files: FoundFile[] = [];
  // One by one, because many files cannot be open at once.
  for (const [i, path] of paths.entries()) files.push({ path, found: await find(path, i) });
  return {
    bytes: files.reduce((sum, { found }) => sum + found.size, 0),
    async *parts(signal) {
      for (const file of files) yield* partsOfFile(file, signal);
    },
  };
}

/** An error that shows the whole path, however long. */
function wrongFile(i: number, wanted: string, path: string): RangeError {
  return new RangeError(`source[${i}] must be ${wanted}, got ${JSON.stringify(path)}`);
}

async function find(path: string, i: number): Promise<Found> {
  // To open a pipe would wait for its writer.
  const found = await stat(path);
  if (!found.isFile()) throw wrongFile(i, 'a regular file', path);
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(HEAD_BYTES), { position: 0 });
    // The keys would be parts of other data, and no answer would look wrong.
    const format = formatNameOf(buffer.subarray(0, bytesRead));
    if (format !== undefined) throw wrongFile(i, `text in UTF-8, not ${format}`, path);
    // Such as a file of /proc. Without a size, it cannot be divided into parts.
    if (found.size === 0 && bytesRead > 0) throw wrongFile(i, 'a file whose size is known', path);
  } finally {
    await file.close();
  }
  const { dev, ino, size, mtimeMs } = found;
  return { dev, ino, size, mtimeMs };
}

/** @throws TypeError if the memory of the text has been transferred */
export function textOfLines(lines: KeyLines): Text {
  const bytes = requireBytes('bytes', lines.bytes);
  const size = bytes.length;
  return {
    bytes: size,
    async *parts() {
      for (let from = 0; from < size; ) {
        if (bytes.length !== size) throw new TypeError('source must not be transferred or resized while it is read');
        const cut = from + PART_BYTES;
        const to = cut < size ? 1 + bytes.indexOf(NEWLINE, cut - 1) || size : size;
        const text = bytes.subarray(from, to);
        // Of what is posted, the whole buffer is copied, unless threads share it. An ArrayBuffer of another realm is no
        // instance of the class here.
        yield { text: bytes.buffer instanceof SharedArrayBuffer ? text : new Uint8Array(text) };
        from = to;
      }
    },
  };
}
