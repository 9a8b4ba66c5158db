// The browsers that benchmarks can drive, by the names of their options.

import type { LaunchDriven } from '../../test/runtimes/browsers/browser.ts';
import { launchChromium } from '../../test/runtimes/browsers/chromium.ts';
import { launchFirefox } from '../../test/runtimes/browsers/firefox.ts';
import { launchWebKit } from '../../test/runtimes/browsers/webkit.ts';

export const launchers: Readonly<Record<string, LaunchDriven>> = {
  chromium: launchChromium,
  firefox: launchFirefox,
  webkit: launchWebKit,
};
