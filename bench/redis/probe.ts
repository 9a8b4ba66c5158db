// A process of its own, another client of a server, measures how long it waits for answers.

import { type ChildProcess, fork } from 'node:child_process';
import { connect } from 'node:net';

const PING = 'PING\r\n';
const PONG_BYTES = '+PONG\r\n'.length;

/** Sends PING about every millisecond while it is running. */
export class Probe {
  readonly #process: ChildProcess;

  constructor(port: number) {
    this.#process = fork(import.meta.filename, [String(port)]);
  }

  /** Returns how long each answer took while `work` was done, in milliseconds. */
  async during(work: () => Promise<unknown>): Promise<number[]> {
    await this.#ask('start');
    await work();
    return (await this.#ask('stop')) as number[];
  }

  close(): void {
    this.#process.kill();
  }

  #ask(message: string): Promise<unknown> {
    return new Promise((resolve) => {
      this.#process.once('message', resolve);
      this.#process.send(message);
    });
  }
}

function serve(port: number): void {
  const socket = connect(port, '127.0.0.1').setNoDelay();
  const sent: number[] = [];
  let waits: number[] = [];
  let isOn = false;
  let bytes = 0;
  socket.on('data', ({ length }) => {
    const now = performance.now();
    for (bytes += length; bytes >= PONG_BYTES; bytes -= PONG_BYTES) waits.push(now - (sent.shift() ?? now));
  });
  setInterval(() => {
    if (!isOn) return;
    sent.push(performance.now());
    socket.write(PING);
  }, 1);
  process.on('message', async (message) => {
    isOn = message === 'start';
    // Answers that are still on their way count too.
    while (sent.length > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    process.send?.(waits);
    waits = [];
  });
}

const [, , port] = process.argv;
if (process.send && import.meta.filename === process.argv[1]) serve(Number(port));
