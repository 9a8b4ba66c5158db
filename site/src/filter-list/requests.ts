// Handles requests in the Worker: runs jobs, and keeps the last filter, so that it can be saved.

import { chooseEngine, type Engine } from '../engine.ts';
import { explained, InputError } from './input-error.ts';
import type { Job, Progress, Reply, Request } from './job.ts';
import { runJob } from './run.ts';
import type { AnyFilter } from './saved-filter.ts';

/** The least time between two messages about progress. */
const PROGRESS_MS = 50;

const reply = (message: Reply): void => postMessage(message);

let engine: Promise<Engine> | undefined;
let filter: AnyFilter | undefined;
let running: AbortController | undefined;

/** Passes on progress, at most twenty times a second, and always its last state. */
function progressReporter(): (progress: Progress) => void {
  let last = -Infinity;
  return (progress) => {
    const now = performance.now();
    if (now < last + PROGRESS_MS && progress.bytes < progress.totalBytes) return;
    last = now;
    reply({ type: 'progress', progress });
  };
}

async function run(job: Job): Promise<void> {
  running = new AbortController();
  const { signal } = running;
  engine ??= chooseEngine();
  filter?.dispose();
  filter = undefined;
  try {
    const done = await runJob(await engine, job, {
      signal,
      onProgress: progressReporter(),
      onPreview: (lines) => reply({ type: 'preview', lines }),
    });
    filter = done.filter;
    reply({ type: 'result', result: done.result });
  } catch (error) {
    if (!signal.aborted) throw error;
    reply({ type: 'canceled' });
  }
}

function save(): void {
  if (filter === undefined) throw new InputError('There is no filter to save.');
  const parts = Array.from(filter.toChunks(), (chunk) => new Blob([chunk]));
  reply({ type: 'saved', blob: new Blob(parts) });
}

/** Handles a request. Errors are sent to the page as a reply. */
export async function take(request: Request): Promise<void> {
  try {
    if (request.type === 'cancel') running?.abort();
    else if (request.type === 'save') save();
    else await run(request.job);
  } catch (error) {
    const { message, source } = explained(error) as InputError;
    reply({ type: 'failed', message, source });
  }
}
