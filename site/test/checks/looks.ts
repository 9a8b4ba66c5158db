// How pages fit, in light and in dark, and that nothing moves. axe-core looks for what keeps people out. Also pages on paper,
// and in the few colors of a reader: in the browser that can be asked for both.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import stored from '../../../bench/results/pages.json' with { type: 'json' };
import { holds, same } from '../../../test/runtimes/checks/assert.ts';
import type { Result } from '../../src/benchmark/run.ts';
import { toFragment } from '../../src/benchmark/share.ts';
import { progressText } from '../../src/filter-list/wording.ts';
import { pages } from '../../tools/pages.ts';
import type { SitePage } from '../page.ts';
import type { SiteServer } from '../server.ts';
import type { Checks, World } from '../world.ts';
import { SearchPage } from './header.ts';
import { openSteps } from './how.ts';

const require = createRequire(new URL('../../package.json', import.meta.url));
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const WIDTHS = [360, 1600] as const;
const LIMIT = 120_000;
const BACKGROUND = 'getComputedStyle(document.documentElement).backgroundColor';
const DARK = 'rgb(23, 24, 26)';

const resize = ({ browser }: World, width: number): Promise<void> => browser.resize(width, 900);

/** What axe-core finds on the open page, as one line each. */
function findings(page: SitePage, rules: readonly string[] | undefined): Promise<string> {
  return page.browser.evaluate(`
    if (window.axe === undefined) { ${axe} }
    const options = { resultTypes: ['violations'], ...${JSON.stringify({ runOnly: rules })} };
    const { violations } = await window.axe.run(document, options);
    return violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ').slice(0, 300)).join();`);
}

/** Fails if axe-core finds anything in light colors, or too little contrast in dark ones, which differ in nothing else. */
async function expectAccessible({ page, browser }: World): Promise<void> {
  same(await findings(page, undefined), '', 'findings of axe-core');
  await browser.emulate?.('dark');
  try {
    await page.gives(BACKGROUND, DARK);
    same(await findings(page, ['color-contrast']), '', 'findings of axe-core in the dark');
  } finally {
    await browser.emulate?.('none');
  }
}

/** Fails if the page is wider than the room that its scroll bar leaves, also from right to left. */
async function expectFits(page: SitePage): Promise<void> {
  const [overflow, toTheLeft] = await page.browser.evaluate<number[]>(`
    const root = document.documentElement;
    return ['ltr', 'rtl', ''].map((dir) => {
      root.dir = dir;
      return Math.max(0, root.scrollWidth - Math.ceil(root.getBoundingClientRect().width));
    });`);
  same(overflow, 0, 'overflow');
  same(toTheLeft, 0, 'overflow from right to left');
}

/** Fails if anything has moved since the page was opened that no input has caused. Only Chromium counts that. */
async function expectStill({ browser }: World): Promise<void> {
  const sum = await browser.evaluate<number>(`
    return new Promise((resolve) => {
      let sum = 0;
      const observer = new PerformanceObserver((list) => {
        for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) sum += value;
      });
      observer.observe({ type: 'layout-shift', buffered: true });
      setTimeout(() => resolve(sum), 300);
    });`);
  holds(sum < 0.001, `layout shift of ${sum}`);
}

