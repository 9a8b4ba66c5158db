// Threads that are stood in for, as no system makes them fail.

import { EventEmitter } from 'node:events';
import { closeSync, fstatSync, openSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import '../../../src/node/parallel/shard-worker.ts';
import { FilterMemoryError } from '../../../src/index.ts';
import { requireFound } from '../../../src/node/parallel/parts.ts';
import { buildInThreads, type ShardAnswer, type ShardQuestion } from '../../../src/node/parallel/shard-threads.ts';
import { startThreads, WorkerThread } from '../../../src/node/parallel/thread.ts';

type Answering = (question: ShardQuestion, thread: EventEmitter) => ShardAnswer | undefined;

const { threads, port } = vi.hoisted(() => ({
  port: {} as EventEmitter & { messages: unknown[] },
  threads: {
    started: 0,
    running: 0,
    begun: [] as number[],
    execArgv: undefined as unknown,
    answer: undefined as Answering | undefined,
  },
}));

vi.mock('node:worker_threads', async () => {
  const { EventEmitter: Emitter } = await import('node:events');
  class Worker extends Emitter {
    constructor(_: URL, { execArgv }: { execArgv?: string[] }) {
      super();
      threads.execArgv = execArgv;
      threads.started++;
      threads.running++;
      queueMicrotask(() => this.emit('message', 'loaded'));
    }
    postMessage(question: ShardQuestion): void {
      setImmediate(() => {
        const answer = threads.answer?.(question, this);
        if (answer) this.emit('message', answer);
      });
    }
    terminate(): Promise<number> {
      threads.running--;
      return Promise.resolve(this.emit('exit', 1) ? 1 : 0);
    }
  }
  const messages: unknown[] = [];
  Object.setPrototypeOf(port, new Emitter());
  Object.assign(port, { messages, postMessage: (message: unknown) => messages.push(message) });
  return { Worker, parentPort: port, workerData: { bits: 8 } };
});

/** Hashes in buckets of this many words each: the first is that of their bucket. */
function hashesOf(words: number, estimate: number) {
  return {
    estimateDistinct: () => estimate,
    wordsIn: (from: number, to = from + 1) => words * (to - from),
    read: (bucket: number, target: Uint32Array) => void target.fill(bucket),
  };
}

/** Sorts nothing, keeps half of each bucket, and builds cells that tell of which buckets they are, of many keys. */
const answerAll: Answering = (question) =>
  'sort' in question
    ? { words: question.sort.length / 2 }
    : {
        parameters: { exponent: 2, segments: 1, attempt: 0, count: 2 ** 23 },
        cells: Uint8Array.from(question.build),
      };

/** Builds shards while threads answer like this. Returns them, in the order of their numbers. */
async function build(
  answer: Answering,
  { estimate = 100, wanted = undefined as number | undefined, signal = new AbortController().signal },
) {
  Object.assign(threads, { started: 0, answer, begun: [] });
  const begin = (shards: number): void => void threads.begun.push(shards);
  try {
    const shards = [];
    for await (const shard of buildInThreads(3, { bits: 8 }, hashesOf(4, estimate), wanted, begin, signal)) {
      shards.push(shard);
    }
    return shards.sort((a, b) => a.shards - b.shards || a.index - b.index);
  } finally {
    expect(threads.running).toBe(0);
  }
}

describe('shards that threads build', () => {
  it('are built again, in the same threads, if duplicates make fewer of them right', async () => {
    const shards = await build(answerAll, { estimate: 2 ** 24 + 1 });
    expect(shards.map(({ index, shards }) => `${index} of ${shards}`)).toEqual(['0 of 1', '0 of 2', '1 of 2']);
    expect(threads.started).toBe(2);
    expect(threads.begun).toEqual([2, 1]);
    // What the program's options load is not loaded there.
    expect(threads.execArgv).toEqual([]);
  });

  it('are refused with the error of a thread that has no memory', async () => {
    const refuse: Answering = (question) =>
      'build' in question && question.build[0] === 64
        ? { message: 'no memory', byteLength: 77 }
        : answerAll(question, null as never);
    const error = await build(refuse, { wanted: 4 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FilterMemoryError);
    expect(error).toMatchObject({ message: 'no memory', byteLength: 77 });
  });

  it('are given up when the signal aborts, while all threads work', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const abort: Answering = () => void controller.abort(new Error('enough'));
    await expect(build(abort, { wanted: 4, signal })).rejects.toThrow(/^enough$/);
  });
});

it('a thread that builds shards says how much memory it lacks', () => {
  // An array that long cannot exist, and is not read.
  const build = { length: 2 ** 40 } as Uint32Array;
  port.emit('message', { build });
  expect(port.messages.at(-1)).toEqual({
    message: expect.stringMatching(/^549755813888 keys are too many: building their filter takes /),
    byteLength: expect.any(Number),
  });
});

function fakeThread() {
  const worker = Object.assign(new EventEmitter(), { postMessage: vi.fn(), terminate: vi.fn() });
  return { worker, thread: new WorkerThread<string, string>(worker as object as Worker) };
}

describe('another thread', () => {
  it('answers questions in their order', async () => {
    const { worker, thread } = fakeThread();
    const answers = Promise.all([thread.ask('a'), thread.ask('b')]);
    expect(thread.questions).toBe(2);
    for (const message of ['loaded', 'A', 'B']) worker.emit('message', message);
    expect(await answers).toEqual(['A', 'B']);
  });

  it.each(['error', 'messageerror'])('that has failed answers no question, before or after: %s', async (event) => {
    const { worker, thread } = fakeThread();
    const wrong = new Error('wrong');
    const before = thread.ask('a');
    worker.emit(event, wrong);
    worker.emit('exit', 1);
    await expect(before).rejects.toBe(wrong);
    await expect(thread.ask('b')).rejects.toBe(wrong);
    expect(worker.postMessage).toHaveBeenCalledOnce();
    const ended = fakeThread();
    ended.worker.emit('exit', 0);
    await expect(ended.thread.ask('a')).rejects.toThrow('a thread ended before its work was done');
  });

  const codes = ['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND', 'ERR_INVALID_URL'];
  it.each(codes)('of which a bundle lacks the file says what to do: %s', async (code) => {
    const { worker, thread } = fakeThread();
    const cause = Object.assign(new Error('Cannot find module /app/worker.js'), { code });
    worker.emit('error', cause);
    const message = 'the bundle lacks the file that it runs: leave the package out of the bundle, as external';
    await expect(thread.ask('a')).rejects.toMatchObject({ message: `a thread cannot run: ${message}`, cause });
    const start = vi.fn().mockThrow(cause);
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

it('several threads are all ended if one cannot start', () => {
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

it.each<[differences: Record<string, number>, refusal?: string]>([
  [{}],
  // Lines were appended.
  [{ size: -1, mtimeMs: -1 }],
  [{ size: 1 }, 'has become shorter'],
  [{ dev: 1 }, 'was replaced'],
  [{ ino: 1 }, 'was replaced'],
  [{ ino: 1, size: -1 }, 'was replaced'],
  [{ mtimeMs: -1 }, 'was replaced'],
])('a thread knows whether a file is the one that was found: %j', (differences, refusal) => {
  const path = import.meta.filename;
  const file = openSync(path, 'r');
  const { dev, ino, size, mtimeMs } = fstatSync(file);
  const facts = Object.entries({ dev, ino, size, mtimeMs });
  const entries = facts.map(([name, is]) => [name, is + (differences[name] ?? 0)]);
  const check = () => requireFound(file, { path, found: Object.fromEntries(entries) });
  if (refusal) expect(check).toThrow(`${path} ${refusal} while it was read`);
  else check();
  closeSync(file);
});
