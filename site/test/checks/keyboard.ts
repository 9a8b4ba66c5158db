// The whole way with the keyboard alone.

import { holds, same } from '../../../test/runtimes/checks/assert.ts';
import type { Checks } from '../world.ts';

export const inEach: Checks = {
  'keyboard only: lines are typed, filtered and downloaded': async ({ browser, filterPage }) => {
    await filterPage.open();
    await browser.press('Tab');
    // The first thing to reach is the link that skips the header.
    await filterPage.gives('document.activeElement.classList.contains("skip")', true);
    await browser.press('Enter');
    await filterPage.tabTo('sample');
    await filterPage.tabTo('text-paste');
    await browser.type('ada');
    await browser.press('Enter');
    await browser.type('bob');
    await filterPage.says({ 'text-status': '2 pasted lines' });
    await filterPage.tabTo('list-paste');
    await browser.type('ada');
    await browser.press('Tab');
    await browser.press('ArrowDown');
    await filterPage.tabTo('start');
    const outline = await filterPage.get('getComputedStyle(document.activeElement).outlineStyle');
    holds(outline !== 'none', 'the focus is not visible');
    await browser.press('Enter');
    same(await filterPage.end(), 'Done: 1 of 2 lines.', 'status');
    await filterPage.says({ 'kept-name': 'lines left', preview: 'bob' });
    await filterPage.gives('document.activeElement.id', 'download');
    await browser.press(' ');
    const saved = await filterPage.until<string>(
      'a download',
      'return window.blobs.length > 0 && window.blobs[0].text()',
    );
    same(saved, 'bob', 'download');
  },
};
