import { holds, same } from '../../../test/runtimes/checks/assert.ts';
import { SitePage } from '../page.ts';
import type { Checks } from '../world.ts';

export class NamesPage extends SitePage {
  async load(): Promise<void> {
    await this.open('names.html');
    await this.click('load');
    await this.says({ loading: /^Loaded: [\d,]+ names\.$/ });
  }

  async ask(name: string): Promise<string> {
    await this.enter('name', '');
    await this.browser.type(name);
    return this.text('answer');
  }
}

export const inChromium: Checks = {
  'names: the first letter fetches them, and each keystroke has an answer': async ({ browser, server }) => {
    const page = new NamesPage(browser, server.url);
    await page.open('names.html');
    await page.says({ loading: '' });
    await page.ask('two words');
    await page.says({
      explanation: 'npm takes names of letters, digits, dots, hyphens and underscores, and scopes such as @scope/name.',
      loading: /^Loaded/,
      answer: /^Certainly not taken|^Probably taken/,
      engine: 'It runs on WebAssembly.',
    });
    for (const name of ['express', 'react', 'lodash']) same(await page.ask(name), 'Probably taken', name);
    const answers: string[] = [];
    for (const number of [1, 2, 3]) answers.push(await page.ask(`qzxv-no-such-name-${number}`));
    holds(answers.includes('Certainly not taken'), 'three names that nobody has look taken');
  },
};
