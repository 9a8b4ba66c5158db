import type { Filter } from '../filters/filter.ts';
import { mustBe } from '../validate.ts';
import { type LineOptions, type LineProgress, readLineOptions, requireFilter } from './options.ts';
import { LineRun } from './run.ts';

/** A stream that asks for a chunk only when one is wanted. */
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
        // Not waited for: a generator answers only when the chunk has come that it waits for itself.
        (async () => iterator.return?.())().catch(() => {});
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * Adds the lines of a text that comes in chunks, wherever it is cut, and reads them no faster than it adds them.
 *
 * @param filter any kind, on either engine
 * @param readable a web stream, or anything that `for await` reads, as Node's streams
 * @param options `crlf`, `onProgress` and `signal`
 * @returns what has been read and added
 * @throws TypeError if an argument is wrong, a chunk is no Uint8Array, or the filter was disposed of; the reason of the
 *   signal if that is aborted; the error of `readable`. What came before has been added.
 */
export async function addLines(
  filter: Filter,
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
