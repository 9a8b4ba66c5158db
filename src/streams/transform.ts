import type { Filter } from '../filters/filter.ts';
import type { KeyLines } from '../keys/lines.ts';
import { type LineOptions, readLineOptions, requireFilter } from './options.ts';
import { LineRun } from './run.ts';

/**
 * A web stream that Node's `pipeline` takes as well. `pipeline` works with web streams, but the types of Node below
 * version 25 do not say so, and later ones mean only Node's own types of streams, not those of TypeScript's `dom`
 * library. All of them accept a function. The stream is not one: `this: never` makes every call an error.
 */
type LineStream = TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> &
  ((this: never) => AsyncIterable<Uint8Array<ArrayBuffer>>);

/** A stream that passes on what the filter's verb gives of each chunk. */
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
    // Only newer runtimes call this: when either side of the stream gives up.
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
 * It fails with a TypeError if a chunk is not a Uint8Array or the filter was disposed of, and with the reason of the
 * signal if that is aborted. Output that has not been read by then is lost, as with any web stream.
 *
 * @param filter a filter of any kind, on either engine
 * @param options `crlf`, `onProgress` and `signal`
 * @throws TypeError if the filter or an option is wrong
 */
export function pickLines(filter: Filter, options: LineOptions = {}): LineStream {
  return lineStream(filter, 'pick', options);
}

/**
 * Makes a stream that passes on the lines of a text that are certainly not in the filter, with their terminators. For
 * memory and errors see `pickLines`.
 *
 * @param filter a filter of any kind, on either engine
 * @param options `crlf`, `onProgress` and `signal`
 * @throws TypeError if the filter or an option is wrong
 */
export function omitLines(filter: Filter, options: LineOptions = {}): LineStream {
  return lineStream(filter, 'omit', options);
}

/**
 * Makes a stream that adds all lines of a text to the filter, and passes on those that were certainly absent: each
 * line once, where it first occurs. The few new lines that look present are lost. For memory and errors see
 * `pickLines`. If the stream fails, lines may have been added that nobody has read.
 *
 * @param filter a filter that keys are added to, on either engine; or an object of your own whose `dedupe` does the
 *   same for lines, with several filters for instance
 * @param options `crlf`, `onProgress` and `signal`
 * @throws TypeError if the filter or an option is wrong
 */
export function dedupeLines(
  filter: { dedupe(text: KeyLines): KeyLines<ArrayBuffer> },
  options: LineOptions = {},
): LineStream {
  return lineStream(filter, 'dedupe', options);
}
