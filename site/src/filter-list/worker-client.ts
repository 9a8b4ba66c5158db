// The page's side of the Worker.

import type { Reply, Request } from './job.ts';

/** How long a cancel may take before the Worker is ended. */
const CANCEL_MS = 500;

/** Sends requests to a Worker, which starts with the first and runs one job at a time. */
export function openSession(onReply: (reply: Reply) => void) {
  let worker: Worker | undefined;
  let ending: ReturnType<typeof setTimeout> | undefined;

  function start(): Worker {
    const started = new Worker(new URL('./filter.worker.ts', import.meta.url), { type: 'module' });
    started.onmessage = ({ data }: MessageEvent<Reply>) => {
      if (data.type !== 'progress' && data.type !== 'preview') clearTimeout(ending);
      onReply(data);
    };
    started.onerror = ({ message }) => {
      onReply({ type: 'failed', message: message || 'A script of this page did not load.', source: undefined });
    };
    return started;
  }

  function send(request: Request): void {
    worker ??= start();
    worker.postMessage(request);
  }

  /** Cancels the job. The Worker gets a short time to close its file, then it is ended. */
  function cancel(): void {
    send({ type: 'cancel' });
    clearTimeout(ending);
    ending = setTimeout(() => {
      worker?.terminate();
      worker = undefined;
      onReply({ type: 'canceled' });
    }, CANCEL_MS);
  }

  return { send, cancel };
}
