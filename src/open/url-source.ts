import { requireOptions } from '../util/checks/options.ts';
import { isUrl, mustBe, requireFunction, requireSignal, show } from '../util/checks/validate.ts';
import { untilAborted } from '../util/until-aborted.ts';
import { type RangeSource, SourceError } from './source.ts';

/** The options of `urlSource`. */
export interface UrlSourceOptions {
  /** What makes the requests, such as a function that adds headers; default the global `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Stops the first request. */
  signal?: AbortSignal | undefined;
}

/** The bytes that the first request asks for: a file's head, which is read first. */
const FIRST_BYTES = 512;
/** Requests take long, so bytes that nobody asked for are cheaper than another one. */
const GAP: number = 32 * 1024;
/** What browsers allow for one server. */
const IN_FLIGHT = 6;

/** A range of bytes, and which file it is of. */
interface Answer {
  readonly bytes: Uint8Array;
  readonly size: number;
  /** Changes whenever the file does. */
  readonly version: string;
}

function statusError(url: string, status: number): SourceError {
  return new SourceError('STATUS', `${url} was answered with status ${status}`, { status });
}

function changed(url: string): SourceError {
  return new SourceError('CHANGED', `${url} has changed since it was opened: open it again`);
}

/** The tag of the file, or else its time; empty if there is neither. */
function stampOf({ headers }: Response): string {
  return headers.get('etag') || headers.get('last-modified') || '';
}

function versionOf(url: string, response: Response): string {
  const version = stampOf(response);
  if (version) return version;
  const hint = 'for a page of another origin, it must name ETag in Access-Control-Expose-Headers';
  throw new SourceError('RANGES', `the server of ${url} sent neither ETag nor Last-Modified: ${hint}`);
}

/** Where the bytes of a response begin and end, and the size of the file. */
function contentRange(url: string, { headers }: Response): [first: number, end: number, size: number] {
  const text = headers.get('content-range');
  const [, first, last, size] = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16})$/i.exec(text ?? '') ?? [];
  if (size !== undefined) return [Number(first), Number(last) + 1, Number(size)];
  const hint = 'for a page of another origin, it must name Content-Range in Access-Control-Expose-Headers';
  throw new SourceError('RANGES', `the server of ${url} sent no valid Content-Range, but ${show(text)}: ${hint}`);
}

/** Reads the body of a response, which must have `length` bytes. Reads no more of a longer one. */
async function bodyOf(url: string, response: Response, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let at = 0;
  const reader = response.body?.getReader();
  for (let isDone = reader === undefined; !isDone; ) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    isDone = done;
    if (!value) continue;
    if (at + value.length > length) {
      await reader?.cancel();
      throw new SourceError('BYTES', `the server of ${url} sent more bytes than the ${length} that it announced`);
    }
    bytes.set(value, at);
    at += value.length;
  }
  if (at === length) return bytes;
  throw new SourceError('CONNECTION', `the answer of ${url} broke off after ${at} of ${length} bytes`);
}

/**
 * Checks that a response has a range of the file, and reads it.
 *
 * @param known the version that the file had; undefined at first
 */
async function answerIn(
  url: string,
  response: Response,
  [first, end]: readonly [number, number],
  known: string | undefined,
): Promise<Answer> {
  const { status, headers } = response;
  if (status === 200) {
    // A browser that has parts of the old file in its cache asks with If-Range, and then gets the new one whole.
    if (known !== undefined && ![known, ''].includes(stampOf(response))) throw changed(url);
    throw new SourceError('RANGES', `the server of ${url} gives no ranges: load the whole file with fromChunks`);
  }
  if (status !== 206) throw statusError(url, status);
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    // Its ranges would be those of the compressed file.
    throw new SourceError('BYTES', `the server of ${url} sent a range with content-encoding ${show(encoding)}`);
  }
  const version = versionOf(url, response);
  const [from, to, size] = contentRange(url, response);
  if (from !== first || to !== Math.min(end, size)) {
    throw new SourceError('BYTES', `the server of ${url} sent bytes ${from}-${to - 1}, not ${first}-${end - 1}`);
  }
  return { bytes: await bodyOf(url, response, to - from), size, version };
}

/**
 * Makes a source of ranges of a file on a server, by HTTP range requests, for `openFilter`. Most servers of static
 * files will do.
 *
 * The server must send ranges of the file, uncompressed, and an ETag or, less exactly, Last-Modified. These show
 * whether the file was replaced: then reads reject with the code `CHANGED`. A server of another origin must allow
 * requests by `Access-Control-Allow-Origin` and name `Content-Range` and `ETag` in `Access-Control-Expose-Headers`.
 *
 * The first request is made now, for the first 512 bytes.
 *
 * @param url the address; relative ones only where the runtime has a base for them
 * @param options a function for the requests, and a signal
 * @throws SourceError if the file or a range of it cannot be read: `code` says why. TypeError if an argument is wrong.
 *   The promise rejects.
 */
export async function urlSource(url: string | URL, options: UrlSourceOptions = {}): Promise<RangeSource> {
  if (typeof url !== 'string' && !isUrl(url)) throw new TypeError(mustBe('url', 'a string or a URL', url));
  const given = requireOptions(options, '{ signal }', ['fetch', 'signal']) as UrlSourceOptions;
  const { fetch: request = (...args) => fetch(...args), signal } = given;
  requireFunction('fetch', request);
  requireSignal('signal', signal);
  const address = String(url);

  let known: string | undefined;
  /** Any error that is not ours or the signal's is one of the connection. */
  const ask = async (first: number, end: number, until: AbortSignal | undefined): Promise<Answer> => {
    if (until?.aborted) throw until.reason;
    let response: Response | undefined;
    // Not the signal of all reads: Node's `fetch` leaves listeners on those that it gets, and then warns.
    const own = new AbortController();
    const stop = (): void => own.abort(until?.reason);
    until?.addEventListener('abort', stop);
    try {
      // Neither If-Range nor If-Match: versions are compared anyway, and for these a browser would first ask a server of
      // another origin whether it allows them.
      const headers = { range: `bytes=${first}-${end - 1}`, 'accept-encoding': 'identity' };
      response = await request(address, { headers, ...(until && { signal: own.signal }) });
      return await answerIn(address, response, [first, end], known);
    } catch (cause) {
      // Frees the connection, and stops a file that comes whole.
      response?.body?.cancel().catch(() => {});
      if (cause instanceof SourceError) throw cause;
      if (until?.aborted) throw until.reason;
      const reason = (cause as Error | null | undefined)?.message ?? show(cause);
      throw new SourceError('CONNECTION', `${address} cannot be read: ${reason}`, { cause });
    } finally {
      until?.removeEventListener('abort', stop);
    }
  };

  // What makes the requests need not take notice of signals.
  const start = await untilAborted(ask(0, FIRST_BYTES, signal), signal);
  const { size, version } = start;
  known = version;
  return {
    size,
    gap: GAP,
    inFlight: IN_FLIGHT,
    async read(offset, length, until) {
      const end = offset + length;
      if (end <= start.bytes.length) return start.bytes.slice(offset, end);
      const answer = await ask(offset, end, until).catch((error) => {
        // The file is shorter now.
        throw error instanceof SourceError && error.status === 416 ? changed(address) : error;
      });
      if (answer.version !== version || answer.size !== size) throw changed(address);
      return answer.bytes;
    },
  };
}
