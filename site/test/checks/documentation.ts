// The documentation: the search, and the links of all pages.

import { posix } from 'node:path';
import { sleep } from '../../../test/runtimes/browsers/processes.ts';
import { holds, same } from '../../../test/runtimes/checks/assert.ts';
import { searchOver } from '../../src/search/find.ts';
import { SitePage } from '../page.ts';
import { queries } from '../queries.ts';
import type { Checks } from '../world.ts';

const ARRIVAL_TRIES = 400;

export class DocumentationPage extends SitePage {
  async search(query: string): Promise<void> {
    // What is said of the search before would pass for what is said of this one.
    await this.browser.evaluate(`document.getElementById('search-status').textContent = ''`);
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

/** Links of a page that lead to a file or an anchor that the site does not have. */
function brokenLinks(page: string, files: ReadonlyMap<string, Uint8Array>): string[] {
  const textOf = (path: string): string => Buffer.from(files.get(path) ?? []).toString();
  const links = Array.from(textOf(page).matchAll(/<a [^>]*href="([^"]*)"/g), ([, href = '']) => href);
  return links
    .filter((href) => !/^https?:/.test(href))
    .filter((href) => {
      const [path = '', anchor = ''] = decodeURI(href).split('#');
      const target = path === '' ? page : posix.join(posix.dirname(page), path);
      return !files.has(target) || (anchor !== '' && !textOf(target).includes(` id="${anchor}"`));
    })
    .map((href) => `${page}: ${href}`);
}

export const inEach: Checks = {
  'documentation: the search with the keyboard alone': async ({ browser, server }) => {
    const page = new DocumentationPage(browser, server.url);
    await page.open('docs.html');
    await browser.type('/');
    await page.gives('document.activeElement.id', 'search');
    await browser.type('lone surrogate');
    await page.until('results', 'return document.querySelector("#search-results a") !== null');
    await browser.press('ArrowDown');
    const url = await page.get<string>('document.activeElement.href');
    await browser.press('Enter');
    await page.arrive(url);
    // The section that was found is on the page.
    await page.gives('document.getElementById(location.hash.slice(1)) !== null', true);
  },

  'documentation: a link to a folded member unfolds it, and code can be copied': async ({ page }) => {
    await page.open('docs/api/bloomery/classes/BloomFilter.html#tobytes');
    await page.until('the member', 'return document.getElementById("tobytes").closest("details").open');
    await page.until(
      'the member in view',
      'return Math.abs(document.getElementById("tobytes").getBoundingClientRect().top) < innerHeight',
    );
    await page.clickOn('.copy');
    // Headless browsers differ in whether they ask for permission.
    await page.says({ copied: /^(?:Copied|Not allowed)$/ });
  },
};

export const inChromium: Checks = {
  'every link of every page leads somewhere': ({ server: { files } }) => {
    const pages = [...files.keys()].filter((name) => name.endsWith('.html'));
    holds(pages.length > 40, `${pages.length} pages`);
    same(pages.flatMap((page) => brokenLinks(page, files)).join('\n'), '', 'broken links');
    return `${pages.length} pages`;
  },

  'documentation: the search of guides and reference leads to the right page first': ({ server: { files } }) => {
    const path = [...files.keys()].find((name) => /^assets\/search-.*\.json$/.test(name)) ?? '';
    const search = searchOver(JSON.parse(Buffer.from(files.get(path) ?? []).toString()));
    const misled = Object.entries(queries).flatMap(([wanted, asked]) =>
      asked
        .map((query) => ({ query, got: search(query)[0]?.url }))
        .filter(({ got }) => got !== wanted)
        .map(({ query, got }) => `${query}: ${got}, not ${wanted}`),
    );
    same(misled.join('\n'), '', 'wrong first results');
  },
};
