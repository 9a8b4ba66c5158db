// After a visit, the site works without its server.

import { holds, same } from '../../../test/runtimes/checks/assert.ts';
import type { Check } from '../../../test/runtimes/checks/check.ts';
import { FilterPage } from '../filter-page.ts';
import { SitePage } from '../page.ts';
import { serveSite } from '../server.ts';
import type { World } from '../world.ts';

export function offline({ browser, wrong }: World): Check[] {
  return [
    [
      'offline after one visit: pages open, and lists are filtered',
      async () => {
        const server = await serveSite();
        const page = new FilterPage(browser, server.url);
        try {
          await page.open();
          await page.textLike('offline', /Kept for offline use/);
        } finally {
          server.close();
        }
        await new SitePage(browser, server.url).open('calculator.html');
        const missing = new SitePage(browser, server.url);
        await missing.open('docs/api/bloomery.html');
        same(
          await missing.textLike('missing', /again/),
          'Try docs/api/bloomery.html again.',
          'a page that is not kept',
        );
        holds(
          (await browser.evaluate<string>('return location.href')).startsWith(`${server.url}offline.html#`),
          'address of the page for missing ones',
        );
        await page.open();
        await page.choose('once', 0.01);
        await page.upload('text-file', wrong['some.txt'] as string);
        same(await page.start(), 'Done: 2 of 2 lines.', 'status');
      },
    ],
  ];
}
