// The conformance program in a page, in both kinds of Worker, and in a service worker.

import { runAll } from '../../checks/index.ts';
import { report } from './runner.ts';

new Worker('/worker.js?realm=Worker', { type: 'module' });
new Worker('/worker-classic.js?realm=classic%20Worker');
const { serviceWorker } = navigator;
const registration = await serviceWorker.register('/worker-classic.js?realm=ServiceWorker');
await serviceWorker.ready;
const run = (): void => registration.active?.postMessage('run');
run();
// On a busy machine a browser may end a service worker before it has reported.
setInterval(run, 150_000);
await report('page', await runAll());
