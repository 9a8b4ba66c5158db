import type { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { inThreads } from '../../src/parallel/threads.ts';

const { workers } = vi.hoisted(() => ({ workers: [] as EventEmitter[] }));

vi.mock('node:worker_threads', async () => {
  const { EventEmitter: Emitter } = await import('node:events');
  class Worker extends Emitter {
    constructor() {
      super();
      workers.push(this);
      queueMicrotask(() => this.emit('message', 'loaded'));
    }
    postMessage(): void {}
    terminate(): Promise<number> {
      return Promise.resolve(this.emit('exit', 1) ? 1 : 0);
    }
  }
  return { Worker };
});

async function* noParts(): AsyncGenerator<never, void, undefined> {}

/** Lets the first of two threads end in some way. */
function endedBy(end: (first: EventEmitter) => void): Promise<unknown> {
  const built = inThreads(2, { crlf: true, target: undefined }, noParts(), () => {}, undefined);
  end(workers.splice(0)[0] as EventEmitter);
  return built.catch((error: unknown) => error);
}

describe('inThreads', () => {
  it('passes on the error of a thread', async () => {
    const wrong = new RangeError('wrong');
    expect(await endedBy((first) => first.emit('error', wrong))).toBe(wrong);
  });

  it('fails if a thread ends by itself', async () => {
    const error = await endedBy((first) => first.emit('exit', 0));
    expect(error).toEqual(new Error('a thread ended before its work was done'));
  });
});
