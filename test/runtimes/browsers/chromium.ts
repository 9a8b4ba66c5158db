import type { LaunchDriven } from './browser.ts';
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

/** 0 is dark. */
const DARK = '--blink-settings=preferredColorScheme=0';

export const launchChromium: LaunchDriven = ({ dark = false, downloads } = {}) =>
  launch({
    browser: 'chrome',
    executablePath: '/usr/bin/chromium',
    args: dark ? [...quiet, DARK] : quiet,
    ...(downloads !== undefined && { downloadBehavior: { policy: 'allow', downloadPath: downloads } }),
  });
