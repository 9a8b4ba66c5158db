// The page's side of the Worker.

import type { Reply, Request } from './job.ts';
import { UNLOADED } from './wording.ts';

/** How long a cancel may take before the Worker is ended. */
const CANCEL_MS = 500;

/** Sends requests to a Worker, which starts with the first and runs one job at a time. */
export function openSession(onReply: (reply: Reply) => void) {
  let worker: Worker | undefined;
  let ending: ReturnType<typeof setTimeout> | undefined;

  /** Ends the Worker: the next request starts another one. */
  function end(reply: Reply): void {
    clearTimeout(ending);
    worker?.terminate();
    worker = undefined;
    onReply(reply);
  }

  function start(): Worker {
    const started = new Worker(new URL('./filter.worker.ts', import.meta.url), { type: 'module' });
    started.onmessage = ({ data }: MessageEvent<Reply>) => {
      // A script that did not load is not asked for again by the same Worker. It has no filter to save.
      if (data.type === 'failed') return end(data);
      if (data.type !== 'progress' && data.type !== 'preview') clearTimeout(ending);
      onReply(data);
    };
    started.onerror = ({ message }) => {
      // The script of a Worker that was ended meanwhile may still fail to load.
      if (worker === started) end({ type: 'failed', message: message || UNLOADED, source: undefined });
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
    ending = setTimeout(() => end({ type: 'canceled' }), CANCEL_MS);
  }

  return { send, cancel };
}
