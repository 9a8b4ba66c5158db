// Threads that add parts of a text to filters.

import { Worker } from 'node:worker_threads';
import { BlockedBloomFilter, BloomFilter, CountingBloomFilter } from '../../kinds/wasm.ts';
import { WideBlockedBloomFilter } from '../../kinds/wide/wasm.ts';
import type { SharedHandle } from '../../threads/shared-filter.ts';
import { untilAborted } from '../../util/until-aborted.ts';
import type { Part } from './parts.ts';
import { startThreads, WorkerThread } from './thread.ts';

/** The classes whose filters are bit for bit the same, in whatever order their keys come. */
export const classes = [BloomFilter, BlockedBloomFilter, CountingBloomFilter, WideBlockedBloomFilter] as const;

/** The names of their kinds. */
export type ParallelKind = InstanceType<(typeof classes)[number]>['kind'];

/** What the keys of a text go into. */
export type Target =
  | { readonly handle: SharedHandle }
  | { readonly kind: ParallelKind; readonly capacity: number; readonly errorRate: number; readonly seed: number };

/** What a thread is for. Without a target, it counts lines. */
export interface Task {
  readonly crlf: boolean;
  readonly target: Target | undefined;
}

/** A part of the text, or `end`, which asks for the filter. */
export type Question = Part | 'end';

export interface Answer {
  readonly bytes: number;
  /** The number of lines, if there is no target. */
  readonly lines: number;
  /** The saved filter, in the end, if the thread has one of its own. */
  readonly file?: Uint8Array<ArrayBuffer>;
}

/** What the program's options load would be loaded in each thread too, and is not needed there. */
function start(task: Task): WorkerThread<Question, Answer> {
  return new WorkerThread(new Worker(new URL('./worker.js', import.meta.url), { workerData: task, execArgv: [] }));
}

/**
 * Lets threads work on all parts of a text, each on the next one when it has done the last.
 *
 * @param onAnswer called for each part that has been read
 * @returns the saved filters of the threads that have filters of their own
 */
export async function inThreads(
  count: number,
  task: Task,
  parts: AsyncGenerator<Part, void, undefined>,
  onAnswer: (answer: Answer) => void,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>[]> {
  signal?.throwIfAborted();
  const threads = startThreads(count, () => start(task));
  let isOver = false;
  const take = (): ReturnType<typeof parts.next> => {
    const next = parts.next();
    // It is awaited when the thread has done the part before, or never, if the thread fails.
    next.catch(() => {});
    return next;
  };
  const work = async (thread: WorkerThread<Question, Answer>): Promise<Answer> => {
    // One part is always ready, so that the thread need not wait for it.
    for (let next = take(); ; ) {
      const { value, done } = await next;
      if (done) return thread.ask('end');
      next = take();
      const answer = await thread.ask(value);
      if (isOver) return answer;
      onAnswer(answer);
    }
  };
  try {
    const answers = await untilAborted(Promise.all(threads.map(work)), signal);
    return answers.flatMap(({ file }) => (file ? [file] : []));
  } finally {
    isOver = true;
    await Promise.all(threads.map((thread) => thread.end()));
    await parts.return();
  }
}
