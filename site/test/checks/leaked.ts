// The page that tells whether a password was leaked.

import { holds, same } from '../../../test/runtimes/checks/assert.ts';
import type { Check } from '../../../test/runtimes/checks/check.ts';
import { SitePage } from '../page.ts';
import { serveSite } from '../server.ts';
import type { World } from '../world.ts';

class LeakedPage extends SitePage {
  /** Types a password, presses Enter, and waits for the answer. */
  async ask(password: string): Promise<string> {
    await this.browser.evaluate(`document.getElementById('password').value = ''`);
    await this.browser.type(password);
    await this.browser.press('Enter');
    return this.textLike('answer', /./);
  }
}

export function leaked({ browser }: World): Check[] {
  return [
    [
      'leaked: an answer reads one page of the list, the same password nothing, and an error can be tried again',
      async () => {
        const own = await serveSite();
        const page = new LeakedPage(browser, own.url);
        try {
          await page.open('leaked.html');
          await page.tabTo('password');
          same(await page.ask('dragon'), 'Probably leaked', 'answer');
          same(await page.ask('not-in-any-list 1'), 'Not in the list', 'answer');
          const cost = await page.text('cost');
          holds(/with 1 request for 4\.1 kB/.test(cost), cost);
          same(await page.text('pages'), '3 of 516', 'pages');
          same(await page.ask('dragon'), 'Probably leaked', 'answer');
          const again = await page.text('cost');
          holds(/from a part of the file that was read before/.test(again), again);
        } finally {
          own.close();
        }
        await browser.evaluate(`document.getElementById('password').value = ''`);
        await browser.type('not-in-any-list 2');
        await browser.press('Enter');
        await page.textLike('explanation', /^The list cannot be read: .* cannot be read/);
        same(await page.ask('dragon'), 'Probably leaked', 'answer of the cache');
      },
    ],
  ];
}
