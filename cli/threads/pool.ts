import { Worker } from 'node:worker_threads';

/** Settles the promise of an answer. */
interface Waiting<Answer> {
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** Another thread, which answers questions one after the other. */
export class Thread<Question, Answer> {
  readonly #worker: Worker;
  readonly #waiting: Waiting<Answer>[] = [];
  #failure: Error | undefined;

  constructor(task: object) {
    // Bundled beside whatever has this code.
    this.#worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: task });
    this.#worker
      .on('message', (answer: Answer) => this.#waiting.shift()?.resolve(answer))
      .on('error', (error) => this.#fail(error))
      .on('messageerror', (error) => this.#fail(error))
      .on('exit', () => this.#fail(new Error('a thread ended before its work was done')));
  }

  get questions(): number {
    return this.#waiting.length;
  }

  /** @param moved memory of the question that is moved to the thread, not copied */
  ask(question: Question, moved: readonly ArrayBuffer[] = []): Promise<Answer> {
    const { promise, ...waiting } = withResolvers<Answer>();
    if (this.#failure) waiting.reject(this.#failure);
    else this.#waiting.push(waiting);
    this.#worker.postMessage(question, moved);
    return promise;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }

  end(): void {
    this.#failure ??= new Error('the thread was ended');
    void this.#worker.terminate();
  }
}

/** Does what `Promise.withResolvers` does in later versions of Node. The promise may reject without being handled. */
function withResolvers<T>(): Waiting<T> & { readonly promise: Promise<T> } {
  let waiting: Waiting<T> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    waiting = { resolve, reject };
  });
  // The caller gets the error from the first question, and then no longer waits for the others.
  promise.catch(() => {});
  return { ...(waiting as Waiting<T>), promise };
}

/** Threads that all do the same task. They start when the first question is asked. */
export class Pool<Question, Answer> {
  readonly count: number;
  readonly #task: () => object;
  #started: readonly Thread<Question, Answer>[] | undefined;

  /** @param task makes what the threads get when they start: see `worker.ts` */
  constructor(count: number, task: () => object) {
    this.count = count;
    this.#task = task;
  }

  get #threads(): readonly Thread<Question, Answer>[] {
    if (this.#started === undefined) {
      const task = this.#task();
      this.#started = Array.from({ length: this.count }, () => new Thread<Question, Answer>(task));
    }
    return this.#started;
  }

  /** The thread that has the fewest questions. */
  idlest(): Thread<Question, Answer> {
    return this.#threads.reduce((best, each) => (each.questions < best.questions ? each : best));
  }

  /** The threads; none if no question has been asked before. */
  get started(): readonly Thread<Question, Answer>[] {
    return this.#started ?? [];
  }

  end(): void {
    for (const thread of this.started) thread.end();
  }
}
