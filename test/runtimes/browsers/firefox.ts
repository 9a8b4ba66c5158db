import type { LaunchDriven } from './browser.ts';
import { launch } from './puppeteer.ts';

export const launchFirefox: LaunchDriven = ({ dark = false, downloads } = {}) =>
  launch({
    browser: 'firefox',
    executablePath: '/usr/bin/firefox-esr',
    args: [],
    extraPrefsFirefox: {
      // 0 is dark, 1 is light.
      'layout.css.prefers-color-scheme.content-override': dark ? 0 : 1,
      // 2 is the folder that is named. The panel that shows downloads would take the focus from the page.
      ...(downloads !== undefined && { 'browser.download.folderList': 2, 'browser.download.dir': downloads }),
      'browser.download.alwaysOpenPanel': false,
    },
  });
