// The page that tells whether a name is taken.

import { holds, same } from '../../../test/runtimes/checks/assert.ts';
import type { Check } from '../../../test/runtimes/checks/check.ts';
import { SitePage } from '../page.ts';
import { serveSite } from '../server.ts';
import type { World } from '../world.ts';

class NamesPage extends SitePage {
  async load(): Promise<void> {
    await this.open('names.html');
    await this.click('load');
    await this.textLike('loading', /^Loaded: [\d,]+ names\.$/);
  }

  async ask(name: string): Promise<string> {
    await this.browser.evaluate(`document.getElementById('name').value = ''`);
    await this.browser.type(name);
    return this.text('answer');
  }
}

export function names({ browser, server }: World): Check[] {
  return [
    [
      'names: answers at each keystroke',
      async () => {
        const page = new NamesPage(browser, server.url);
        await page.load();
        same(await page.text('engine'), 'It runs on WebAssembly.', 'engine');
        for (const name of ['express', 'react', 'lodash']) same(await page.ask(name), 'Probably taken', name);
        const answers = new Set<string>();
        for (const name of ['qzxv-no-such-name-1', 'qzxv-no-such-name-2', 'qzxv-no-such-name-3']) {
          answers.add(await page.ask(name));
        }
        holds(answers.has('Certainly not taken'), 'three names that nobody has look taken');
      },
    ],
    [
      'names: the first letter fetches them',
      async () => {
        const page = new NamesPage(browser, server.url);
        await page.open('names.html');
        same(await page.text('loading'), '', 'at first');
        await browser.evaluate("document.getElementById('name').focus()");
        await browser.type('two words');
        same(
          await page.textLike('explanation', /^npm takes names of letters/),
          'npm takes names of letters, digits, dots, hyphens and underscores, and scopes such as @scope/name.',
          'explanation',
        );
        await page.textLike('loading', /^Loaded/);
        await page.textLike('answer', /^Certainly not taken|^Probably taken/);
      },
    ],
    [
      'names: work offline once they were loaded',
      async () => {
        const own = await serveSite();
        const page = new NamesPage(browser, own.url);
        try {
          await page.open('names.html');
          await page.textLike('offline', /Kept for offline use/);
          await page.load();
        } finally {
          own.close();
        }
        await page.load();
        same(await page.ask('express'), 'Probably taken', 'answer');
      },
    ],
    [
      "names: script-src 'self': the JavaScript engine answers",
      async () => {
        const own = await serveSite("script-src 'self'");
        try {
          const page = new NamesPage(browser, own.url);
          await page.load();
          same(await page.text('engine'), 'WebAssembly is refused here, so it runs in plain JavaScript.', 'engine');
          same(await page.ask('express'), 'Probably taken', 'answer');
        } finally {
          own.close();
        }
      },
    ],
  ];
}
