import type { Launch } from './browser.ts';
import { launch } from './puppeteer.ts';

export const launchFirefox: Launch = () =>
  launch({ browser: 'firefox', executablePath: '/usr/bin/firefox-esr', args: [] });
