// The whole way with the keyboard alone.

import { holds, same } from '../../../test/runtimes/checks/assert.ts';
import type { Check } from '../../../test/runtimes/checks/check.ts';
import { FilterPage } from '../filter-page.ts';
import type { World } from '../world.ts';

export function keyboard({ browser, server }: World): Check[] {
  return [
    [
      'keyboard only: lines are typed, filtered and downloaded',
      async () => {
        const page = new FilterPage(browser, server.url);
        await page.open();
        await browser.press('Tab');
        holds(
          await browser.evaluate<boolean>('return document.activeElement.classList.contains("skip")'),
          'the first thing to reach is not the link that skips the header',
        );
        await browser.press('Enter');
        await page.tabTo('sample');
        await page.tabTo('text-paste');
        await browser.type('ada');
        await browser.press('Enter');
        await browser.type('bob');
        await page.tabTo('list-paste');
        await browser.type('ada');
        await browser.press('Tab');
        await browser.press('ArrowDown');
        await page.tabTo('start');
        const outline = await browser.evaluate<string>('return getComputedStyle(document.activeElement).outlineStyle');
        holds(outline !== 'none', 'the focus is not visible');
        await browser.press('Enter');
        same(await page.end(), 'Done: 1 of 2 lines.', 'status');
        same(await page.text('kept-name'), 'lines left', 'name');
        same(await browser.evaluate<string>('return document.activeElement.id'), 'download', 'focus after the run');
        same((await page.text('preview')).trim(), 'bob', 'preview');
        await browser.press(' ');
        same(
          await page.until<string>('a download', 'return window.blobs.length > 0 && window.blobs[0].text()'),
          'bob',
          'download',
        );
      },
    ],
  ];
}
