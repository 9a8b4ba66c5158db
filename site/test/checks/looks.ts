// How pages fit, in light and in dark, and that nothing moves. axe-core looks for what keeps people out.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { holds, same } from '../../../test/runtimes/checks/assert.ts';
import type { Check } from '../../../test/runtimes/checks/check.ts';
import { progressText } from '../../src/filter-list/wording.ts';
import { FilterPage } from '../filter-page.ts';
import { SitePage } from '../page.ts';
import { pages } from '../pages.ts';
import type { World } from '../world.ts';

const require = createRequire(new URL('../../package.json', import.meta.url));
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export const WIDTHS = [360, 1600] as const;
const HEIGHT = 900;

/** What axe-core finds on the open page, as one line each. */
async function findings(page: SitePage): Promise<string[]> {
  return page.browser.evaluate(`
    if (window.axe === undefined) { ${axe} }
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ').slice(0, 300));`);
}

export async function expectAccessible(page: SitePage): Promise<void> {
  same((await findings(page)).join('\n'), '', 'findings of axe-core');
}

/** By how many pixels the page is wider than the room that its scroll bar leaves. */
export function overflow({ browser }: SitePage): Promise<number> {
  return browser.evaluate(`
    const { scrollWidth } = document.documentElement;
    return Math.max(0, scrollWidth - Math.ceil(document.documentElement.getBoundingClientRect().width));`);
}

/** The sum of all layout shifts since the page was opened that no input has caused; null if nobody counts them. */
function shift({ browser }: SitePage): Promise<number | null> {
  return browser.evaluate(`
    if (!PerformanceObserver.supportedEntryTypes.includes('layout-shift')) return null;
    return new Promise((resolve) => {
      let sum = 0;
      const observer = new PerformanceObserver((list) => {
        for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) sum += value;
      });
      observer.observe({ type: 'layout-shift', buffered: true });
      setTimeout(() => resolve(sum), 300);
    });`);
}

/** Fails if something has moved since the page was opened. */
export async function expectStill(page: SitePage): Promise<void> {
  const sum = await shift(page);
  holds(sum === null || sum < 0.001, `layout shift of ${sum}`);
}

/** Each page at each width. What axe-core finds in a page at rest is the same in all browsers: one of them looks. */
function everyPage({ name, browser, server }: World, theme: string): Check[] {
  const asksAxe = name === 'chromium';
  return pages.flatMap(({ file }) =>
    WIDTHS.map(
      (width): Check => [
        `${file}, ${theme}, ${width} px: fits, nothing moves${asksAxe ? ', axe finds nothing' : ''}`,
        async () => {
          const page = new SitePage(browser, server.url);
          await browser.resize(width, HEIGHT);
          await page.open(file);
          await expectStill(page);
          same(await overflow(page), 0, 'overflow');
          if (asksAxe) await expectAccessible(page);
          await browser.evaluate('document.documentElement.dir = "rtl"');
          same(await overflow(page), 0, 'overflow from right to left');
        },
      ],
    ),
  );
}

/** More than the page says of its progress with any list. */
const LONGEST_PROGRESS = progressText(
  { phase: 'again', bytes: 123e9, totalBytes: 456e9, lines: 0, read: 0, kept: 0 },
  { share: 0, linesPerSecond: 12_300_000, secondsLeft: 59 * 60 + 59 },
);

function heightOf({ browser }: SitePage, id: string): Promise<number> {
  return browser.evaluate(`return document.getElementById(${JSON.stringify(id)}).offsetHeight`);
}

/** Fails unless there is room for the longest text that tells of the progress. */
async function expectRoom(page: SitePage): Promise<void> {
  const height = await heightOf(page, 'progress-text');
  await page.browser.evaluate(
    `document.getElementById('progress-text').textContent = ${JSON.stringify(LONGEST_PROGRESS)}`,
  );
  same(await heightOf(page, 'progress-text'), height, 'height of the longest progress');
}

/** The page that filters a list when it shows a result, and when it shows an error. */
function filled({ browser, server, lists, wrong }: World, theme: string): Check[] {
  return WIDTHS.map(
    (width): Check => [
      `a result and an error, ${theme}, ${width} px: fit, nothing moves, axe finds nothing`,
      async () => {
        const page = new FilterPage(browser, server.url);
        await browser.resize(width, HEIGHT);
        await page.describe({ mode: 'drop', text: lists.text, list: lists.list, errorRate: 0.0001 });
        await page.start();
        await expectStill(page);
        await expectRoom(page);
        same(await overflow(page), 0, 'overflow');
        const height = await heightOf(page, 'list-status');
        await page.upload('list-filter', wrong['some.txt'] as string);
        await page.textLike('list-status', /not a filter/);
        same(await heightOf(page, 'list-status'), height, 'height with an error');
        await expectStill(page);
        same(await overflow(page), 0, 'overflow with an error');
        await expectAccessible(page);
      },
    ],
  );
}

export function lightLooks(world: World): Check[] {
  return [...everyPage(world, 'light'), ...filled(world, 'light')];
}

/** For a browser that was started with dark colors. */
export function darkLooks(world: World): Check[] {
  const { browser, server } = world;
  return [
    [
      'the page is dark if the system is',
      async () => {
        await new SitePage(browser, server.url).open();
        const color = await browser.evaluate<string>(
          'return getComputedStyle(document.documentElement).backgroundColor',
        );
        same(color, 'rgb(23, 24, 26)', 'background');
      },
    ],
    ...everyPage(world, 'dark'),
    ...filled(world, 'dark'),
  ];
}
