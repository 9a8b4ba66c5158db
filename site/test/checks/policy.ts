// Under a Content-Security-Policy that refuses WebAssembly.

import { same } from '../../../test/runtimes/checks/assert.ts';
import { FilterPage } from '../filter-page.ts';
import { serveSite } from '../server.ts';
import type { Checks } from '../world.ts';
import { NamesPage } from './names.ts';

export const inEach: Checks = {
  "script-src 'self': the JavaScript engine gives the same lines, and pages say so": async ({
    browser,
    path,
    exact,
  }) => {
    const server = await serveSite("script-src 'self'");
    try {
      const names = new NamesPage(browser, server.url);
      await names.open();
      await names.enter('asked', "'grace'");
      await names.says({ answered: /^true: always/ });
      await names.load();
      await names.says({ engine: 'WebAssembly is refused here, so it runs in plain JavaScript.' });
      same(await names.ask('express'), 'Probably taken', 'answer');
      const page = new FilterPage(browser, server.url);
      await page.describe({ mode: 'drop', text: path('text.txt'), list: path('list.txt'), errorRate: 0 });
      await page.start();
      const engine =
        'WebAssembly is refused here, so it ran in plain JavaScript, which is slower. The result is the same.';
      await page.says({ engine });
      same(await page.digestOf('download'), exact.left, 'SHA-256');
    } finally {
      server.close();
    }
  },
};
