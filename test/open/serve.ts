// Servers of one file over HTTP, right and wrong ones.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers a request for the bytes from `first` to before `end`. */
export type Respond = (response: ServerResponse, first: number, end: number, request: IncomingMessage) => void;

export interface Served {
  readonly url: string;
  /** The ranges that were asked for. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** A file that a server has now. */
export interface ServedFile {
  bytes: Uint8Array;
  etag: string;
}

/** Answers as a server of static files does. */
export function respondWith(file: ServedFile, headers: Readonly<Record<string, string>> = {}): Respond {
  return (response, first, wanted) => {
    const { bytes, etag } = file;
    if (first >= bytes.length) {
      response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
      return;
    }
    const end = Math.min(wanted, bytes.length);
    const range = `bytes ${first}-${end - 1}/${bytes.length}`;
    response.writeHead(206, { 'content-range': range, 'content-length': end - first, etag, ...headers });
    response.end(bytes.subarray(first, end));
  };
}

/** Starts a server on this machine. */
export async function serve(respond: Respond): Promise<Served> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const range = request.headers.range ?? '';
    asked.push(range);
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
    respond(response, Number(first), Number(last) + 1, request);
  });
  // A server that closes an idle connection at the moment of the next request gives an error. Here, long work of a test
  // makes both late.
  server.keepAliveTimeout = 0;
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/names.bloom`,
    asked,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
