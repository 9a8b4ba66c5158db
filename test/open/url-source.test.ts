import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type OpenedFilter, openFilter, SourceError, urlSource } from '../../src/entries/open.ts';
import { BlockedBloomFilter } from '../../src/index.ts';

/** Answers a request for the bytes from `first` to before `end`. */
type Respond = (response: ServerResponse, first: number, end: number) => void;

interface Served {
  readonly url: string;
  /** The ranges that were asked for. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** A file that a server has now. */
interface ServedFile {
  bytes: Uint8Array;
  etag: string;
}

/** Answers as a server of static files does. */
function respondWith(file: ServedFile): Respond {
  return (response, first, wanted) => {
    const { bytes, etag } = file;
    if (first >= bytes.length) {
      response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
      return;
    }
    const end = Math.min(wanted, bytes.length);
    const range = `bytes ${first}-${end - 1}/${bytes.length}`;
    response.writeHead(206, { 'content-range': range, 'content-length': end - first, etag });
    response.end(bytes.subarray(first, end));
  };
}

const file = new BlockedBloomFilter({ bits: 2 ** 23 }).addMany(['ada', 'bob']).toBytes();
const others = new BlockedBloomFilter({ bits: 2 ** 23 }).addMany(['eve']).toBytes();

const running: Served[] = [];
afterEach(async () => {
  for (const each of running.splice(0)) await each.close();
});

/** Starts a server on this machine. */
async function start(respond: Respond): Promise<Served> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const range = request.headers.range ?? '';
    asked.push(range);
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
    respond(response, Number(first), Number(last) + 1);
  });
  // A server that closes an idle connection at the moment of the next request gives an error. Here, long work of a test
  // makes both late.
  server.keepAliveTimeout = 0;
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  const { port } = server.address() as AddressInfo;
  const served = { url: `http://127.0.0.1:${port}/names.bloom`, asked, close };
  running.push(served);
  return served;
}

/** Opens the filter on a server. */
async function open(respond: Respond): Promise<{ served: Served; filter: OpenedFilter }> {
  const served = await start(respond);
  return { served, filter: await openFilter([BlockedBloomFilter], urlSource(served.url)) };
}

/** A server that answers the first request rightly, and all others with `respond`. */
function then(respond: Respond, first: Respond = respondWith({ bytes: file, etag: '"1"' })): Respond {
  let answer = first;
  return (...args) => {
    answer(...args);
    answer = respond;
  };
}

const status =
  (code: number): Respond =>
  (response) =>
    response.writeHead(code).end('an error page');

const whole: Respond = (response) => response.writeHead(200, { etag: '"1"' }).end(file);

/** Answers a range with other headers. */
const with206 =
  (headers: (first: number, end: number) => Record<string, string>, bytes = file): Respond =>
  (response, first, end) =>
    response.writeHead(206, { etag: '"1"', ...headers(first, end) }).end(bytes.subarray(first, end));

const rangeOf = (first: number, end: number): string => `bytes ${first}-${end - 1}/${file.length}`;

