// The first page: its lines of code answer, and its race finds all names.

import { holds } from '../../../test/runtimes/checks/assert.ts';
import type { Checks } from '../world.ts';

export const inChromium: Checks = {
  'first page: lines that are edited answer, and wrong ones say why': async ({ page }) => {
    await page.open();
    await page.enter('asked', "'grace'");
    await page.says({ answered: /^true: always/ });
    await page.enter('capacity', '0');
    await page.says({ made: /^capacity must be an integer/ });
    await page.click('crowd');
    const [, present = ''] = /, ([\d,]+) look present/.exec(await page.textLike('others', /[\d,]{5} look/)) ?? [];
    holds(Number(present.replace(',', '')) > 2500, `${present} look present`);
  },

  'first page: a command and the lines are copied, and the button says so': async ({ browser, page }) => {
    await page.open();
    await browser.evaluate('navigator.clipboard.writeText = async (text) => { window.copied = text; };');
    await page.clickOn('[data-copy]');
    await page.says({ copied: 'Copied' });
    await page.gives('window.copied', 'npm ci && npm pack');
    await page.gives('document.querySelector("[data-copy]").textContent', 'Copied');
    await browser.evaluate('navigator.clipboard.writeText = async () => { throw new Error("no"); };');
    await page.click('copy-lines');
    await page.says({ 'copy-lines': 'Not allowed', copied: 'Not allowed' });
    await page.says({ 'copy-lines': 'Copy the lines', copied: '' });
  },

  'first page: the race can be stopped, adds and finds names': async ({ browser, page }) => {
    await page.open();
    await page.click('race');
    await page.says({ race: 'Stop' });
    await page.click('race');
    await page.says({ 'race-said': 'Stopped.' });
    await browser.evaluate('document.getElementById("race").dataset.names = "200000"');
    await page.click('race');
    const said = await page.textLike('race-said', /^Done/);
    await page.says({ 'filter-missed': '0', 'set-missed': '0', 'set-wrong': '0', 'filter-wrong': /^(?:0\.9|1)/ });
    return said;
  },
};
