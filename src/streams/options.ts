import { linesOf } from '../keys/lines.ts';
import { requireOptions } from '../options.ts';
import { mustBe } from '../validate.ts';

/** The progress of a stream of lines. */
export interface LineProgress {
  /** The size of all chunks read so far, in bytes. */
  readonly bytes: number;
  /** The number of lines looked up or added so far. An incomplete line is not counted. */
  readonly lines: number;
  /** The number of lines passed on so far. With `addLines`, which adds every line, the same as `lines`. */
  readonly kept: number;
}

/**
 * Options of `pickLines`, `omitLines`, `dedupeLines` and `addLines`. None of them skips a UTF-8 byte order mark: its
 * three bytes at the start of a text are part of the first line's key. Cut it off before, with `bytes.subarray(3)`.
 */
export interface LineOptions {
  /** Whether `\r\n` ends a line, as `\n` always does. Default: true. */
  crlf?: boolean | undefined;
  /** Called after each chunk and at the end. If it throws, the stream fails with that error. */
  onProgress?: ((progress: LineProgress) => void) | undefined;
  /** An abort ends the stream with the signal's reason as its error. */
  signal?: AbortSignal | undefined;
}

/** `LineOptions` after validation. */
export interface LineSettings {
  readonly crlf: boolean;
  readonly onProgress: ((progress: LineProgress) => void) | undefined;
  readonly signal: AbortSignal | undefined;
}

export function readLineOptions(options: LineOptions): LineSettings {
  const given: LineOptions = requireOptions(options, '{ crlf: false }', ['crlf', 'onProgress', 'signal']);
  const { onProgress, signal } = given;
  const { crlf } = linesOf(new Uint8Array(0), given.crlf);
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    throw new TypeError(`options.${mustBe('onProgress', 'a function', onProgress)}`);
  }
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function') {
    throw new TypeError(`options.${mustBe('signal', 'an AbortSignal', signal)}`);
  }
  return { crlf, onProgress, signal };
}

/** Throws a TypeError unless `filter` has a method named `verb`. */
export function requireFilter(filter: unknown, verb: string): void {
  if (typeof (filter as Record<string, unknown> | null | undefined)?.[verb] !== 'function') {
    throw new TypeError(mustBe('filter', `a filter with ${verb}()`, filter));
  }
}
