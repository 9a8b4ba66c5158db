import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { BlockedBloomFilter } from '../../src/index.ts';
import { type OpenedFilter, openFilter, SourceError, urlSource } from '../../src/open.ts';
import { type Respond, respondWith, type Served, type ServedFile, serve } from './serve.ts';

const file = new BlockedBloomFilter({ bits: 2 ** 23 }).addMany(['ada', 'bob']).toBytes();
const others = new BlockedBloomFilter({ bits: 2 ** 23 }).addMany(['eve']).toBytes();

const running: Served[] = [];
afterEach(async () => {
  for (const each of running.splice(0)) await each.close();
});

async function start(respond: Respond): Promise<Served> {
  const served = await serve(respond);
  running.push(served);
  return served;
}

/** Opens the filter on a server. */
async function open(respond: Respond): Promise<{ served: Served; filter: OpenedFilter }> {
  const served = await start(respond);
  return { served, filter: await openFilter([BlockedBloomFilter], urlSource(served.url)) };
}

/** A server that answers the first request rightly, and all others with `respond`. */
function then(respond: Respond, right: ServedFile = { bytes: file, etag: '"1"' }): Respond {
  let isFirst = true;
  return (...args) => {
    if (isFirst) respondWith(right)(...args);
    else respond(...args);
    isFirst = false;
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
        asked.push(`${address} ${new Headers(init.headers).get('range')} ${init.signal === undefined}`);
        return fetch(address, init);
      },
    });
    expect(asked).toEqual([`${url} bytes=0-511 true`]);
    const filter = await openFilter([BlockedBloomFilter], source);
    const controller = new AbortController();
    expect(await filter.has('bob', { signal: controller.signal })).toBe(true);
    expect(asked.at(-1)).toMatch(/ false$/);
    controller.abort();
    await expect(filter.has('bob', { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('stops a request that a signal aborts', async () => {
    const never: ServerResponse[] = [];
    const { filter } = await open(then((response) => never.push(response)));
    const controller = new AbortController();
    const call = filter.has('ada', { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('too slow')), 20);
    await expect(call).rejects.toThrow('too slow');
    expect(never).toHaveLength(1);
    const hung = await start((response) => never.push(response));
    await expect(urlSource(hung.url, { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });

  it('is recognized by the time of its last change if there is no tag', async () => {
    const stamped = (time: string): Respond =>
      with206((first, end) => ({ etag: '', 'last-modified': time, 'content-range': rangeOf(first, end) }));
    const { filter } = await open(stamped('Mon, 01 Jan 2024 00:00:00 GMT'));
    expect(await filter.has('ada')).toBe(true);
    const later = stamped('Mon, 01 Jan 2024 00:00:01 GMT');
    let isFirst = true;
    const { filter: other } = await open((...args) => {
      (isFirst ? stamped('Mon, 01 Jan 2024 00:00:00 GMT') : later)(...args);
      isFirst = false;
    });
    await expect(other.has('ada')).rejects.toMatchObject({ code: 'CHANGED' });
  });
});

/** Opening must fail with this error. */
async function refusal(respond: Respond): Promise<SourceError> {
  const { url } = await start(respond);
  const error: unknown = await urlSource(url).catch((each) => each);
  expect(error).toBeInstanceOf(SourceError);
  expect((error as Error).message).toContain(url);
  return error as SourceError;
}

describe('a server that cannot be used', () => {
  it('is refused if it gives no ranges', async () => {
    expect(await refusal(whole)).toMatchObject({
      code: 'RANGES',
      message: expect.stringMatching(/ gives no ranges: load the whole file with fromChunks$/),
    });
  });

  it.each([404, 403, 416, 500, 304, 204])('is refused if its answer has status %i', async (code) => {
    expect(await refusal(status(code))).toMatchObject({ code: 'STATUS', status: code });
  });

  it('is refused if it does not say which bytes it sends', async () => {
    for (const range of ['', 'bytes 0-511/*', 'bytes 0-511', 'items 0-511/9999', `bytes 0-511/${'9'.repeat(30)}`]) {
      expect(await refusal(with206(() => ({ 'content-range': range })))).toMatchObject({ code: 'RANGES' });
    }
    for (const range of [rangeOf(1, 512), rangeOf(0, 511), rangeOf(0, 513), 'bytes 0-511/300']) {
      expect(await refusal(with206(() => ({ 'content-range': range })))).toMatchObject({ code: 'BYTES' });
    }
  });

  it('is refused if nothing tells whether the file has changed', async () => {
    const error = await refusal(with206((first, end) => ({ etag: '', 'content-range': rangeOf(first, end) })));
    expect(error.code).toBe('RANGES');
    expect(error.message).toMatch(/neither ETag nor Last-Modified: .*Access-Control-Expose-Headers$/);
  });

  it('is refused if it compresses what it sends', async () => {
    const error = await refusal((response, first, end) => {
      const headers = { etag: '"1"', 'content-range': rangeOf(first, end), 'content-encoding': 'gzip' };
      response.writeHead(206, headers).end(gzipSync(file.subarray(first, end)));
    });
    expect(error).toMatchObject({ code: 'BYTES', message: expect.stringContaining('content-encoding "gzip"') });
  });

  it('is refused if there is none, and if its file is no filter', async () => {
    const { url, close } = await serve(whole);
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
  const rejected = async (respond: Respond): Promise<SourceError> => {
    const { filter } = await open(then(respond));
    const error: unknown = await filter.has('ada').catch((each) => each);
    expect(error).toBeInstanceOf(SourceError);
    await expect(filter.verify()).rejects.toBeInstanceOf(SourceError);
    return error as SourceError;
  };

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

  it('gives the error of a changed file also if the answer is the whole new file, as to If-Range', async () => {
    // The cache of a browser that has parts of the file asks so.
    const other: Respond = (response) => response.writeHead(200, { etag: '"2"' }).end(others);
    expect(await rejected(other)).toMatchObject({ code: 'CHANGED' });
    const untagged: Respond = (response) => response.writeHead(200).end(others);
    expect(await rejected(untagged)).toMatchObject({ code: 'RANGES' });
  });

  it('gives an error if the file is shorter or longer under the same tag', async () => {
    const longer = Buffer.concat([file, file]);
    expect(await rejected(respondWith({ bytes: longer, etag: '"1"' }))).toMatchObject({ code: 'CHANGED' });
    expect(await rejected(respondWith({ bytes: file.subarray(0, 600), etag: '"1"' }))).toMatchObject({
      code: 'CHANGED',
    });
  });

  it('gives an error if it breaks off', async () => {
    const broken = await rejected((response, first, end) => {
      const headers = { etag: '"1"', 'content-range': rangeOf(first, end), 'content-length': end - first };
      response.writeHead(206, headers);
      response.write(file.subarray(first, first + 3), () => response.destroy());
    });
    expect(broken.code).toBe('CONNECTION');
    expect(await rejected((response) => response.destroy())).toMatchObject({ code: 'CONNECTION' });
    const short = with206((first, end) => ({ 'content-range': rangeOf(first, end) }), file.subarray(0, 512));
    expect(await rejected(short)).toMatchObject({ code: 'CONNECTION', message: expect.stringMatching(/broke off/) });
  });

  it('gives an error if it sends more than it says, without reading all of it', async () => {
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
    expect(await rejected(endless)).toMatchObject({ code: 'BYTES' });
    expect(sent).toBeLessThan(2 ** 26);
  });

  it('gives an error if it no longer gives ranges, or refuses', async () => {
    expect(await rejected(whole)).toMatchObject({ code: 'RANGES' });
    expect(await rejected(status(503))).toMatchObject({ code: 'STATUS', status: 503 });
    expect(await rejected(status(404))).toMatchObject({ code: 'STATUS', status: 404 });
    expect(await rejected(status(416))).toMatchObject({ code: 'CHANGED' });
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
