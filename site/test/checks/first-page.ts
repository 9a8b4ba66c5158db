// The first page: its lines of code answer, and its race finds all names.

import { holds, same } from '../../../test/runtimes/checks/assert.ts';
import type { Check } from '../../../test/runtimes/checks/check.ts';
import { SitePage } from '../page.ts';
import { serveSite } from '../server.ts';
import type { World } from '../world.ts';

/** Types into a field what a reader would. */
function enter({ browser }: SitePage, id: string, value: string): Promise<void> {
  return browser.evaluate(`
    const field = document.getElementById(${JSON.stringify(id)});
    field.value = ${JSON.stringify(value)};
    field.dispatchEvent(new Event('input', { bubbles: true }));`);
}

export function firstPage({ browser, server }: World): Check[] {
  const page = new SitePage(browser, server.url);
  return [
    [
      'first page: lines that are edited answer, and wrong ones say why',
      async () => {
        await page.open();
        await enter(page, 'asked', "'grace'");
        await page.textLike('answered', /^true: always/);
        await enter(page, 'capacity', '0');
        await page.textLike('made', /^capacity must be an integer/);
        await page.click('crowd');
        const [, present = ''] = /, ([\d,]+) look present/.exec(await page.textLike('others', /[\d,]{5} look/)) ?? [];
        holds(Number(present.replace(',', '')) > 2500, `${present} look present`);
      },
    ],
    [
      'first page: the race can be stopped, adds and finds names',
      async () => {
        await page.open();
        await page.click('race');
        same(await page.text('race'), 'Stop', 'button while it runs');
        await page.click('race');
        same(await page.text('race-said'), 'Stopped.', 'status');
        await browser.evaluate('document.getElementById("race").dataset.names = "200000"');
        await page.click('race');
        const said = await page.textLike('race-said', /^Done/);
        same(await page.text('filter-missed'), '0', 'missed by the filter');
        same(await page.text('set-missed'), '0', 'missed by the Set');
        same(await page.text('set-wrong'), '0', 'wrong in the Set');
        const wrong = await page.text('filter-wrong');
        holds(/^(?:0\.9|1)/.test(wrong), `wrong in the filter: ${wrong}`);
        return said;
      },
    ],
    [
      "first page, script-src 'self': the JavaScript engine runs the lines",
      async () => {
        const own = await serveSite("script-src 'self'");
        try {
          const strict = new SitePage(browser, own.url);
          await strict.open();
          await enter(strict, 'asked', "'grace'");
          await strict.textLike('answered', /^true: always/);
        } finally {
          own.close();
        }
      },
    ],
  ];
}
