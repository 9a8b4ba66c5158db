// Pages on paper, and in the few colors of a reader: in the browser that can be asked for both.

import { holds, same } from '../../../test/runtimes/checks/assert.ts';
import type { Checks, World } from '../world.ts';

/** The width of A4 paper in CSS pixels. */
const PAPER = 794;

/** Runs a check of pages that are shown so. */
function emulated(kind: 'print' | 'forced colors', run: (world: World) => Promise<void>) {
  return async (world: World): Promise<void> => {
    await world.browser.emulate?.(kind);
    await run(world).finally(() => world.browser.emulate?.('none'));
  };
}

export const inChromium: Checks = {
  'printed pages fit on paper, without what can only be pressed': emulated('print', async ({ page, browser }) => {
    await browser.resize(PAPER, 1000);
    for (const file of ['index.html', 'calculator.html', 'docs/kinds.html']) {
      await page.open(file);
      const cut = await browser.evaluate<string[]>(`
        return [...document.querySelectorAll('table, pre, html')]
          .filter((each) => each.getBoundingClientRect().right > ${PAPER} || each.scrollWidth > each.clientWidth)
          .map((each) => each.textContent.slice(0, 60));`);
      same(cut.join('\n'), '', `${file}: what is cut`);
      const shown = await browser.evaluate<string[]>(`
        return ['.site-header nav', '.site-search', '.menu', '.buttons', '.docs-side', '#offline'].filter((selector) =>
          [...document.querySelectorAll(selector)].some((each) => each.getClientRects().length > 0));`);
      same(shown.join(' '), '', `${file}: what is shown of the parts for the screen`);
    }
  }),

  'in forced colors, the current page and the choice have borders of their own': emulated(
    'forced colors',
    async ({ page }) => {
      await page.open('list.html');
      const border = (selector: string): Promise<string> =>
        page.browser.evaluate(`
          const { borderBlockEndColor, outlineStyle } = getComputedStyle(document.querySelector('${selector}'));
          return borderBlockEndColor + ' ' + outlineStyle;`);
      for (const [one, other] of [
        ['nav [aria-current]', 'nav a:not([aria-current])'],
        ['.choices label:has(:checked)', '.choices label:not(:has(:checked))'],
      ] as const) {
        const found = await border(one);
        holds(found !== (await border(other)), `${one} has ${found}, as ${other}`);
      }
    },
  ),
};