/** Fails if the open page has loaded too much; says how much it is otherwise. */
async function expectLight(page: SitePage, { url, files }: SiteServer): Promise<string> {
  const loaded = `[location.href, ...performance.getEntriesByType("resource").map(({ name }) => name)]`;
  const urls = await page.get<string[]>(loaded);
  const paths = [...new Set(urls.map((each) => each.replace(url, '').replace(/#.*/, '')))];
  const sizes = paths.map((path) => {
    const contents = files.get(path);
    if (contents === undefined) throw new Error(`it loads ${path}, which the site does not have`);
    return gzipSync(contents, { level: 9 }).length;
  });
  const sum = sizes.reduce((all, size) => all + size, 0);
  holds(sum < LIMIT, `${sum} bytes`);
  return `${(sum / 1000).toFixed(1)} KB in ${paths.length} files`;
}

/** More than the page says of its progress with any list. */
const PROGRESS = { phase: 'again', bytes: 123e9, totalBytes: 456e9, lines: 16.3e9, read: 0, kept: 0 } as const;
const LONGEST_PROGRESS = progressText(PROGRESS, 1329);

/** Fails unless a text takes no other height than the one before it. */
async function expectHeight(page: SitePage, id: string, change: () => Promise<unknown>): Promise<void> {
  const height = `document.getElementById('${id}').offsetHeight`;
  const before = await page.get<number>(height);
  await change();
  same(await page.get<number>(height), before, `height of #${id}`);
}

/** Filters a list, and then chooses a file that is no filter, and one with columns. */
async function showList({ filterPage, path, browser }: World): Promise<void> {
  await filterPage.describe({ mode: 'drop', text: path('text.txt'), list: path('list.txt'), errorRate: 0.0001 });
  await filterPage.start();
  await expectHeight(filterPage, 'progress-text', () =>
    browser.evaluate(`document.getElementById('progress-text').textContent = ${JSON.stringify(LONGEST_PROGRESS)}`),
  );
  await expectHeight(filterPage, 'list-status', async () => {
    await filterPage.upload('list-filter', path('some.txt'));
    await filterPage.says({ 'list-status': /not a filter/ });
  });
  await filterPage.upload('text-file', path('users.csv'));
  await filterPage.tick('text', 'email');
}

/** Shows the newest of the saved results as one that a link carries. */
async function showLink({ page }: World): Promise<void> {
  await page.open('offline.html');
  await page.open(`benchmark.html${toFragment(stored[0]?.result as unknown as Result)}`);
  await page.says({ origin: /^From a link/ });
}

async function showSearch({ browser, server }: World): Promise<void> {
  const page = new SearchPage(browser, server.url);
  await page.open('how.html');
  await page.search('error rate');
}

type State = readonly [name: string, show: (world: World) => Promise<void>];

const ofReference = ['docs/api/bloomery.html', 'docs/api/bloomery/classes/CountingBloomFilter.html'];
const files = [...pages.map(({ file }) => file), 'docs/redis.html', 'docs/performance.html', ...ofReference];
const atRest = files.map((file): State => [file, ({ page }) => page.open(file)]);
const showSteps = (file: string): State => [`${file} with all its steps`, ({ page }) => openSteps(page, file)];
const inUse: readonly State[] = [
  ['list.html with a result and an error', showList],
  ...['what.html', 'how.html'].map(showSteps),
  ['calculator.html, unfolded', ({ page }) => page.open('calculator.html?open=kinds.beside.plots.code')],
];
/** What a link or a query shows may move what was there. */
const asked: readonly State[] = [
  ['benchmark.html with the result of a link', showLink],
  ['how.html with results of the search', showSearch],
];

/** A state at a width, looked at from all sides. What makes the page move on purpose comes last. */
async function look(world: World, state: State, width: number): Promise<string | undefined> {
  const { page, server } = world;
  await resize(world, width);
  await state[1](world);
  const weight = atRest.includes(state) ? await expectLight(page, server) : undefined;
  if (!asked.includes(state)) await expectStill(world);
  await expectFits(page);
  await page.gives(`[...document.querySelectorAll('[hidden]')].filter((each) => each.checkVisibility()).length`, 0);
  await expectAccessible(world);
  return weight;
}

/** Opens a page that arrives over a slow network. */
async function openSlowly({ page, browser }: World, file: string): Promise<void> {
  // Any page of the site, to remove the service worker, which would answer from its cache.
  await page.open('404.html');
  await browser.evaluate(`
    const workers = await navigator.serviceWorker.getRegistrations();
    await Promise.all(workers.map((each) => each.unregister()));`);
  await page.open(`${file}?slow`);
  const painted = await page.get<number>('performance.getEntriesByName("first-contentful-paint")[0].startTime');
  const arrived = await page.get<number>('performance.getEntriesByType("navigation")[0].responseEnd');
  holds(painted < arrived, `painted after ${painted} ms, but arrived after ${arrived}`);
}

/** Pages that are looked at while they arrive. */
const arriving = ['index.html', 'docs/api/bloomery/dleft.html'];

const onScreen: Checks = Object.fromEntries([
  ...[...atRest, ...inUse, ...asked].flatMap((state) =>
    WIDTHS.map((width) => [
      `${state[0]}, ${width} px: is light, still, fits, axe finds nothing in light and in dark`,
      (world: World) => look(world, state, width),
    ]),
  ),
  ...arriving.flatMap((file) =>
    WIDTHS.map((width) => [
      `${file}, ${width} px: nothing moves while it arrives on a slow network`,
      async (world: World) => {
        await resize(world, width);
        await openSlowly(world, file);
        await expectStill(world);
      },
    ]),
  ),
]);

export const inOthers: Checks = {
  'the page is dark if the system is': async ({ page }) => {
    await page.open();
    await page.gives(BACKGROUND, DARK);
  },
  ...Object.fromEntries(
    [...atRest, ...inUse, ...asked].map(([name, show]) => [
      `${name}: fits at ${WIDTHS.join(' and ')} px, and where a wide window becomes narrow`,
      async (world: World) => {
        for (const width of WIDTHS) {
          await resize(world, width);
          await show(world);
          await expectFits(world.page);
        }
        await resize(world, WIDTHS[0]);
        await expectFits(world.page);
      },
    ]),
  ),
};

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
  ...onScreen,
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

  'in forced colors, the current page and the choice have borders of their own, and the focus another': emulated(
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
      await page.browser.resize(1280, 900);
      await page.open('docs/kinds.html');
      await page.browser.evaluate(`document.querySelector('.docs-contents [aria-current]').focus()`);
      await page.gives('getComputedStyle(document.activeElement).outlineWidth', '3px');
    },
  ),
};