describe('a filter on a server', () => {
  it('takes one request to be opened, and one for each key', async () => {
    const { served, filter } = await open(respondWith({ bytes: file, etag: '"1"' }));
    expect(served.asked).toEqual(['bytes=0-511']);
    expect([await filter.has('ada'), await filter.has('eve')]).toEqual([true, false]);
    expect(served.asked).toHaveLength(3);
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(served.asked[1] as string) ?? [];
    expect(Number(last) - Number(first)).toBeLessThan(32);
    await filter.verify();
    await filter.close();
  });

  it('may be smaller than what is asked for first', async () => {
    const small = new BlockedBloomFilter({ bits: 256 }).addMany(['ada']).toBytes();
    const { served, filter } = await open(respondWith({ bytes: small, etag: '"1"' }));
    expect(await filter.has('ada')).toBe(true);
    expect(served.asked).toHaveLength(1);
  });

  it('is asked with the function that was given, and with a signal', async () => {
    const { url } = await start(respondWith({ bytes: file, etag: '"1"' }));
    const asked: string[] = [];
    const source = await urlSource(new URL(url), {
      fetch(address, init) {
        const headers = new Headers(init.headers);
        asked.push(`${address} ${headers.get('range')} ${headers.get('accept-encoding')} ${init.signal === undefined}`);
        return fetch(address, init);
      },
    });
    expect(asked).toEqual([`${url} bytes=0-511 identity true`]);
    // What browsers allow, and bytes are cheaper than another request.
    expect(source).toMatchObject({ size: file.length, gap: 32_768, inFlight: 6 });
    const filter = await openFilter([BlockedBloomFilter], source);
    const controller = new AbortController();
    expect(await filter.has('bob', { signal: controller.signal })).toBe(true);
    expect(asked.at(-1)).toMatch(/ false$/);
    controller.abort();
    await expect(filter.has('bob', { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('stops a request that a signal aborts', async () => {
    let arrive = (): void => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const { filter } = await open(then(() => arrive()));
    const controller = new AbortController();
    const stopped = expect(filter.has('ada', { signal: controller.signal })).rejects.toThrow('too slow');
    await arrived;
    controller.abort(new Error('too slow'));
    await stopped;
    const { url } = await start(() => {});
    const error = { name: 'TimeoutError' };
    await expect(urlSource(url, { signal: AbortSignal.timeout(20) })).rejects.toMatchObject(error);
  });

  it('is recognized by the time of its last change if there is no tag', async () => {
    const stamped = (time: string): Respond =>
      with206((first, end) => ({ etag: '', 'last-modified': time, 'content-range': rangeOf(first, end) }));
    const { filter } = await open(stamped('Mon, 01 Jan 2024 00:00:00 GMT'));
    expect(await filter.has('ada')).toBe(true);
    const [before, later] = [stamped('Mon, 01 Jan 2024 00:00:00 GMT'), stamped('Mon, 01 Jan 2024 00:00:01 GMT')];
    const { filter: other } = await open(then(later, before));
    await expect(other.has('ada')).rejects.toMatchObject({ code: 'CHANGED' });
  });
});

type Failure = readonly [what: string, respond: Respond, error: object];

const saying = (code: string, message: string | RegExp) => ({ code, message: expect.stringMatching(message) });
const withRange = (range: string): Respond => with206(() => ({ 'content-range': range }));
const exact = (headers: object): Respond =>
  with206((first, end) => ({ 'content-range': rangeOf(first, end), ...headers }));
const cut = (at: number): Respond =>
  with206((first, end) => ({ 'content-range': rangeOf(first, end) }), file.subarray(0, at));

describe('a server that cannot be used', () => {
  it.each<Failure>([
    ['it gives no ranges', whole, saying('RANGES', / gives no ranges: load the whole file with fromChunks$/)],
    ...[404, 403, 416, 500, 304, 204].map(
      (code): Failure => [`${code}`, status(code), { code: 'STATUS', status: code }],
    ),
    ...['', 'bytes 0-511/*', 'bytes 0-511', 'items 0-511/9999', `bytes 0-511/${'9'.repeat(30)}`].map(
      (range): Failure => [
        `no valid range: ${range}`,
        withRange(range),
        saying('RANGES', /sent no valid Content-Range, but /),
      ],
    ),
    ...[rangeOf(1, 512), rangeOf(0, 511), rangeOf(0, 513), 'bytes 0-511/300'].map(
      (range): Failure => [`another range: ${range}`, withRange(range), saying('BYTES', /sent bytes .*, not 0-511$/)],
    ),
    [
      'nothing tells whether the file has changed',
      exact({ etag: '' }),
      saying('RANGES', /neither ETag nor Last-Modified: .*Access-Control-Expose-Headers$/),
    ],
    ['it compresses', exact({ 'content-encoding': 'gzip' }), { code: 'BYTES' }],
  ])('is refused: %s', async (_, respond, error) => {
    const { url } = await start(respond);
    await expect(urlSource(url)).rejects.toMatchObject({ name: 'SourceError', ...error });
    await expect(urlSource(url)).rejects.toThrow(url);
  });

  it('is refused if there is none, and if its file is no filter', async () => {
    const { url, close } = await start(whole);
    await close();
    await expect(urlSource(url)).rejects.toMatchObject({ code: 'CONNECTION' });
    await expect(urlSource('no address')).rejects.toMatchObject({ code: 'CONNECTION' });
    await expect(urlSource(7 as never)).rejects.toThrow(TypeError);
    await expect(urlSource(url, { fetch: 1 as never })).rejects.toThrow('fetch must be a function, got 1');
    await expect(urlSource(url, { signal: 1 as never })).rejects.toThrow('signal must be an AbortSignal, got 1');
    await expect(urlSource(url, { headers: {} } as never)).rejects.toThrow(/unknown option headers/);
    const page = { bytes: Buffer.from('<!doctype html>'.repeat(99)), etag: '"1"' };
    await expect(open(respondWith(page))).rejects.toMatchObject({ code: 'FOREIGN' });
  });
});

describe('a server that fails later', () => {
  it('gives an error, not an answer, if the file has changed', async () => {
    const served = { bytes: file, etag: '"1"' };
    const { filter } = await open(respondWith(served));
    expect(await filter.has('ada')).toBe(true);
    Object.assign(served, { bytes: others, etag: '"2"' });
    await expect(filter.has('ada')).rejects.toMatchObject({
      code: 'CHANGED',
      message: expect.stringMatching(/ has changed since it was opened: open it again$/),
    });
    await expect(filter.pick(['ada', 'eve'])).rejects.toMatchObject({ code: 'CHANGED' });
    await expect(filter.verify()).rejects.toMatchObject({ code: 'CHANGED' });
  });

  let sent = 0;
  const endless: Respond = (response, first, end) => {
    response.writeHead(206, { etag: '"1"', 'content-range': rangeOf(first, end) });
    const more = (): void => {
      if (response.destroyed || sent > 2 ** 27) return;
      sent += 2 ** 16;
      response.write(new Uint8Array(2 ** 16), more);
    };
    more();
  };
  const breaking: Respond = (response, first, end) => {
    const range = { 'content-range': rangeOf(first, end), 'content-length': end - first };
    response.writeHead(206, { etag: '"1"', ...range });
    response.write(file.subarray(first, first + 3), () => response.destroy());
  };

  it.each<Failure>([
    // The cache of a browser that has parts of the file asks with If-Range.
    ['another file, whole', (response) => response.writeHead(200, { etag: '"2"' }).end(others), { code: 'CHANGED' }],
    ['a whole file without a tag', (response) => response.writeHead(200).end(others), { code: 'RANGES' }],
    ['the same file, whole', whole, { code: 'RANGES' }],
    ['a longer file', respondWith({ bytes: Buffer.concat([file, file]), etag: '"1"' }), { code: 'CHANGED' }],
    ['a shorter file', respondWith({ bytes: file.subarray(0, 600), etag: '"1"' }), { code: 'CHANGED' }],
    ['no end', breaking, { code: 'CONNECTION' }],
    ['no answer', (response) => response.destroy(), { code: 'CONNECTION' }],
    ['too few bytes', cut(512), saying('CONNECTION', /broke off/)],
    ['more bytes than it says', endless, { code: 'BYTES' }],
    ...[503, 404].map((code): Failure => [`${code}`, status(code), { code: 'STATUS', status: code }]),
    ['416', status(416), { code: 'CHANGED' }],
  ])('gives an error, not an answer: %s', async (_, respond, error) => {
    const { filter } = await open(then(respond));
    await expect(filter.has('ada')).rejects.toMatchObject({ name: 'SourceError', ...error });
    await expect(filter.verify()).rejects.toBeInstanceOf(SourceError);
    // An answer without an end is not read to its end.
    expect(sent).toBeLessThan(2 ** 26);
  });

  it('answers again when the server does', async () => {
    let fails = false;
    const right = respondWith({ bytes: file, etag: '"1"' });
    const { filter } = await open((...args) => (fails ? status(500) : right)(...args));
    fails = true;
    await expect(filter.has('ada')).rejects.toMatchObject({ status: 500 });
    fails = false;
    expect(await filter.pick(['ada', 'eve', 'bob'])).toEqual(['ada', 'bob']);
  });
});
