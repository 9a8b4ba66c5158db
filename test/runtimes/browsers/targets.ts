// The browsers of the suite, and the pages that they open.

import type { Target } from '../expected.ts';
import { launchChromium } from './chromium.ts';
import { launchChromium114 } from './chromium-114.ts';
import { launchFirefox } from './firefox.ts';
import { browserTarget, type Page } from './run.ts';
import { launchWebKit } from './webkit.ts';

const conformance: Page = {
  path: 'conformance.html',
  realms: ['page', 'Worker', 'classic Worker', 'ServiceWorker'],
  smallHeap: true,
};

/** Each list is opened page by page in a browser of its own: what uses much memory begins with a fresh one. */
const everyPage: readonly (readonly Page[])[] = [
  [
    conformance,
    { path: 'csp.html?csp=strict', realms: ['page', 'Worker'], checks: 3 },
    { path: 'csp.html?csp=wasm', realms: ['page', 'Worker'], checks: 2 },
    { path: 'threads.html?isolated', checks: 2 },
    { path: 'threads.html', checks: 1 },
    { path: 'one-file.html', checks: 2 },
    { path: 'one-file.html', checks: 1, fromDisk: true },
  ],
  [{ path: 'large-list.html', checks: 1 }],
  [{ path: 'dropped.html', checks: 3 }],
];

const chromium = /Chrome\/([\d.]+)/;

export const browsers: Readonly<Record<string, Target>> = {
  chromium: browserTarget(launchChromium, chromium, everyPage),
  // Only its limits matter.
  chromium114: browserTarget(launchChromium114, chromium, [[conformance]]),
  firefox: browserTarget(launchFirefox, /Firefox\/([\d.]+)/, everyPage),
  webkit: browserTarget(launchWebKit, /^(?!.*Chrome).*AppleWebKit/, everyPage),
};
