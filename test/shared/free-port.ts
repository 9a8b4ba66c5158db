// Ports for programs that cannot choose one themselves.

import { createServer } from 'node:net';

const HOST = '127.0.0.1';
const FIRST = 10_000;
const COUNT = 20_000;

// Below the ports that operating systems give to outgoing connections: those take a port between the moment that it is
// found free and the moment that the program listens on it. Each process begins elsewhere, as tests run side by side.
let next = Math.floor(Math.random() * COUNT);

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, HOST, () => server.close(() => resolve(true)));
  });

/** A port of this machine that no program listens on, and that no other call in this process has returned. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + (next++ % COUNT);
    if (await isFree(port)) return port;
  }
}
