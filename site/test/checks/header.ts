// The head of every page: the search, and the way to the other pages.

import { sleep } from '../../../test/runtimes/browsers/processes.ts';
import { holds, same } from '../../../test/runtimes/checks/assert.ts';
import { searchOver } from '../../src/search/find.ts';
import { pages } from '../../tools/pages.ts';
import { SitePage } from '../page.ts';
import { queries } from '../queries.ts';
import type { Checks } from '../world.ts';

const ARRIVAL_TRIES = 400;

export class SearchPage extends SitePage {
  async search(query: string): Promise<void> {
    await this.enter('search', '');
    // What was said before would pass for what is said now.
    await this.says({ 'search-status': '' });
    await this.enter('search', query);
    await this.says({ 'search-status': /found/ });
  }

  /** Waits until a link that was followed has led to its page. */
  async arrive(url: string): Promise<void> {
    const there = `location.href === ${JSON.stringify(url)} && document.readyState === 'complete'`;
    // While one page takes the place of another, nothing can be evaluated.
    for (let tries = 0; !(await this.get<boolean>(there).catch(() => false)); tries++) {
      if (tries === ARRIVAL_TRIES) throw new Error(`${url} was not opened`);
      await sleep(50);
    }
  }

  /** The paths to which the results lead, below the folder of the site. */
  results(): Promise<string[]> {
    return this.browser.evaluate(`
      const root = new URL(document.querySelector('meta[name=bloomery-root]').content || '.', location.href).href;
      return [...document.querySelectorAll('#search-results a')].map(({ href }) => href.replace(root, ''));`);
  }
}

/** What assistive technology is told of the search: whether results are shown, and which is chosen. */
const TOLD = `['aria-expanded', 'aria-activedescendant'].map((name) => document.getElementById('search').getAttribute(name))`;

export const inEach: Checks = {
  'search: with the keyboard alone, from any page': async ({ browser, server }) => {
    const page = new SearchPage(browser, server.url);
    await page.open('list.html');
    await page.gives(`performance.getEntriesByType('resource').some(({ name }) => /search-.*json/.test(name))`, false);
    await page.enter('text-paste', '');
    await browser.type('key');
    await page.gives(`document.getElementById('text-paste').value`, 'key');
    await browser.press('k', 'Control');
    await page.gives('document.activeElement.id', 'search');
    await browser.type('lone surrogate');
    await page.says({ 'search-status': /found$/ });
    await page.gives(TOLD, ['true', '']);
    await browser.press('Escape');
    await page.gives(TOLD, ['false', '']);
    await page.gives(`document.getElementById('search').value`, 'lone surrogate');
    await browser.press('ArrowDown');
    await page.says({ 'search-status': /found$/ });
    await browser.press('ArrowDown');
    await page.gives(TOLD, ['true', 'search-result-0']);
    await browser.press('ArrowDown');
    await page.gives(`document.querySelectorAll('#search-results [aria-selected=true]').length`, 1);
    const url = await page.get<string>(`document.querySelector('#search-results [aria-selected=true]').href`);
    await browser.press('Enter');
    await page.arrive(url);
  },

  'search: Enter right after a question opens the first result, a question of the article too': async ({
    browser,
    server,
  }) => {
    const page = new SearchPage(browser, server.url);
    await page.open('docs/kinds.html');
    await browser.press('k', 'Control');
    await browser.type('how many hashes');
    await browser.press('Enter');
    await page.arrive(`${server.url}what.html#hashes`);
  },

  'the other pages are all in view, or in a menu that a button opens and Escape closes': async ({ browser, page }) => {
    const named = pages.filter(({ label }) => label !== undefined).length;
    const inView = `[...document.querySelectorAll('.site-header nav a')].filter((link) => {
      const { left, right, width } = link.getBoundingClientRect();
      return width > 0 && left >= 0 && right <= document.documentElement.clientWidth;
    }).length`;
    for (const width of [360, 768, 1280]) {
      await browser.resize(width, 900);
      await page.open('docs/kinds.html');
      const hasMenu = await page.get<boolean>(`document.querySelector('.menu').offsetWidth > 0`);
      same(hasMenu, width === 360, `a menu at ${width} px`);
      same(await page.get<number>(inView), hasMenu ? 0 : named, `links in view at ${width} px`);
      if (!hasMenu) continue;
      await browser.evaluate(`document.querySelector('.menu').focus()`);
      await browser.press('Enter');
      same(await page.get<number>(inView), named, 'links in the menu');
      await browser.press('Escape');
      same(await page.get<number>(inView), 0, 'links once it is closed');
    }
  },
};

export const inChromium: Checks = {
  'search: what people ask leads to the right page first': ({ server: { files } }) => {
    const path = [...files.keys()].find((name) => /^assets\/search-.*\.json$/.test(name)) ?? '';
    const search = searchOver(JSON.parse(Buffer.from(files.get(path) ?? []).toString()));
    const misled = Object.entries(queries).flatMap(([wanted, asked]) =>
      asked
        .map((query) => ({ query, got: search(query)[0]?.url }))
        .filter(({ got }) => got !== wanted)
        .map(({ query, got }) => `${query}: ${got}, not ${wanted}`),
    );
    same(misled.join('\n'), '', 'wrong first results');
    const asked = new Set(Object.values(queries).flat());
    holds(asked.size >= 60, `${asked.size} questions`);
    return `${asked.size} questions`;
  },
};
