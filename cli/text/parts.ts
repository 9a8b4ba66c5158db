// The parts of a text that several threads read: large files in ranges, which each thread reads on its own.

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { cannot, fail } from '../errors.ts';
import { MARK, NOTHING } from './bytes.ts';
import type { InputSection } from './cut.ts';
import { formatOfInput, type TextFormat } from './format.ts';
import { type Inputs, STDIN, startsWith } from './input.ts';
import { isPlain } from './open-text.ts';
import { readInTurn, readSections, sectionsOf } from './sections.ts';

/** So much of a file tells whether threads may read its ranges. */
const HEAD_BYTES = 64 * 1024;
/** The size of a range. A smaller file is read with others, in one thread. */
export const RANGE_BYTES: number = 2 ** 21 - 4096;

/** A range of a file. Its lines are those that begin in it, even if they end after it. */
export interface Span {
  /** The descriptor of the file, which all threads have in common. */
  readonly file: number;
  readonly from: number;
  /** Infinity if there is no further range: until the end of the file, which may have grown. */
  readonly to: number;
  /** Whether a line begins at `from`, whatever comes before. */
  readonly isFirst: boolean;
}

/** What became of a range. */
export interface SpanRead {
  readonly bytes: number;
  /** How many lines there are, if somebody sees the progress. */
  readonly lines: number;
  readonly error?: Error;
}

/** A range of a file. It is settled when it has been read, in the order of the text. */
export interface FileRange extends Span {
  /** The byte order mark before the lines, if there is one. */
  readonly mark: Uint8Array;
  /** See `InputSection`. */
  readonly format: TextFormat;
  /**
   * Counts what was read. Returns whether the lines are part of the text: not if the file could not be read up to there.
   *
   * @throws CommandError if the range cannot be read, unless the inputs allow that
   */
  settle(read: SpanRead): boolean;
}

/** A part of a text: read, or to be read. */
export type Part = InputSection | FileRange;

interface LargeFile {
  readonly file: number;
  readonly size: number;
  readonly mark: Uint8Array;
}

/** Opens a file that threads can read in ranges; undefined for any other, also if it cannot be read. */
function openLarge(name: string, format: TextFormat): LargeFile | undefined {
  if (name === STDIN) return undefined;
  let file: number | undefined;
  try {
    // To open a pipe would wait for its writer.
    const found = statSync(name);
    if (!found.isFile() || found.size < RANGE_BYTES) return undefined;
    file = openSync(name, 'r');
    const head = Buffer.alloc(HEAD_BYTES);
    const read = readSync(file, head, 0, HEAD_BYTES, 0);
    if (isPlain(name, head.subarray(0, read), format)) {
      const large = { file, size: found.size, mark: startsWith(head, MARK) ? MARK : NOTHING };
      file = undefined;
      return large;
    }
  } catch {
    // One thread tries again, and tells why it cannot be read.
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return undefined;
}

async function* rangesOf(
  name: string,
  { file, size, mark }: LargeFile,
  format: TextFormat,
  inputs: Inputs,
): AsyncGenerator<FileRange> {
  const own = formatOfInput(format, name);
  let [open, isOver, hasFailed] = [0, false, false];
  const closeUnlessOpen = (): void => {
    if (isOver && open === 0) closeSync(file);
  };
  const rangeFrom = (from: number, to: number): FileRange => {
    const isFirst = from === mark.length;
    const before = isFirst ? mark : NOTHING;
    open++;
    return {
      mark: before,
      format: own,
      file,
      from,
      to,
      isFirst,
      settle({ bytes, lines, error }) {
        open--;
        closeUnlessOpen();
        if (hasFailed) return false;
        inputs.bytesRead += before.length + bytes;
        inputs.linesRead += lines;
        if (error === undefined) return true;
        hasFailed = true;
        const failure = cannot('read', name, error);
        if (!inputs.mayFail) throw failure;
        fail(failure);
        return false;
      },
    };
  };
  try {
    // The first line is a range of its own, because the mark is printed only with it.
    let from = mark.length;
    if (from > 0) yield rangeFrom(from, ++from);
    for (; from < size && !hasFailed; from += RANGE_BYTES) {
      const to = from + RANGE_BYTES;
      yield rangeFrom(from, to < size ? to : Number.POSITIVE_INFINITY);
    }
  } finally {
    isOver = true;
    closeUnlessOpen();
  }
}

/**
 * The text of all inputs in order, as `readSections` reads it, but large files that are not compressed as ranges.
 *
 * @param after how many bytes one thread reads before the others start; if there are any, there are no ranges
 * @throws CommandError if an input cannot be read, unless the inputs allow that
 */
export function readParts(inputs: Inputs, format: TextFormat, after: number): AsyncGenerator<Part> {
  // Where a record of CSV begins, only what comes before tells.
  if (after > 0 || format.quoted || format.header) return readSections(inputs, format);
  return readInTurn<Part>(inputs, (name) => {
    const large = openLarge(name, format);
    return large ? rangesOf(name, large, format, inputs) : sectionsOf(name, format, inputs);
  });
}

/** The first sections of a text, until they have `size` bytes or more. The others are left to be read. */
export async function* firstOf(parts: AsyncGenerator<Part>, size: number): AsyncGenerator<InputSection> {
  for (let read = 0; read < size; ) {
    const { value, done } = await parts.next();
    if (done) return;
    if (!('bytes' in value)) throw new Error('a range of a file came first, which only other threads read');
    read += value.bytes.length;
    yield value;
  }
}
