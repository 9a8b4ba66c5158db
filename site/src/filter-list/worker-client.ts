// The page's side of the Worker.

import type { Job, Reply, Request } from './job.ts';

/** How long a cancel may take before the Worker is ended. */
const CANCEL_MS = 500;

/** Runs jobs, one at a time. */
export class Session {
  readonly #onReply: (reply: Reply) => void;
  #worker: Worker | undefined;
  #ending: ReturnType<typeof setTimeout> | undefined;

  constructor(onReply: (reply: Reply) => void) {
    this.#onReply = onReply;
  }

  run(job: Job): void {
    this.#send({ type: 'run', job });
  }

  /** Asks for the last filter. */
  save(): void {
    this.#send({ type: 'save' });
  }

  /** Cancels the job. The Worker gets a short time to close its file, then it is ended. */
  cancel(): void {
    this.#send({ type: 'cancel' });
    clearTimeout(this.#ending);
    this.#ending = setTimeout(() => {
      this.#worker?.terminate();
      this.#worker = undefined;
      this.#onReply({ type: 'canceled' });
    }, CANCEL_MS);
  }

  #send(request: Request): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(request);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./filter.worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      if (data.type !== 'progress' && data.type !== 'preview') clearTimeout(this.#ending);
      this.#onReply(data);
    };
    worker.onerror = ({ message }) => {
      this.#onReply({ type: 'failed', message: message || 'A script of this page did not load.', source: undefined });
    };
    return worker;
  }
}
