import type { Launch } from './browser.ts';
import { launch } from './puppeteer.ts';

/** What a browser does by itself would disturb measurements. */
export const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const launchChromium: Launch = () =>
  launch({ browser: 'chrome', executablePath: '/usr/bin/chromium', args: quiet });
