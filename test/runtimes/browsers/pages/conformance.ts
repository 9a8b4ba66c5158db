// The conformance program in a page, in both kinds of Worker, and in a service worker.

import { runAll } from '../../checks/index.ts';
import { ask, report } from './runner.ts';

// If the page falls silent, it has crashed.
setInterval(() => ask('alive'), 2000);
new Worker('/worker.js?realm=Worker', { type: 'module' });
new Worker('/worker-classic.js?realm=classic%20Worker');
const { serviceWorker } = navigator;
const registration = await serviceWorker.register('/worker-classic.js?realm=ServiceWorker');
await serviceWorker.ready;
registration.active?.postMessage('run');
await report('page', await runAll());
