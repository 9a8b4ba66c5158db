import type { KeyLines } from '../keys/lines.ts';
import { type ByteSource, isSource, readSource, SOURCES } from '../util/byte-source.ts';
import { FilterFullError } from '../util/checks/errors.ts';
import { mustBe } from '../util/checks/validate.ts';
import { type LineOptions, type LineProgress, LineRun, readLineOptions, requireFilter } from './line-run.ts';

/** The error for a line of a part of the text, with its position in the whole text. */
function inText(error: FilterFullError, before: number): FilterFullError {
  const { reason } = error;
  const position = before + error.position;
  return new FilterFullError(
    // A filter that cannot grow names no key.
    error.message === reason ? reason : `keys[${position}] does not fit: ${reason}`,
    { ...error, position },
    { cause: error },
  );
}

/**
 * Adds each line of a text as a key. The text comes in chunks, which may be cut anywhere and are read no faster than
 * their lines are added.
 *
 * @param filter a filter of any kind, on either engine, or the object that `buildOnDisk` of `bloomery/disk` passes to
 *   `fill`; not a filter in Redis, which adds keys later
 * @param source a web stream, an async iterable, such as a Node stream, a Blob or File, or a Response
 * @param options `crlf`, `onProgress` and `signal`
 * @returns the numbers of bytes read and of lines added
 * @throws TypeError if an argument is wrong, a chunk is not a Uint8Array, or the filter was disposed of; the reason of
 *   the signal if it is aborted; the error of `source`. Lines processed before the error have been added.
 * @throws FilterFullError if the filter is of a kind that can be full, and has no room for a line. `position` is the
 *   number of lines before it in the whole text, which have been added.
 * @throws RangeError, before adding anything, for a response that is not OK, such as a 404, or has no unused body, and
 *   for a text that begins like gzip, Zstandard, xz or UTF-16
 */
export async function addLines(
  filter: { addMany(text: KeyLines): unknown },
  source: ByteSource,
  options: LineOptions = {},
): Promise<LineProgress> {
  requireFilter(filter, 'addMany');
  const settings = readLineOptions(options);
  if (!isSource(source)) throw new TypeError(mustBe('source', `an ${SOURCES}`, source));
  const run: LineRun = new LineRun(settings, true, (text) => {
    try {
      const added = filter.addMany(text) as { then?: unknown } | undefined;
      // By the time that a promise resolves, the memory of the text may be used again.
      if (added?.then) throw new TypeError(mustBe('filter', 'a sync filter', filter));
    } catch (error) {
      throw error instanceof FilterFullError ? inText(error, run.progress.lines) : error;
    }
    return text;
  });
  await readSource(source, (chunk) => run.push(chunk), settings.signal);
  run.end();
  return run.progress;
}

/**
 * The web stream that `pickLines`, `omitLines` and `dedupeLines` return. Node's `pipeline` works with web streams, but
 * the types of Node below version 25 do not say so, and later ones allow only Node's own stream types, not those of
 * TypeScript's `dom` library. All of them accept a function, so this type claims to be one; `this: never` makes every
 * call an error.
 */
export type LineStream = TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> &
  ((this: never) => AsyncIterable<Uint8Array<ArrayBuffer>>);

/** A stream that passes on the lines of each chunk that the filter's method `verb` returns. */
function lineStream<V extends 'pick' | 'omit' | 'dedupe'>(
  filter: { readonly [Verb in V]: (text: KeyLines) => KeyLines<ArrayBuffer> },
  verb: V,
  options: LineOptions,
): LineStream {
  requireFilter(filter, verb);
  const settings = readLineOptions(options);
  const { onProgress, signal } = settings;
  let run: LineRun;
  let abort: () => void;
  const release = (): void => signal?.removeEventListener('abort', abort);
  const transformer: Transformer<Uint8Array, Uint8Array<ArrayBuffer>> & { cancel(): void } = {
    start(controller) {
      run = new LineRun(settings, onProgress !== undefined, (text) => {
        const kept = filter[verb](text);
        if (kept.bytes.length > 0) controller.enqueue(kept.bytes);
        return kept;
      });
      abort = () => controller.error(signal?.reason);
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    },
    async transform(chunk) {
      try {
        await run.push(chunk);
      } catch (error) {
        release();
        throw error;
      }
    },
    flush() {
      release();
      run.end();
    },
    // Called when either side of the stream is canceled, but not in older runtimes.
    cancel: release,
  };
  return new TransformStream(transformer) as LineStream;
}

/**
 * Makes a stream that passes on the lines of a text that may be in the filter, with their terminators. The output as a
 * whole equals `filter.pick(lines(text)).bytes`, wherever the text was cut into chunks.
 *
 * The stream holds one chunk, the lines kept from it, and the beginning of an incomplete line.
 *
 * The stream fails with a TypeError if a chunk is not a Uint8Array or the filter was disposed of, with a RangeError if
 * the text begins like gzip, Zstandard, xz or UTF-16, and with the signal's reason if it is aborted. Output that has
 * not been read by then is lost, as with any web stream.
 *
 * @param filter a filter of any kind, or a view, on either engine
 * @param options `crlf`, `onProgress` and `signal`
 * @throws TypeError if the filter or an option is wrong
 */
export function pickLines(
  filter: { pick(text: KeyLines): KeyLines<ArrayBuffer> },
  options: LineOptions = {},
): LineStream {
  return lineStream(filter, 'pick', options);
}

/**
 * Makes a stream that passes on the lines of a text that are certainly not in the filter, with their terminators. For
 * memory and errors see `pickLines`.
 *
 * @param filter a filter of any kind, or a view, on either engine
 * @param options `crlf`, `onProgress` and `signal`
 * @throws TypeError if the filter or an option is wrong
 */
export function omitLines(
  filter: { omit(text: KeyLines): KeyLines<ArrayBuffer> },
  options: LineOptions = {},
): LineStream {
  return lineStream(filter, 'omit', options);
}

/**
 * Makes a stream that adds all lines of a text to the filter, and passes on those that were certainly absent: each line
 * once, where it first occurs. The few new lines that look present are lost. For memory and errors see `pickLines`. If
 * the stream fails, the filter may hold lines that were not passed on. It fails with a FilterFullError if the filter
 * has no room for a line; its `position` counts from the start of the part of the text that was being added.
 *
 * @param filter a filter that takes new keys, on either engine; or an object of your own with a method `dedupe` for
 *   lines, which may use several filters
 * @param options `crlf`, `onProgress` and `signal`
 * @throws TypeError if the filter or an option is wrong
 */
export function dedupeLines(
  filter: { dedupe(text: KeyLines): KeyLines<ArrayBuffer> },
  options: LineOptions = {},
): LineStream {
  return lineStream(filter, 'dedupe', options);
}
