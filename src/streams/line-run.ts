import { requireBytes } from '../keys/key.ts';
import { KeyLines, linesOf } from '../keys/lines.ts';
import { requireOptions } from '../util/checks/options.ts';
import { mustBe } from '../util/checks/validate.ts';
import { EMPTY, withRoom } from '../util/with-room.ts';

/** The progress of a stream of lines. */
export interface LineProgress {
  /** The size of all chunks read so far, in bytes. */
  readonly bytes: number;
  /** The number of lines looked up or added so far. An incomplete line is not counted. */
  readonly lines: number;
  /** The number of lines passed on so far. With `addLines`, which adds every line, equal to `lines`. */
  readonly kept: number;
}

/**
 * Options of `pickLines`, `omitLines`, `dedupeLines` and `addLines`. None of them skips a UTF-8 byte order mark: its
 * three bytes at the start of a text are part of the first line's key. To leave it out, pass `bytes.subarray(3)`.
 */
export interface LineOptions {
  /** Whether `\r\n` ends a line, as `\n` always does. Default: true. */
  crlf?: boolean | undefined;
  /** Called after each chunk and at the end. If it throws, the stream fails with that error. */
  onProgress?: ((progress: LineProgress) => void) | undefined;
  /** An abort ends the stream with the signal's reason as its error. */
  signal?: AbortSignal | undefined;
}

/** Validated `LineOptions`, with defaults filled in. */
interface LineSettings {
  readonly crlf: boolean;
  readonly onProgress: ((progress: LineProgress) => void) | undefined;
  readonly signal: AbortSignal | undefined;
}

export function readLineOptions(options: LineOptions): LineSettings {
  const given: LineOptions = requireOptions(options, '{ crlf: false }', ['crlf', 'onProgress', 'signal']);
  const { onProgress, signal } = given;
  const { crlf } = linesOf(EMPTY, given.crlf);
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    throw new TypeError(mustBe('options.onProgress', 'a function', onProgress));
  }
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function') {
    throw new TypeError(mustBe('options.signal', 'an AbortSignal', signal));
  }
  return { crlf, onProgress, signal };
}

/** Throws a TypeError unless `filter` has a method named `verb`. */
export function requireFilter(filter: unknown, verb: string): void {
  if (typeof (filter as Record<string, unknown> | null | undefined)?.[verb] !== 'function') {
    throw new TypeError(mustBe('filter', `a filter with ${verb}()`, filter));
  }
}

/** Passes a text through a filter, chunk by chunk, and counts bytes and lines. */
export class LineRun {
  readonly #settings: LineSettings;
  readonly #step: (text: KeyLines) => KeyLines;
  readonly #isCounted: boolean;
  readonly #cutter = new LineCutter();
  /**
   * When to let other code run. A stream by itself may never do so, because it goes from chunk to chunk in microtasks.
   */
  #until: number = performance.now() + STEP_MS;
  /**
   * With which two bytes the next line must not begin: until the first one has been read, those of gzip, zstd, xz and
   * UTF-16, none of which are UTF-8.
   */
  #refused: readonly number[] = [0x1f8b, 0x28b5, 0xfd37, 0xfffe, 0xfeff];
  #bytes = 0;
  #lines = 0;
  #kept = 0;

  /**
   * @param step takes whole lines, and returns those to keep
   * @param isCounted whether to count lines, which costs time
   */
  constructor(settings: LineSettings, isCounted: boolean, step: (text: KeyLines) => KeyLines) {
    this.#settings = settings;
    this.#isCounted = isCounted;
    this.#step = step;
  }

  get progress(): LineProgress {
    return { bytes: this.#bytes, lines: this.#lines, kept: this.#kept };
  }

  /** Processes the next chunk. Once the promise resolves, the chunk's memory may be reused. */
  async push(chunk: Uint8Array): Promise<void> {
    const bytes = requireBytes('chunk', chunk);
    const { length } = bytes;
    for (const text of this.#cutter.cut(bytes)) {
      if (performance.now() >= this.#until) {
        await pause();
        this.#until = performance.now() + STEP_MS;
        this.#settings.signal?.throwIfAborted();
        if (bytes.length !== length) throw new TypeError('chunk must not be transferred or resized while it is read');
      }
      this.#take(text);
    }
    this.#bytes += length;
    this.#settings.onProgress?.(this.progress);
  }

  /** Processes the last line if no newline ends it. */
  end(): void {
    this.#take(this.#cutter.rest());
    this.#settings.onProgress?.(this.progress);
  }

  #take(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.#refused.includes(((bytes[0] as number) << 8) | (bytes[1] as number))) {
      throw new RangeError('source must be text in UTF-8, not compressed');
    }
    this.#refused = [];
    const text = new KeyLines(bytes, this.#settings.crlf);
    const kept = this.#step(text);
    if (!this.#isCounted) return;
    const count = text.count();
    this.#lines += count;
    this.#kept += kept === text ? count : kept.count();
  }
}

const NEWLINE = 10;

/**
 * The most bytes passed to a filter at once, unless a single line is longer: some milliseconds of work on either
 * engine.
 */
const SLICE_BYTES: number = 64 * 1024;

/** Cuts a text that comes in chunks into whole lines. */
class LineCutter {
  /** The beginning of an incomplete line, and room for more. A copy, because a chunk's memory may be reused. */
  #line = EMPTY;
  #length = 0;

  /**
   * Yields the text up to the last newline of the chunk: first the line that earlier chunks began, then slices of this
   * chunk, without copying. If no line ends in a slice, yields an empty array, so that the caller can pause there too.
   */
  *cut(chunk: Uint8Array): Generator<Uint8Array, void, undefined> {
    const { length } = chunk;
    for (let from = 0; from < length; ) {
      const slice = chunk.subarray(from, from + SLICE_BYTES);
      const end = 1 + (this.#length > 0 ? slice.indexOf(NEWLINE) : slice.lastIndexOf(NEWLINE));
      from += end || slice.length;
      if (this.#length > 0 || end === 0) this.#append(slice.subarray(0, end || slice.length));
      if (end === 0) yield EMPTY;
      else yield this.#length > 0 ? this.rest() : slice.subarray(0, end);
    }
  }

  #append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    this.#line = withRoom(this.#line, length);
    this.#line.set(bytes, this.#length);
    this.#length = length;
  }

  /** Removes and returns the text after the last newline. */
  rest(): Uint8Array {
    const rest = this.#line.subarray(0, this.#length);
    this.#line = EMPTY;
    this.#length = 0;
    return rest;
  }
}

/** Yield to the event loop after this many milliseconds. A step in progress is finished first. */
const STEP_MS = 10;

/** Lets the event loop run. Uses a message because browsers delay timers: by 4 ms, and in hidden pages by a second. */
function pause(): Promise<void> {
  return new Promise((resolve) => {
    try {
      // A new channel each time, because Node handles many messages of one channel in one turn.
      const { port1, port2 } = new globalThis.MessageChannel();
      port1.onmessage = () => {
        resolve();
        port1.close();
      };
      port2.postMessage(null);
    } catch {
      // Cloudflare Workers have none, and in Next's edge it throws. Neither delays timers.
      setTimeout(resolve);
    }
  });
}
