import { Worker } from 'node:worker_threads';
import { startThreads, WorkerThread } from '../../src/node/parallel/thread.ts';

export type { WorkerThread };

/** Threads that all do the same task. They start when the first question is asked. */
export class Pool<Question, Answer> {
  readonly count: number;
  readonly #task: () => object;
  #started: readonly WorkerThread<Question, Answer>[] | undefined;

  /** @param task makes what the threads get when they start: see `worker.ts` */
  constructor(count: number, task: () => object) {
    this.count = count;
    this.#task = task;
  }

  get #threads(): readonly WorkerThread<Question, Answer>[] {
    if (this.#started === undefined) {
      const workerData = this.#task();
      // Bundled beside whatever has this code.
      const start = (): Worker => new Worker(new URL('./worker.js', import.meta.url), { workerData });
      this.#started = startThreads(this.count, () => new WorkerThread(start()));
    }
    return this.#started;
  }

  /** The thread that has the fewest questions. */
  idlest(): WorkerThread<Question, Answer> {
    return this.#threads.reduce((best, each) => (each.questions < best.questions ? each : best));
  }

  /** The threads; none if no question has been asked before. */
  get started(): readonly WorkerThread<Question, Answer>[] {
    return this.#started ?? [];
  }

  end(): void {
    for (const thread of this.started) void thread.end();
  }
}
