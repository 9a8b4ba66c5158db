import type { Worker } from 'node:worker_threads';

/** The most threads that anything starts. */
export const MOST_THREADS = 64;

const BUNDLED = 'the bundle lacks the file that it runs: leave the package out of the bundle, as external';

/** Explains the errors of bundles: threads run files of their own, beside the code that starts them. */
function explained(error: unknown): unknown {
  const { code = '' } = error as { readonly code?: string };
  const isBundled = ['ERR_INVALID_URL', 'MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND'].includes(code);
  return isBundled ? new Error(`a thread cannot run: ${BUNDLED}`, { cause: error }) : error;
}

/** Settles the promise of an answer. */
interface Waiting<Answer> {
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Another thread, which answers questions one after the other. Its first message says that it has loaded its modules,
 * and each later one is an answer.
 */
export class WorkerThread<Question, Answer> {
  readonly #worker: Worker;
  /** Resolved when the thread has loaded its modules, or has ended. */
  readonly #loaded: Promise<void>;
  readonly #waiting: Waiting<Answer>[] = [];
  #failure: unknown;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker
      .on('error', (error) => this.#fail(error))
      .on('messageerror', (error) => this.#fail(error))
      .on('exit', () => this.#fail(new Error('a thread ended before its work was done')));
    this.#loaded = new Promise((resolve) => {
      worker.once('exit', resolve).once('message', () => {
        resolve();
        worker.on('message', (answer: Answer) => this.#waiting.shift()?.resolve(answer));
      });
    });
  }

  /** The number of questions without an answer. */
  get questions(): number {
    return this.#waiting.length;
  }

  /** @param moved memory of the question that is moved to the thread, not copied */
  ask(question: Question, moved: readonly ArrayBuffer[] = []): Promise<Answer> {
    const answer = new Promise<Answer>((resolve, reject) => {
      if (this.#failure) reject(this.#failure);
      else this.#waiting.push({ resolve, reject });
    });
    // Who gets the error from the first question may no longer wait for the others.
    answer.catch(() => {});
    if (!this.#failure) this.#worker.postMessage(question, moved);
    return answer;
  }

  #fail(error: unknown): void {
    this.#failure ??= explained(error);
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }

  /** Ends the thread, but not while it loads modules: Node would leave their files open. */
  async end(): Promise<void> {
    await this.#loaded;
    await this.#worker.terminate();
  }
}

/**
 * Starts several threads. If the system refuses one of them, those before are ended.
 *
 * @param start starts a thread
 */
export function startThreads<T extends { end(): Promise<void> }>(count: number, start: () => T): T[] {
  const threads: T[] = [];
  try {
    while (threads.length < count) threads.push(start());
    return threads;
  } catch (cause) {
    for (const thread of threads) void thread.end();
    const { message } = explained(cause) as Error;
    throw new Error(`thread ${threads.length + 1} of ${count} could not be started: ${message}`, { cause });
  }
}
