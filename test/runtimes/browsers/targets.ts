// The browsers of the suite.

import type { Target } from '../target.ts';
import { launchChromium } from './chromium.ts';
import { launchChromium114 } from './chromium-114.ts';
import { launchFirefox } from './firefox.ts';
import { conformanceOnly, everyPage } from './pages.ts';
import { browserTarget } from './run.ts';
import { launchWebKit } from './webkit.ts';

const chromium = /Chrome\/([\d.]+)/;

export const browsers: readonly Target[] = [
  browserTarget({
    name: 'chromium',
    runtime: 'Chromium',
    launch: launchChromium,
    agent: chromium,
    pages: everyPage,
    live: 4200,
  }),
  browserTarget({
    name: 'chromium114',
    runtime: 'Chromium 114',
    launch: launchChromium114,
    agent: chromium,
    pages: conformanceOnly,
    live: 0,
  }),
  browserTarget({
    name: 'firefox',
    runtime: 'Firefox ESR',
    launch: launchFirefox,
    agent: /Firefox\/([\d.]+)/,
    pages: everyPage,
    live: 2000,
  }),
  browserTarget({
    name: 'webkit',
    runtime: 'WebKitGTK',
    launch: launchWebKit,
    agent: /^(?!.*Chrome).*AppleWebKit/,
    pages: everyPage,
    live: 2000,
  }),
];
