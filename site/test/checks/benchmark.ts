// The benchmark: a short run, and the link that carries its result.

import { holds, same } from '../../../test/runtimes/checks/assert.ts';
import type { Check } from '../../../test/runtimes/checks/check.ts';
import { SitePage } from '../page.ts';
import type { World } from '../world.ts';
import { expectAccessible, overflow, WIDTHS } from './looks.ts';

const HEIGHT = 900;
/** Contenders, each with warm and with cold strings, in three charts. */
const BARS = 6 * 2 * 3;

class BenchmarkPage extends SitePage {
  /** Runs with fewer keys and rounds than the page offers. */
  async start(keys: number, rounds: number): Promise<void> {
    await this.open('benchmark.html');
    await this.browser.evaluate(`
      for (const [id, value] of Object.entries({ keys: '${keys}', rounds: '${rounds}' })) {
        const select = document.getElementById(id);
        select.options[0].value = value;
        select.value = value;
      }`);
    await this.click('start');
  }

  figures(): Promise<string[]> {
    return this.browser.evaluate(`
      return [...document.querySelectorAll('.measure .number')].map(({ textContent }) => textContent);`);
  }
}

export function benchmark({ browser, server }: World): Check[] {
  const page = new BenchmarkPage(browser, server.url);
  let link = '';
  let figures: string[] = [];
  return [
    [
      'benchmark: stored results are shown before anything is measured',
      async () => {
        await page.open('benchmark.html');
        same((await page.figures()).length, BARS, 'bars');
        holds((await page.text('machine')).startsWith('browser'), 'it does not say where it was measured');
        holds(
          !/Mozilla/.test(await page.text('results')),
          'the text by which a browser names itself is shown as it is',
        );
        holds((await page.text('node-rows')).includes('plain JS'), 'the runs in Node have no plain JavaScript');
      },
    ],
    [
      'benchmark: a short run ends with answers that were checked',
      async () => {
        await page.start(5000, 1);
        same(await page.textLike('progress-text', /^(?:Done|Failed)/), 'Done: all answers were right.', 'status');
        const answers = await page.text('answers');
        const counts = /batch ([\d,]+); bloomery, single ([\d,]+); bloomery, lines ([\d,]+); .*Set 0\.$/.exec(answers);
        holds(counts !== null && counts[1] === counts[2] && counts[2] === counts[3], answers);
        figures = await page.figures();
        same(figures.length, BARS, 'bars');
        holds(
          figures.every((text) => Number.parseFloat(text.replaceAll(',', '')) > 0),
          figures.join(' '),
        );
        link = await browser.evaluate<string>('return location.hash');
        return `${link.length} characters in the link`;
      },
    ],
    [
      'benchmark: a link restores the result',
      async () => {
        await new SitePage(browser, server.url).open('index.html');
        await page.open(`benchmark.html${link}`);
        same((await page.figures()).join(' '), figures.join(' '), 'figures');
        holds((await page.text('origin')).startsWith('From a link'), 'it does not say that it comes from a link');
      },
    ],
    [
      'benchmark: can be canceled',
      async () => {
        await page.start(1_000_000, 5);
        await page.click('cancel');
        same(await page.text('progress-text'), 'Canceled.', 'status');
        same(await browser.evaluate<boolean>('return document.getElementById("start").disabled'), false, 'disabled');
      },
    ],
    ...WIDTHS.map(
      (width): Check => [
        `benchmark: a result, ${width} px: fits, axe finds nothing`,
        async () => {
          await browser.resize(width, HEIGHT);
          await new SitePage(browser, server.url).open('index.html');
          await page.open(`benchmark.html${link}`);
          same(await overflow(page), 0, 'overflow');
          await expectAccessible(page);
        },
      ],
    ),
  ];
}
