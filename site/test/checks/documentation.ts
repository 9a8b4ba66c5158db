// The documentation: links, and the search.

import { posix } from 'node:path';
import { sleep } from '../../../test/runtimes/browsers/processes.ts';
import { holds, same } from '../../../test/runtimes/checks/assert.ts';
import type { Check } from '../../../test/runtimes/checks/check.ts';
import { searchOver } from '../../src/docs/find.ts';
import { SitePage } from '../page.ts';
import { names, queries } from '../queries.ts';
import { serveSite } from '../server.ts';
import type { World } from '../world.ts';
import { expectAccessible, overflow, WIDTHS } from './looks.ts';

const HEIGHT = 900;
const ARRIVAL_TRIES = 200;

class DocumentationPage extends SitePage {
  async search(query: string): Promise<void> {
    await this.browser.evaluate(`
      // What is said of the search before would pass for what is said of this one.
      document.getElementById('search-status').textContent = '';
      const input = document.getElementById('search');
      input.focus();
      input.value = ${JSON.stringify(query)};
      input.dispatchEvent(new Event('input'));`);
    await this.textLike('search-status', /found/);
  }

  /** Waits until a link that was followed has led to its page. */
  async arrive(url: string): Promise<void> {
    // While one page takes the place of another, nothing can be evaluated.
    const isThere = (): Promise<boolean> => {
      const script = `return location.href === ${JSON.stringify(url)} && document.readyState === 'complete'`;
      return this.browser.evaluate<boolean>(script).catch(() => false);
    };
    for (let tries = 0; !(await isThere()); tries++) {
      if (tries === ARRIVAL_TRIES) throw new Error(`${url} was not opened`);
      await sleep(100);
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

/** Queries whose first result in the built index is another than the wanted one. */
function misled(files: ReadonlyMap<string, Uint8Array>): string[] {
  const path = [...files.keys()].find((name) => /^assets\/search-.*\.json$/.test(name)) ?? '';
  const search = searchOver(JSON.parse(Buffer.from(files.get(path) ?? []).toString()));
  return [...queries, ...names]
    .map(([query, wanted]) => ({ query, wanted, got: search(query)[0]?.url }))
    .filter(({ wanted, got }) => got !== wanted)
    .map(({ query, wanted, got }) => `${query}: ${got}, not ${wanted}`);
}

/** The search with its results open. */
export function searchLooks({ browser, server }: World): Check[] {
  return WIDTHS.map(
    (width): Check => [
      `documentation: results of the search, ${width} px: fit, axe finds nothing`,
      async () => {
        const page = new DocumentationPage(browser, server.url);
        await browser.resize(width, HEIGHT);
        await page.open('docs/kinds.html');
        await page.search('error rate');
        same(await overflow(page), 0, 'overflow');
        await expectAccessible(page);
      },
    ],
  );
}

export function documentation(world: World): Check[] {
  const { browser, server } = world;
  return [
    [
      'documentation: every link leads somewhere',
      () => {
        const pages = [...server.files.keys()].filter((name) => /^docs(?:\.html|\/)/.test(name));
        holds(pages.length > 30, `${pages.length} pages`);
        same(pages.flatMap((page) => brokenLinks(page, server.files)).join('\n'), '', 'broken links');
        return `${pages.length} pages`;
      },
    ],
    [
      'documentation: the search of guides and reference leads to the right page first',
      () => same(misled(server.files).join('\n'), '', 'wrong first results'),
    ],
    [
      'documentation: the search with the keyboard alone',
      async () => {
        const page = new DocumentationPage(browser, server.url);
        await page.open('docs.html');
        await browser.type('/');
        same(await browser.evaluate<string>('return document.activeElement.id'), 'search', 'focus after /');
        await browser.type('lone surrogate');
        await page.until('results', 'return document.querySelector("#search-results a") !== null');
        await browser.press('ArrowDown');
        const url = await browser.evaluate<string>('return document.activeElement.href');
        await browser.press('Enter');
        await page.arrive(url);
        holds(
          await browser.evaluate<boolean>('return document.getElementById(location.hash.slice(1)) !== null'),
          'the section that was found is not on the page',
        );
      },
    ],
    [
      'documentation: a link to a folded member unfolds it, and code can be copied',
      async () => {
        const page = new DocumentationPage(browser, server.url);
        await page.open('docs/api/bloomery/classes/BloomFilter.html#tobytes');
        await page.until('the member', 'return document.getElementById("tobytes").closest("details").open');
        await page.until(
          'the member in view',
          'return Math.abs(document.getElementById("tobytes").getBoundingClientRect().top) < innerHeight',
        );
        await browser.evaluate('document.querySelector(".copy").click()');
        // Headless browsers differ in whether they ask for permission.
        await page.textLike('copied', /^(?:Copied|Not allowed)$/);
      },
    ],
    [
      'documentation: guides, the search and pages of the reference that were visited work offline',
      async () => {
        const own = await serveSite();
        const page = new DocumentationPage(browser, own.url);
        const visited = 'docs/api/bloomery/load.html';
        try {
          await page.open('docs.html');
          await page.textLike('offline', /Kept for offline use/);
          await page.open(visited);
          // The page is kept while it is shown.
          await page.until('the page in the cache', `return (await caches.match(location.href)) !== undefined`);
        } finally {
          own.close();
        }
        await page.open('docs/format.html');
        // The browser itself is connected: only the server is gone.
        await browser.evaluate(`Object.defineProperty(navigator, 'onLine', { value: false })`);
        await page.search('checksum');
        holds((await page.results()).includes('docs/format.html#the-checksum'), 'the search finds nothing');
        await page.search('loadAny');
        const reference = (await page.results()).filter((path) => path.startsWith('docs/api/'));
        same([...new Set(reference.map((path) => path.split('#')[0]))].join(), visited, 'pages of the reference');
        await page.open(visited);
        same(
          await browser.evaluate<string>('return document.querySelector("h1").textContent'),
          'bloomery/load',
          'title',
        );
      },
    ],
    ...searchLooks(world),
  ];
}
