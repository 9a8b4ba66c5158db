// The benchmark: a short run, and the link that carries its result.

import { holds, same } from '../../../test/runtimes/checks/assert.ts';
import type { SitePage } from '../page.ts';
import type { Checks } from '../world.ts';

/** Contenders, each with warm and with cold strings, in three charts. */
const BARS = 6 * 2 * 3;

/** Runs with fewer keys and rounds than the page offers. */
async function start(page: SitePage, keys: number, rounds: number): Promise<void> {
  await page.open('benchmark.html');
  await page.browser.evaluate(`
    for (const [id, value] of Object.entries({ keys: '${keys}', rounds: '${rounds}' })) {
      const select = document.getElementById(id);
      select.options[0].value = value;
      select.value = value;
    }`);
  await page.click('start');
}

async function figuresOf(page: SitePage): Promise<string[]> {
  const shown = `[...document.querySelectorAll('.measure .number')].map(({ textContent }) => textContent)`;
  const figures = await page.get<string[]>(shown);
  same(figures.length, BARS, 'bars');
  return figures;
}

export const inEach: Checks = {
  'benchmark: a short run ends with answers that were checked, and a link that restores them': async ({ page }) => {
    await start(page, 5000, 1);
    same(await page.textLike('progress-text', /^(?:Done|Failed)/), 'Done: all answers were right.', 'status');
    const answers = await page.text('answers');
    const counts = /batch ([\d,]+); bloomery, single ([\d,]+); bloomery, lines ([\d,]+); .*Set 0\.$/.exec(answers);
    holds(counts !== null && counts[1] === counts[2] && counts[2] === counts[3], answers);
    const figures = await figuresOf(page);
    const numbers = figures.map((text) => Number.parseFloat(text.replaceAll(',', '')));
    holds(Math.min(...numbers) > 0, figures.join(' '));
    const link = await page.get<string>('location.hash');
    // From another page: a link that differs in its fragment alone does not load the page.
    await page.open('offline.html');
    await page.open(`benchmark.html${link}`);
    same((await figuresOf(page)).join(' '), figures.join(' '), 'figures');
    await page.says({ origin: /^From a link/ });
    return `${link.length} characters in the link`;
  },
};

export const inChromium: Checks = {
  'benchmark: stored results are shown before anything is measured': async ({ page }) => {
    await page.open('benchmark.html');
    await figuresOf(page);
    await page.says({ machine: /^browser/, 'node-rows': /plain JS/ });
    holds(!/Mozilla/.test(await page.text('results')), 'the text by which a browser names itself is shown as it is');
  },

  'benchmark: can be canceled': async ({ page }) => {
    await start(page, 1_000_000, 5);
    await page.click('cancel');
    await page.says({ 'progress-text': 'Canceled.' });
    await page.gives('document.getElementById("start").disabled', false);
  },
};
