// The Worker that measures. Its code is in a module that it imports, for the reason that filter.worker.ts gives.

import type { Plan, Report } from './run.ts';

declare const self: DedicatedWorkerGlobalScope;

const measuring = import('./measure.ts');
const report = (message: Report): void => self.postMessage(message);

self.addEventListener('message', async ({ data }: MessageEvent<Plan>) => {
  try {
    const { measure } = await measuring;
    report({ type: 'result', result: await measure(data, report) });
  } catch (error) {
    report({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
});
