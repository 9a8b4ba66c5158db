import type { GrowingFilter } from '../filters/filter.ts';
import { mustBe } from '../validate.ts';
import { type LineOptions, type LineProgress, readLineOptions, requireFilter } from './options.ts';
import { LineRun } from './run.ts';

/** Wraps an async iterable in a stream that asks for a chunk only when one is wanted. */
function streamOf(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        // Not awaited: a generator's `return()` settles only once the chunk has arrived that the generator is waiting
        // for.
        (async () => iterator.return?.())().catch(() => {});
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * Adds each line of a text as a key. The text comes in chunks, which may be cut anywhere and are read no faster than
 * their lines are added.
 *
 * @param filter a filter of any kind, on either engine
 * @param readable a web stream, or anything that `for await` can read, such as a Node stream
 * @param options `crlf`, `onProgress` and `signal`
 * @returns the bytes that were read and the lines that were added
 * @throws TypeError if an argument is wrong, a chunk is not a Uint8Array, or the filter was disposed of; the reason of
 *   the signal if it is aborted; the error of `readable`. Lines processed before the error have been added.
 */
export async function addLines(
  filter: GrowingFilter,
  readable: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
  options: LineOptions = {},
): Promise<LineProgress> {
  requireFilter(filter, 'addMany');
  const settings = readLineOptions(options);
  const run = new LineRun(settings, true, (text) => {
    filter.addMany(text);
    return text;
  });
  const sink = new WritableStream<Uint8Array>({ write: (chunk) => run.push(chunk), close: () => run.end() });
  const { signal } = settings;
  await openStream(readable).pipeTo(sink, signal && { signal });
  return run.progress;
}

function openStream(readable: unknown): ReadableStream<Uint8Array> {
  const given = readable as Partial<ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>> | null | undefined;
  if (typeof given?.pipeTo === 'function') return given as ReadableStream<Uint8Array>;
  if (typeof given?.[Symbol.asyncIterator] === 'function') return streamOf(given as AsyncIterable<Uint8Array>);
  throw new TypeError(mustBe('readable', 'a ReadableStream or an async iterable of Uint8Array', readable));
}
