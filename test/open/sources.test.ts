import { execFileSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  openAsBlob,
  readdirSync,
  readlinkSync,
  renameSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { fileSource } from '../../src/entries/file.ts';
import { blobSource, type OpenedFilter, openFilter, SourceError, urlSource } from '../../src/entries/open.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { temporaryFolder } from '../cli/run.ts';
import { collectGarbage } from '../shared/garbage.ts';

const { path, remove } = temporaryFolder();
afterAll(remove);

const file = new BlockedBloomFilter({ bits: 2 ** 23 }).addMany(['ada', 'bob']).toBytes();
const others = new BlockedBloomFilter({ bits: 2 ** 23 }).addMany(['eve']).toBytes();

describe('a filter in a file', () => {
  it('is found by a path or a URL', async () => {
    const name = path('found.bloom');
    writeFileSync(name, file);
    for (const where of [name, pathToFileURL(name)]) {
      const filter = await openFilter([BlockedBloomFilter], fileSource(where));
      expect([await filter.has('ada'), await filter.has('eve')]).toEqual([true, false]);
      await filter.close();
      await expect(filter.has('ada')).rejects.toThrow(TypeError);
    }
  });

  it('is read to the end if the system reads less than it was asked for', async () => {
    const name = path('parts.bloom');
    writeFileSync(name, file);
    const handle = await openFile(name);
    type Read = (bytes: Uint8Array, at: number, length: number, position: number) => Promise<unknown>;
    const prototype: { read: Read } = Object.getPrototypeOf(handle);
    await handle.close();
    const { read } = prototype;
    prototype.read = function (this: unknown, bytes, at, length, position) {
      return read.call(this, bytes, at, Math.min(length, 100), position);
    };
    onTestFinished(() => void Object.assign(prototype, { read }));
    const source = await fileSource(name);
    expect(await source.read(3, 1050)).toEqual(file.slice(3, 1053));
    await source.close?.();
  });

  it('may be one that nobody may write to, such as a program that runs', async () => {
    const source = await fileSource(process.execPath);
    expect(source.size).toBe(statSync(process.execPath).size);
    await source.close?.();
  });

  it('is free once the source is closed', async () => {
    writeFileSync(path('free.bloom'), file);
    const source = await fileSource(path('free.bloom'));
    expect(source.size).toBe(file.length);
    expect(await source.read(4, 9)).toEqual(file.slice(4, 13));
    await source.close?.();
    await expect(source.read(4, 9)).rejects.toThrow(/closed/);
  });

  it.runIf(process.platform === 'linux')('is free once a source that was not closed is collected', async () => {
    const name = path('dropped.bloom');
    writeFileSync(name, file);
    const isOurs = (each: string): boolean => {
      const link = `/proc/self/fd/${each}`;
      return existsSync(link) && readlinkSync(link) === name;
    };
    const lookUp = async (): Promise<boolean> => (await openFilter([BlockedBloomFilter], fileSource(name))).has('ada');
    const warned = vi.fn();
    process.on('warning', warned);
    for (let i = 0; i < 3; i++) expect(await lookUp()).toBe(true);
    await vi.waitFor(
      () => {
        collectGarbage();
        expect(readdirSync('/proc/self/fd').filter(isOurs)).toEqual([]);
      },
      { timeout: 10_000 },
    );
    await new Promise((done) => setImmediate(done));
    process.off('warning', warned);
    // Node warns when it closes a file itself, and Node 26 ends the process.
    expect(warned).not.toHaveBeenCalledWith(expect.objectContaining({ message: expect.stringMatching('garbage') }));
  });

  it('stays the same if another one takes its name', async () => {
    const name = path('renamed.bloom');
    writeFileSync(name, file);
    const filter = await openFilter([BlockedBloomFilter], fileSource(name));
    writeFileSync(path('new.bloom'), others);
    renameSync(path('new.bloom'), name);
    expect([await filter.has('ada'), await filter.has('eve')]).toEqual([true, false]);
    await filter.verify();
    await filter.close();
  });

  it.each([
    ['written to', (name: string) => writeFileSync(name, others)],
    ['written to in the same second', (name: string) => utimesSync(name, 1e9, 1e9 + 0.5)],
    ['longer', (name: string) => appendFileSync(name, 'more')],
    ['shorter', (name: string) => truncateSync(name, 100)],
  ])('gives an error, not an answer, once it is %s', async (how, change) => {
    const name = path(`${how}.bloom`);
    writeFileSync(name, file);
    utimesSync(name, 1e9, 1e9);
    const filter = await openFilter([BlockedBloomFilter], fileSource(name));
    change(name);
    await expect(filter.has('ada')).rejects.toThrow(SourceError);
    await expect(filter.verify()).rejects.toMatchObject({ code: 'CHANGED' });
    await filter.close();
  });

  it('is refused if there is none', async () => {
    await expect(fileSource(path('missing'))).rejects.toMatchObject({ code: 'ENOENT' });
    mkdirSync(path('folder'));
    await expect(fileSource(path('folder'))).rejects.toThrow(/must be a file, not a folder/);
    if (process.platform !== 'win32') {
      execFileSync('mkfifo', [path('pipe')]);
      await expect(fileSource(path('pipe'))).rejects.toThrow(/must be a file, not a folder, device or pipe$/);
    }
    await expect(fileSource('')).rejects.toThrow(RangeError);
  });
});

describe('a filter in a Blob', () => {
  it('gives an error if it is a file that has changed', async () => {
    const name = path('chosen.bloom');
    writeFileSync(name, file);
    const filter = await openFilter([BlockedBloomFilter], blobSource(await openAsBlob(name)));
    expect(await filter.has('ada')).toBe(true);
    truncateSync(name, 100);
    await expect(filter.has('ada')).rejects.toMatchObject({ name: 'SourceError', code: 'CHANGED', cause: {} });
  });

  it('is refused if it is none', () => {
    for (const blob of [null, undefined, 'blob', {}, new Uint8Array(9)]) {
      expect(() => blobSource(blob as never)).toThrow(/^blob must be a Blob or File/);
    }
  });
});

const ADDRESS = 'https://example.org/names.bloom';
const RANGE = /^bytes=(\d+)-(\d+)$/;

/** Answers a request for the bytes from `first` to before `end`. */
type Respond = (first: number, end: number) => Response;

/** A function like `fetch`, whose requests get these answers in turn, and then the last one again and again. */
function fetching(...responds: Respond[]) {
  const asked: string[] = [];
  const fetch = async (_: string, { headers }: RequestInit): Promise<Response> => {
    const range = new Headers(headers).get('range') ?? '';
    asked.push(range);
    const [, first, last] = RANGE.exec(range) ?? [];
    const [respond] = responds.length > 1 ? responds.splice(0, 1) : responds;
    return (respond as Respond)(Number(first), Number(last) + 1);
  };
  return { fetch, asked };
}

async function open(...responds: Respond[]): Promise<{ asked: string[]; filter: OpenedFilter }> {
  const { fetch, asked } = fetching(...responds);
  return { asked, filter: await openFilter([BlockedBloomFilter], urlSource(ADDRESS, { fetch })) };
}

const respond = (status: number, headers: Record<string, string> = {}, body: BodyInit | null = null): Response =>
  new Response(body, { status, headers });

/** Answers as a server of static files does. */
const serving =
  (bytes: Uint8Array<ArrayBuffer>, etag = '"1"'): Respond =>
  (first, wanted) => {
    if (first >= bytes.length) return respond(416, { 'content-range': `bytes */${bytes.length}` });
    const end = Math.min(wanted, bytes.length);
    const range = `bytes ${first}-${end - 1}/${bytes.length}`;
    return respond(206, { 'content-range': range, etag }, bytes.slice(first, end));
  };
const right = serving(file);
const status =
  (code: number): Respond =>
  () =>
    respond(code);
const whole: Respond = () => respond(200, { etag: '"1"' }, file);
const rangeOf = (first: number, end: number): string => `Bytes ${first}-${end - 1}/${file.length}`;
/** Answers a range with other headers. */
const with206 =
  (headers: Record<string, string>, bytes = file): Respond =>
  (first, end) =>
    respond(206, { etag: '"1"', 'content-range': rangeOf(first, end), ...headers }, bytes.slice(first, end));

/** Starts a server on this machine, and returns its address. */
async function start(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/names.bloom`;
}

describe('a filter on a server', () => {
  it('takes one request to be opened, and one for each key', async () => {
    const { asked, filter } = await open(right);
    expect(asked).toEqual(['bytes=0-511']);
    expect([await filter.has('ada'), await filter.has('eve')]).toEqual([true, false]);
    expect(asked).toHaveLength(3);
    const [, first, last] = RANGE.exec(asked[1] as string) ?? [];
    expect(Number(last) - Number(first)).toBeLessThan(32);
    await filter.verify();
  });

  it('may be smaller than what is asked for first', async () => {
    const { asked, filter } = await open(serving(new BlockedBloomFilter({ bits: 256 }).addMany(['ada']).toBytes()));
    expect(await filter.has('ada')).toBe(true);
    expect(asked).toHaveLength(1);
  });

  it('is asked by fetch, or by the function that was given, with a signal', async () => {
    const url = await start((request, response) => {
      const [, first, last] = RANGE.exec(request.headers.range ?? '') ?? [];
      const range = { 'content-range': rangeOf(Number(first), Number(last) + 1), etag: '"1"' };
      response.writeHead(206, range).end(file.subarray(Number(first), Number(last) + 1));
    });
    expect(await (await openFilter([BlockedBloomFilter], urlSource(url))).has('ada')).toBe(true);
    const [asked, signals]: [string[], unknown[]] = [[], []];
    // As a URL of another realm.
    const foreign = Object.setPrototypeOf(new URL(url), { [Symbol.toStringTag]: 'URL', toString: () => url }) as URL;
    const source = await urlSource(foreign, {
      fetch(address, init) {
        const headers = new Headers(init.headers);
        asked.push(`${address} ${headers.get('range')} ${headers.get('accept-encoding')} ${init.signal === undefined}`);
        signals.push(init.signal);
        return fetch(address, init);
      },
    });
    expect(asked).toEqual([`${url} bytes=0-511 identity true`]);
    // What browsers allow, and bytes are cheaper than another request.
    expect(source).toMatchObject({ size: file.length, gap: 32_768, inFlight: 6 });
    const [filter, controller] = [await openFilter([BlockedBloomFilter], source), new AbortController()];
    expect(await filter.has('bob', { signal: controller.signal })).toBe(true);
    expect(asked.at(-1)).toMatch(/ false$/);
    for (const at of [1000, 2000, 3000]) await source.read(at, 10, controller.signal);
    // Each its own, because Node warns of one with many listeners. On that of all reads, none is left.
    expect([signals.length, new Set(signals).size, ...getEventListeners(controller.signal, 'abort')]).toEqual([5, 5]);
    controller.abort();
    const stopped = [filter.has('bob', { signal: controller.signal }), source.read(1000, 10, controller.signal)];
    for (const each of await Promise.allSettled(stopped)) expect(each).toHaveProperty('reason.name', 'AbortError');
  });

  it('stops a request that a signal aborts', async () => {
    const url = await start(() => {});
    const error = { name: 'TimeoutError' };
    await expect(urlSource(url, { signal: AbortSignal.timeout(20) })).rejects.toMatchObject(error);
    const { fetch: first } = fetching(right);
    const source = await urlSource(url, { fetch: (_, init) => (init.signal ? fetch(url, init) : first(url, init)) });
    await expect(source.read(1000, 10, AbortSignal.timeout(20))).rejects.toMatchObject(error);
    const never = () => new Promise<never>(() => {});
    await expect(urlSource(url, { fetch: never, signal: AbortSignal.timeout(1) })).rejects.toMatchObject(error);
  });

  it('is recognized by the time of its last change if there is no tag', async () => {
    const [before, later] = ['00', '01'].map((second) =>
      with206({ etag: '', 'last-modified': `Mon, 01 Jan 2024 00:00:${second} GMT` }),
    ) as [Respond, Respond];
    expect(await (await open(before)).filter.has('ada')).toBe(true);
    const { filter } = await open(before, later);
    await expect(filter.has('ada')).rejects.toMatchObject({ code: 'CHANGED' });
    // A tag tells more than the time, in whole seconds.
    const [first, second] = ['"1"', '"2"'].map((etag) =>
      with206({ etag, 'last-modified': 'Mon, 01 Jan 2024 00:00:00 GMT' }),
    );
    const replaced = await open(first as Respond, second as Respond);
    await expect(replaced.filter.has('ada')).rejects.toMatchObject({ code: 'CHANGED' });
  });
});

type Failure = readonly [what: string, respond: Respond, error: object];

const saying = (code: string, message: string | RegExp) => ({ code, message: expect.stringMatching(message) });

const NO_TAG = /neither ETag nor Last-Modified: .*Access-Control-Expose-Headers$/;

describe('a server that cannot be used', () => {
  const sending =
    (what: string, error: object) =>
    (range: string): Failure => [`${what}: ${range}`, with206({ 'content-range': range }), error];

  it.each<Failure>([
    ['it gives no ranges', whole, saying('RANGES', / gives no ranges: load the whole file with fromChunks$/)],
    ...[404, 416, 304].map((code): Failure => [`${code}`, status(code), { code: 'STATUS', status: code }]),
    ...['', 'bytes 0-511/*', 'bytes 0-511', 'items 0-511/9999', `bytes 0-511/${'9'.repeat(30)}`].map(
      sending('no valid range', saying('RANGES', /sent no valid Content-Range, but /)),
    ),
    ...[rangeOf(1, 512), rangeOf(0, 511), rangeOf(0, 513), 'bytes 0-511/300'].map(
      sending('another range', saying('BYTES', /sent bytes .*, not 0-511$/)),
    ),
    ['nothing tells whether the file has changed', with206({ etag: '' }), saying('RANGES', NO_TAG)],
    ['it compresses', with206({ 'content-encoding': 'gzip' }), { code: 'BYTES' }],
  ])('is refused: %s', async (_, respond, error) => {
    const { fetch } = fetching(respond);
    await expect(urlSource(ADDRESS, { fetch })).rejects.toMatchObject({ name: 'SourceError', ...error });
    await expect(urlSource(ADDRESS, { fetch })).rejects.toThrow(ADDRESS);
  });

  it.each([200, 503])('is not read on: %i', async (code) => {
    const cancel = vi.fn();
    const { fetch } = fetching(() => respond(code, {}, new ReadableStream({ cancel })));
    await expect(urlSource(ADDRESS, { fetch })).rejects.toThrow(SourceError);
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  it('is not read on after more bytes than it announced', async () => {
    const cancel = vi.fn();
    const pull = (controller: ReadableStreamDefaultController): void => controller.enqueue(new Uint8Array(500));
    const headers = { etag: '"1"', 'content-range': rangeOf(0, 512) };
    const { fetch } = fetching(() => respond(206, headers, new ReadableStream({ pull, cancel })));
    await expect(urlSource(ADDRESS, { fetch })).rejects.toThrow('sent more bytes than the 512 that it announced');
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  it('is refused if there is none, and if its file is no filter', async () => {
    const url = await start((_, response) => response.destroy());
    for (const each of [url, 'no address']) await expect(urlSource(each)).rejects.toMatchObject({ code: 'CONNECTION' });
    for (const reason of [undefined, null, 'gone']) {
      const refused = urlSource(url, { fetch: () => Promise.reject(reason) });
      await expect(refused).rejects.toMatchObject({ code: 'CONNECTION', cause: reason });
      await expect(refused).rejects.toThrow(`${url} cannot be read: ${JSON.stringify(reason)}`);
    }
    await expect(urlSource(7 as never)).rejects.toThrow(TypeError);
    await expect(urlSource(url, { fetch: 1 as never })).rejects.toThrow('fetch must be a function, got 1');
    await expect(urlSource(url, { signal: 1 as never })).rejects.toThrow('signal must be an AbortSignal, got 1');
    await expect(urlSource(url, { headers: {} } as never)).rejects.toThrow(/unknown option headers/);
    const page = new TextEncoder().encode('<!doctype html>'.repeat(99));
    const reason = 'they do not begin with BLMY, but with "<!doctype html><"';
    await expect(open(serving(page))).rejects.toMatchObject({ code: 'FOREIGN', reason });
  });
});

describe('a server that fails later', () => {
  /** Answers that are read to an end that they do not have, or break off. */
  const body =
    (pull: (controller: ReadableStreamDefaultController) => void): Respond =>
    (first, end) =>
      respond(206, { etag: '"1"', 'content-range': rangeOf(first, end) }, new ReadableStream({ pull }));
  let sent = 0;
  const endless = body((controller) => {
    sent += 2 ** 16;
    controller.enqueue(new Uint8Array(2 ** 16));
  });
  const breaking = body((controller) => controller.error(new Error('broken')));
  const unreachable: Respond = () => {
    throw new TypeError('fetch failed');
  };

  it.each<Failure>([
    ['another file', serving(others, '"2"'), saying('CHANGED', / has changed since it was opened: open it again$/)],
    // The cache of a browser that has parts of the file asks with If-Range.
    ['another file, whole', () => respond(200, { etag: '"2"' }, others), { code: 'CHANGED' }],
    ['a whole file without a tag', () => respond(200, {}, others), { code: 'RANGES' }],
    ['the same file, whole', whole, { code: 'RANGES' }],
    ['a longer file', serving(new Uint8Array(2 * file.length)), { code: 'CHANGED' }],
    ['a shorter file', serving(file.slice(0, 600)), { code: 'CHANGED' }],
    ['no end', breaking, { code: 'CONNECTION' }],
    ['no answer', unreachable, { code: 'CONNECTION' }],
    ['too few bytes', with206({}, file.slice(0, 512)), saying('CONNECTION', /broke off/)],
    ['more bytes than it says', endless, { code: 'BYTES' }],
    ...[503, 404].map((code): Failure => [`${code}`, status(code), { code: 'STATUS', status: code }]),
    ['416', status(416), { code: 'CHANGED' }],
  ])('gives an error, not an answer: %s', async (_, respond, error) => {
    const { filter } = await open(right, respond);
    for (const call of [() => filter.has('ada'), () => filter.pick(['ada', 'eve'])]) {
      await expect(call()).rejects.toMatchObject({ name: 'SourceError', ...error });
    }
    await expect(filter.verify()).rejects.toBeInstanceOf(SourceError);
    // An answer without an end is not read to its end.
    expect(sent).toBeLessThan(2 ** 26);
  });

  it('answers again when the server does', async () => {
    const { filter } = await open(right, status(500), right);
    await expect(filter.has('ada')).rejects.toMatchObject({ status: 500 });
    expect(await filter.pick(['ada', 'eve', 'bob'])).toEqual(['ada', 'bob']);
  });
});
