import { lines } from '../keys/lines.ts';
import { mustBe } from '../validate.ts';

/** How far a stream of lines has come. */
export interface LineProgress {
  /** The bytes of all chunks that have been read. */
  readonly bytes: number;
  /** The lines that have been looked up or added. One whose end has not come is not among them. */
  readonly lines: number;
  /** Those of them that were given, or, by `addLines`, added. */
  readonly kept: number;
}

/** How a stream of lines is read. */
export interface LineOptions {
  /** Whether `\r\n` ends a line, as `\n` does; true unless given. */
  crlf?: boolean | undefined;
  /** Called after each chunk and at the end. If it throws, that is the stream's error. */
  onProgress?: ((progress: LineProgress) => void) | undefined;
  /** Ends the stream with the signal's reason as its error. */
  signal?: AbortSignal | undefined;
}

/** Options that have been checked. */
export interface LineSettings {
  readonly crlf: boolean;
  readonly onProgress: ((progress: LineProgress) => void) | undefined;
  readonly signal: AbortSignal | undefined;
}

export function readLineOptions(options: LineOptions): LineSettings {
  const { crlf } = lines(new Uint8Array(0), options as { crlf?: boolean });
  const { onProgress, signal } = options;
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    throw new TypeError(`options.${mustBe('onProgress', 'a function', onProgress)}`);
  }
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function') {
    throw new TypeError(`options.${mustBe('signal', 'an AbortSignal', signal)}`);
  }
  return { crlf, onProgress, signal };
}

/** Throws unless the filter has that verb. */
export function requireFilter(filter: unknown, verb: string): void {
  if (typeof (filter as Record<string, unknown> | null | undefined)?.[verb] !== 'function') {
    throw new TypeError(mustBe('filter', 'a filter', filter));
  }
}
