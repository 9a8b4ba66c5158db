// The conformance program in a page, in both kinds of Worker, and in a service worker: in two realms at a time. All four
// together take more than 3 GB in WebKitGTK, which then collects garbage at every allocation.

import { runAll } from '../../checks/index.ts';
import { ask, report } from './runner.ts';

/** Resolves when the Worker has reported, or has failed, and was ended. */
function ended(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      worker.terminate();
      resolve();
    };
    worker.onmessage = end;
    worker.onerror = end;
  });
}

// If the page falls silent, it has crashed.
setInterval(() => ask('alive'), 2000);
await Promise.all([
  ended(new Worker('/worker.js?realm=Worker', { type: 'module' })),
  ended(new Worker('/worker-classic.js?realm=classic%20Worker')),
]);
const { serviceWorker } = navigator;
const registration = await serviceWorker.register('/worker-classic.js?realm=ServiceWorker');
await serviceWorker.ready;
const run = (): void => registration.active?.postMessage('run');
run();
// On a busy machine a browser may end a service worker before it has reported.
setInterval(run, 150_000);
await report('page', await runAll());
