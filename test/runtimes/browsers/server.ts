// Serves pages and bundles on a free port, and answers what pages and workers ask of the program that runs them.

import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { sleep } from './processes.ts';

/** Policies that `?csp=` puts on a page or on a worker, which has the policy of its own script. */
const policies: Readonly<Record<string, string>> = {
  strict: "script-src 'self'",
  wasm: "script-src 'self' 'wasm-unsafe-eval'",
};

/** What `?isolated` adds, so that threads may share memory. */
const isolation = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

/** What a page may POST to `/ask/NAME`: gets the value that was sent, returns the value to answer. */
export type Answers = Readonly<Record<string, (value: unknown) => unknown>>;

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript',
  html: 'text/html; charset=utf-8',
  css: 'text/css',
  svg: 'image/svg+xml',
  json: 'application/json',
  txt: 'text/plain',
};

/** How many bytes a slow network brings at a time, and how long it waits after them. */
const SLOW_BYTES = 1024;
const SLOW_MS = 50;

type Contents = string | Uint8Array;
type Headers = Record<string, string>;

/** Answers with a file, or with the range of it that was asked for, as any server of static files does. */
function answerFile(file: Contents, range: string | undefined, headers: Headers, response: ServerResponse): void {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file;
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  if (first === undefined) {
    response.writeHead(200, headers).end(bytes);
    return;
  }
  const part = bytes.subarray(Number(first), Number(last) + 1);
  const ETag = `"${createHash('sha256').update(bytes).digest('hex')}"`;
  const place = `bytes ${first}-${Number(first) + part.length - 1}/${bytes.length}`;
  response.writeHead(206, { ...headers, ETag, 'Content-Range': place }).end(part);
}

/** Sends a file in parts, as `?slow` asks, so that the browser shows what has arrived. */
async function sendSlowly(file: Contents, headers: Headers, response: ServerResponse): Promise<void> {
  const bytes = Buffer.from(file);
  response.writeHead(200, headers);
  for (let at = 0; at < bytes.length; at += SLOW_BYTES) {
    response.write(bytes.subarray(at, at + SLOW_BYTES));
    await sleep(SLOW_MS);
  }
  response.end();
}

/** Serves `files` by their names. A page at `/NAME.html` that is not among them runs the module `/NAME.js`. */
export async function serve(
  files: ReadonlyMap<string, Contents>,
  answers: Answers,
  extra: Readonly<Record<string, string>> = {},
): Promise<{ readonly url: string; close(): void }> {
  const page = (name: string): string =>
    `<!doctype html><meta charset="utf-8"><title>${name}</title><link rel="icon" href="data:,">` +
    `<input type="file"><script type="module" src="/${name}.js"></script>`;

  const fileAt = (path: string): Contents | undefined =>
    files.get(path) ?? (files.has(path.replace(/html$/, 'js')) ? page(path.replace(/\.html$/, '')) : undefined);

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const path = url.pathname.slice(1).replace(/(^|\/)$/, '$1index.html');
    const headers: Headers = { 'Cache-Control': 'no-store', 'Access-Control-Allow-Origin': '*', ...extra };
    try {
      const answer = answers[path.replace('ask/', '')];
      if (request.method === 'POST' && answer !== undefined) {
        const value = (await answer(JSON.parse((await text(request)) || 'null'))) ?? null;
        response.writeHead(200, { ...headers, 'Content-Type': 'application/json' }).end(JSON.stringify(value));
        return;
      }
      const file = fileAt(path);
      if (file === undefined) {
        response.writeHead(404, headers).end('not found');
        return;
      }
      const policy = policies[url.searchParams.get('csp') ?? ''];
      if (policy !== undefined) headers['Content-Security-Policy'] = policy;
      if (url.searchParams.has('isolated')) Object.assign(headers, isolation);
      headers['Content-Type'] = types[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
      if (url.searchParams.has('slow')) await sendSlowly(file, headers, response);
      else answerFile(file, request.headers.range, headers, response);
    } catch (error) {
      response.writeHead(500, headers).end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
