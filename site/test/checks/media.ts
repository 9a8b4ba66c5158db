// Pages on paper, and in the few colors of a reader: in the browser that can be asked for both.

import { holds, same } from '../../../test/runtimes/checks/assert.ts';
import type { Check } from '../../../test/runtimes/checks/check.ts';
import { SitePage } from '../page.ts';
import type { World } from '../world.ts';
import { overflow } from './looks.ts';

/** The width of A4 paper in CSS pixels. */
const PAPER = 794;
const PRINTED = ['index.html', 'calculator.html', 'docs/kinds.html'] as const;

export function media({ browser, server }: World): Check[] {
  const { emulate } = browser;
  if (emulate === undefined) return [];
  const page = new SitePage(browser, server.url);
  const emulated =
    (kind: 'print' | 'forced colors', run: () => Promise<void>): (() => Promise<void>) =>
    async () => {
      await emulate(kind);
      try {
        await run();
      } finally {
        await emulate('none');
      }
    };
  return [
    ...PRINTED.map(
      (file): Check => [
        `${file}, printed: fits on paper, without what can only be pressed`,
        emulated('print', async () => {
          await browser.resize(PAPER, 1000);
          await page.open(file);
          same(await overflow(page), 0, 'overflow');
          const wider = await browser.evaluate<string[]>(`
            return [...document.querySelectorAll('table, pre')]
              .filter((each) => each.getBoundingClientRect().right > ${PAPER} || each.scrollWidth > each.clientWidth)
              .map((each) => each.textContent.slice(0, 60));`);
          same(wider.join('\n'), '', 'tables and code that are cut');
          const shown = await browser.evaluate<string[]>(`
            return ['.site-header nav', '.buttons', '.docs-side', '#offline'].filter((selector) =>
              [...document.querySelectorAll(selector)].some((each) => each.getClientRects().length > 0));`);
          same(shown.join(' '), '', 'what is shown of the parts for the screen');
        }),
      ],
    ),
    [
      'forced colors: the current page and the choice have borders of their own',
      emulated('forced colors', async () => {
        await page.open('list.html');
        const border = (selector: string): Promise<string> =>
          browser.evaluate(`
            const { borderBlockEndColor, outlineStyle } = getComputedStyle(document.querySelector('${selector}'));
            return borderBlockEndColor + ' ' + outlineStyle;`);
        const [current, other] = [await border('nav [aria-current]'), await border('nav a:not([aria-current])')];
        holds(current !== other, `${current}, as other pages`);
        const [chosen, left] = [await border('label:has(:checked)'), await border('label:has([value=drop])')];
        holds(chosen !== left, `${chosen}, as other choices`);
      }),
    ],
  ];
}
