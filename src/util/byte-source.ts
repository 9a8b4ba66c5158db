// Sources of bytes in chunks, and opening them as streams.

import { isObject, mustBe, requireInteger } from './checks/validate.ts';

/** A `Blob` or `File`, of any runtime. */
interface BlobLike {
  readonly size: number;
  arrayBuffer(): Promise<ArrayBuffer>;
  slice(start: number, end: number): BlobLike;
}

/** The `Response` of a `fetch`. */
interface ResponseLike {
  readonly ok: boolean;
  readonly status: number;
  readonly bodyUsed: boolean;
  readonly body: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | null;
}

/**
 * What gives bytes in chunks: a web stream, an async iterable, such as a Node stream, a `Blob` or `File`, or the
 * `Response` of a `fetch`.
 */
export type ByteSource = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | BlobLike | ResponseLike;

/** The end of a sentence in errors that lists the sources; it needs an article or an adjective in front. */
export const SOURCES = 'async iterable of Uint8Array, a ReadableStream, a Blob or a Response';

/** Files are read in slices of this size. Larger ones take more memory; with 1 MiB, Chromium takes twice the time. */
const SLICE_BYTES = 8 * 2 ** 20;

function isBlob(value: object): value is BlobLike {
  return 'slice' in value && 'arrayBuffer' in value;
}

/** Whether the value looks like a source of bytes. */
export function isSource(value: unknown): value is ByteSource {
  return isObject(value) && ('getReader' in value || Symbol.asyncIterator in value || isBlob(value) || 'ok' in value);
}

/**
 * Opens a source as a stream that reads a chunk only when the reader asks for one.
 *
 * @throws RangeError for a response that has failed, or that has no body to be read
 */
function openSource(source: ByteSource): ReadableStream<Uint8Array> {
  if ('getReader' in source) return source;
  if (Symbol.asyncIterator in source) return iteratorStream(source[Symbol.asyncIterator]());
  return isBlob(source) ? fileStream(source) : openSource(bodyOf(source));
}

/**
 * Gives a function each chunk of a source, one after the other. An error, its own or the source's, and an abort cancel the
 * source, but are thrown at once, whatever becomes of that. `pipeTo` waits, and may throw an error of canceling instead.
 *
 * @throws RangeError for a response that has failed, or that has no body to be read
 */
export async function readSource(
  source: ByteSource,
  take: (chunk: Uint8Array) => unknown,
  signal?: AbortSignal,
): Promise<void> {
  // Not `for await`: in WebKit, streams are not iterable.
  const reader = openSource(source).getReader();
  const cancel = (reason: unknown): void => {
    reader.cancel(reason).catch(() => {});
  };
  // A canceled stream has no more chunks.
  const abort = (): void => cancel(signal?.reason);
  try {
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    for (;;) {
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return;
      await take(value);
    }
  } catch (error) {
    // A source that heeds the same signal may fail first.
    const reason = signal?.aborted ? signal.reason : error;
    cancel(reason);
    throw reason;
  } finally {
    signal?.removeEventListener('abort', abort);
    reader.releaseLock();
  }
}

function iteratorStream(iterator: AsyncIterator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        // Not awaited, because a generator's `return()` waits for the chunk that the generator is waiting for.
        (async () => iterator.return?.())().catch(() => {});
      },
    },
    { highWaterMark: 0 },
  );
}

/** The body of a response. Throws if the response is an error page, or its body is missing or used. */
function bodyOf({ ok, status, bodyUsed, body }: ResponseLike): ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> {
  if (ok && body && !bodyUsed) return body;
  const got = ok ? `${bodyUsed ? 'a used' : 'no'} body` : `status ${status}`;
  throw new RangeError(`a response must be OK and have an unused body, got ${got}`);
}

/**
 * Makes a stream of a file's bytes, in chunks of 8 MiB, each read when the reader asks for it. Use it in place of
 * `file.stream()`: with that, WebKit reads the whole file into memory, however slowly the stream is read.
 *
 * The stream fails with the error of the file, or with a NotReadableError if the file has changed meanwhile.
 *
 * @param blob a `Blob` or `File`, such as one that the user chose; in Node, `await openAsBlob(path)` of `node:fs`
 * @throws TypeError for anything else; TypeError or RangeError for a size that is not a number of bytes
 */
export function fileStream(blob: BlobLike): ReadableStream<Uint8Array<ArrayBuffer>> {
  if (!isObject(blob) || !isBlob(blob)) throw new TypeError(mustBe('blob', 'a Blob or File', blob));
  // Checked, because with a wrong size the stream might never end.
  const size = requireInteger('the size of a blob', blob.size, 0, Number.MAX_SAFE_INTEGER);
  let at = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        const end = Math.min(at + SLICE_BYTES, size);
        // In Bun, a file that does not exist has size 0, and only reading it whole fails.
        const bytes = new Uint8Array(await (size > 0 ? blob.slice(at, end) : blob).arrayBuffer());
        // Bun reads what is left of a file that has become shorter; other runtimes throw.
        if (bytes.length < end - at) throw new DOMException('the file has changed', 'NotReadableError');
        if (bytes.length > 0) controller.enqueue(bytes);
        if (end === size) controller.close();
        at = end;
      },
    },
    { highWaterMark: 0 },
  );
}
