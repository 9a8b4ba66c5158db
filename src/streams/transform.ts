import type { Filter } from '../filters/filter.ts';
import { type LineOptions, readLineOptions, requireFilter } from './options.ts';
import { LineRun } from './run.ts';

type LineStream = TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>;

function lineStream(filter: Filter, verb: 'pick' | 'omit' | 'dedupe', options: LineOptions): LineStream {
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
    // Newer runtimes call it when either side gives up.
    cancel: release,
  };
  return new TransformStream(transformer);
}

/**
 * A stream of text to that of its lines that may be in the filter, with the terminators they had. All together they are
 * `filter.pick(lines(text)).bytes`, wherever the text was cut into chunks.
 *
 * It holds one chunk, what was kept of it, and the beginning of a line whose end has not come.
 *
 * The stream's error is a TypeError for a chunk that is no Uint8Array and for a filter that was disposed of, and the
 * reason of the signal if that is aborted. What was not yet read is then gone, as with any web stream.
 *
 * @param filter any kind, on either engine
 * @param options `crlf`, `onProgress` and `signal`
 * @throws TypeError if the filter or an option is wrong
 */
export function pickLines(filter: Filter, options: LineOptions = {}): LineStream {
  return lineStream(filter, 'pick', options);
}

/** A stream of text to that of its lines that are certainly not in the filter: see `pickLines`. */
export function omitLines(filter: Filter, options: LineOptions = {}): LineStream {
  return lineStream(filter, 'omit', options);
}

/**
 * A stream of text to that of the first of each of its lines, less the few that look present and are not; all are added to
 * the filter. See `pickLines`. If the stream ends with an error, lines may have been added that were not read.
 */
export function dedupeLines(filter: Filter, options: LineOptions = {}): LineStream {
  return lineStream(filter, 'dedupe', options);
}
