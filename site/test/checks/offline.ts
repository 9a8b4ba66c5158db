// After a visit, the site works without its server; and under a Content-Security-Policy that refuses WebAssembly.

import { holds, same } from '../../../test/runtimes/checks/assert.ts';
import { FilterPage } from '../filter-page.ts';
import { SitePage } from '../page.ts';
import { serveSite } from '../server.ts';
import type { Checks } from '../world.ts';
import { SearchPage } from './header.ts';
import { NamesPage } from './names.ts';

/** A page of the reference, which is kept only after a visit. */
const VISITED = 'docs/api/bloomery/load.html';

class LeakedPage extends SitePage {
  async ask(password: string, said: Readonly<Record<string, string | RegExp>>): Promise<void> {
    await this.enter('password', '');
    await this.browser.type(password);
    await this.browser.press('Enter');
    await this.says(said);
  }
}

/** An answer reads one page of the list, and the same password nothing. */
async function askOnline(page: LeakedPage): Promise<void> {
  await page.open('leaked.html');
  await page.tabTo('password');
  await page.ask('dragon', { answer: 'Probably leaked' });
  const cost = /with 1 request for 4\.1 kB/;
  await page.ask('not-in-any-list 1', { answer: 'Not in the list', cost, pages: '3 of 516' });
}

/** What was read still answers, and an error can be tried again. */
async function askOffline(page: LeakedPage): Promise<void> {
  await page.ask('not-in-any-list 2', { explanation: /^The list cannot be read: .* cannot be read/ });
  const cost = /from a part of the file that was read before/;
  await page.ask('dragon', { answer: 'Probably leaked', cost });
}

async function filterOffline(page: FilterPage, file: string): Promise<void> {
  await page.open();
  await page.choose('once', 0);
  await page.upload('text-file', file);
  same(await page.start(), 'Done: 2 of 2 lines.', 'status');
}

async function readOffline(page: SearchPage): Promise<void> {
  await page.open('docs/format.html');
  // The browser itself is connected: only the server is gone.
  await page.browser.evaluate(`Object.defineProperty(navigator, 'onLine', { value: false })`);
  await page.search('checksum');
  holds((await page.results()).includes('docs/format.html#the-checksum'), 'the search finds nothing');
  await page.search('loadAny');
  const reference = (await page.results()).filter((path) => path.startsWith('docs/api/'));
  same([...new Set(reference.map((path) => path.split('#')[0]))].join(), VISITED, 'pages of the reference');
  await page.open(VISITED);
  await page.gives('document.querySelector("h1").textContent', 'bloomery/load');
}

/** A page that is not kept leads to one that says so. */
async function missOffline(page: SitePage, url: string): Promise<void> {
  await page.open('docs/api/bloomery.html');
  await page.says({ missing: 'Try docs/api/bloomery.html again.' });
  await page.gives('location.href.split("#")[0]', `${url}offline.html`);
}

export const inEach: Checks = {
  "script-src 'self': the JavaScript engine gives the same lines, and pages say so": async ({
    browser,
    path,
    exact,
  }) => {
    const server = await serveSite("script-src 'self'");
    try {
      const names = new NamesPage(browser, server.url);
      await names.open();
      await names.enter('asked', "'grace'");
      await names.says({ answered: /^true: always/ });
      await names.load();
      await names.says({ engine: 'WebAssembly is refused here, so it runs in plain JavaScript.' });
      same(await names.ask('express'), 'Probably taken', 'answer');
      const page = new FilterPage(browser, server.url);
      await page.describe({ mode: 'drop', text: path('text.txt'), list: path('list.txt'), errorRate: 0 });
      await page.start();
      const engine =
        'WebAssembly is refused here, so it ran in plain JavaScript, which is slower. The result is the same.';
      await page.says({ engine });
      same(await page.digestOf('download'), exact.left, 'SHA-256');
    } finally {
      server.close();
    }
  },

  'offline after one visit: pages open, lists are filtered, names and documents found': async ({ browser, path }) => {
    const server = await serveSite();
    const filter = new FilterPage(browser, server.url);
    const names = new NamesPage(browser, server.url);
    const documentation = new SearchPage(browser, server.url);
    const leaked = new LeakedPage(browser, server.url);
    try {
      await filter.open();
      await filter.says({ offline: /Kept for offline use/ });
      await names.load();
      await documentation.open(VISITED);
      // The page is kept while it is shown.
      await documentation.until('the page in the cache', 'return (await caches.match(location.href)) !== undefined');
      await askOnline(leaked);
    } finally {
      server.close();
    }
    await askOffline(leaked);
    await leaked.open('calculator.html');
    await missOffline(leaked, server.url);
    await filterOffline(filter, path('some.txt'));
    await names.load();
    same(await names.ask('express'), 'Probably taken', 'answer');
    await readOffline(documentation);
  },
};
