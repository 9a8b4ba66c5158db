import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import { startThreads, WorkerThread } from '../../../src/node/parallel/thread.ts';

function fakeThread() {
  const worker = Object.assign(new EventEmitter(), { postMessage: vi.fn(), terminate: vi.fn() });
  return { worker, thread: new WorkerThread<string, string>(worker as object as Worker) };
}

describe('another thread', () => {
  it('answers questions in their order, after the message that it has loaded', async () => {
    const { worker, thread } = fakeThread();
    const answers = Promise.all([thread.ask('a'), thread.ask('b')]);
    expect(worker.postMessage.mock.calls.flat(2)).toEqual(['a', 'b']);
    expect(thread.questions).toBe(2);
    for (const message of ['loaded', 'A', 'B']) worker.emit('message', message);
    expect(await answers).toEqual(['A', 'B']);
    expect(thread.questions).toBe(0);
  });

  it('that has failed answers no question, before or after', async () => {
    const { worker, thread } = fakeThread();
    const wrong = new Error('wrong');
    const before = thread.ask('a');
    worker.emit('error', wrong);
    worker.emit('exit', 1);
    await expect(before).rejects.toBe(wrong);
    await expect(thread.ask('b')).rejects.toBe(wrong);
    expect(worker.postMessage).toHaveBeenCalledOnce();
  });

  const codes = ['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND', 'ERR_INVALID_URL'];
  it.each(codes)('of which a bundle lacks the file says what to do: %s', async (code) => {
    const { worker, thread } = fakeThread();
    const cause = Object.assign(new Error('Cannot find module /app/worker.js'), { code });
    worker.emit('error', cause);
    const message = 'the bundle lacks the file that it runs: leave the package out of the bundle, as external';
    await expect(thread.ask('a')).rejects.toMatchObject({ message: `a thread cannot run: ${message}`, cause });
    const start = () => {
      throw cause;
    };
    expect(() => startThreads(1, start)).toThrow(`thread 1 of 1 could not be started: a thread cannot run: ${message}`);
  });

  it('is ended when it has loaded', async () => {
    const { worker, thread } = fakeThread();
    const ended = thread.end();
    await null;
    expect(worker.terminate).not.toHaveBeenCalled();
    worker.emit('message', 'loaded');
    await ended;
    expect(worker.terminate).toHaveBeenCalledOnce();
  });
});

describe('several threads', () => {
  it('are all ended if one cannot start', () => {
    const ended: number[] = [];
    let count = 0;
    const start = () => {
      const number = ++count;
      if (number === 3) throw new Error('EAGAIN');
      return { end: async () => void ended.push(number) };
    };
    expect(() => startThreads(4, start)).toThrow('thread 3 of 4 could not be started: EAGAIN');
    expect(ended).toEqual([1, 2]);
    count = 3;
    expect(startThreads(2, start)).toHaveLength(2);
  });
});
