// Threads that add parts of a text to filters.

import { Worker } from 'node:worker_threads';
import { WideBlockedBloomFilter } from '../entries/wide.ts';
import { BlockedBloomFilter, BloomFilter, CountingBloomFilter } from '../index.ts';
import type { SharedHandle } from '../shared.ts';
import { untilAborted } from '../until-aborted.ts';
import type { Part } from './parts.ts';

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

/** Settles the promise of the only question that is open. */
interface Waiting {
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

class Thread {
  readonly #worker: Worker;
  /** Resolved when the thread has loaded its modules, or has ended. */
  readonly #loaded: Promise<void>;
  #waiting: Waiting | undefined;
  #failure: unknown;

  constructor(task: Task) {
    // What the program's options load would be loaded in each thread too, and is not needed there.
    this.#worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: task, execArgv: [] });
    this.#worker
      .on('error', (error) => this.#fail(error))
      .on('messageerror', (error) => this.#fail(error))
      .on('exit', () => this.#fail(new Error('a thread ended before its work was done')));
    this.#loaded = new Promise((resolve) => {
      // The first message says so. Later ones are answers.
      this.#worker.once('exit', resolve).once('message', () => {
        resolve();
        this.#worker.on('message', (answer: Answer) => this.#waiting?.resolve(answer));
      });
    });
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#waiting?.reject(this.#failure);
  }

  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.#failure) reject(this.#failure);
      else this.#worker.postMessage(question);
    });
  }

  /** Ends the thread, but not while it loads modules: Node would leave their files open. */
  async end(): Promise<void> {
    await this.#loaded;
    await this.#worker.terminate();
  }
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
  const threads = Array.from({ length: count }, () => new Thread(task));
  let isOver = false;
  const take = (): ReturnType<typeof parts.next> => {
    const next = parts.next();
    // It is awaited when the thread has done the part before, or never, if the thread fails.
    next.catch(() => {});
    return next;
  };
  const work = async (thread: Thread): Promise<Answer> => {
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
