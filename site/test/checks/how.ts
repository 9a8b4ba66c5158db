// The walk through the kinds of filters. test/how has the tests of what its pictures show; these are of the page.

import { CountingBloomFilter } from '../../../src/index.ts';
import { holds, same, sameList } from '../../../test/runtimes/checks/assert.ts';
import type { Check } from '../../../test/runtimes/checks/check.ts';
import { absentNames, nameAt } from '../../src/how/small/names.ts';
import { SitePage } from '../page.ts';
import type { World } from '../world.ts';
import { expectAccessible, expectStill, overflow, WIDTHS } from './looks.ts';

const HEIGHT = 900;

class WalkPage extends SitePage {
  /** Opens the walk, and waits until all of its steps are shown. */
  async walk(fragment = ''): Promise<void> {
    // From another page: a link that differs in its fragment alone does not load the page.
    await this.open('names.html');
    await this.open(`how.html${fragment}`);
    await this.until('the steps', `return document.getElementById('walk').dataset.ready === 'true'`);
  }

  /** Opens a step as it is in a frame. */
  async embed(fragment: string): Promise<void> {
    await this.open('names.html');
    await this.open(`embed.html${fragment}`);
    await this.until('the step', `return document.querySelector('[data-shown]') !== null`);
  }

  /** Clicks the button of a step that does this. */
  do(step: string, action: string): Promise<void> {
    return this.browser.evaluate(`document.querySelector('#${step} [data-do=${action}]').click()`);
  }

  said(step: string): Promise<string> {
    return this.text(`${step}-said`);
  }

  write(id: string, text: string): Promise<void> {
    return this.browser.evaluate(`
      const input = document.getElementById('${id}');
      input.value = ${JSON.stringify(text)};
      input.dispatchEvent(new Event('input'));`);
  }

  cells(step: string): Promise<number[]> {
    return this.browser.evaluate(`
      return [...document.querySelectorAll('#${step} .cells i')].map(({ dataset }) => Number(dataset.value));`);
  }

  /** Presses a key where the focus is. */
  key(key: string): Promise<void> {
    return this.browser.evaluate(`
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }));`);
  }

  hash(): Promise<string> {
    return this.browser.evaluate('return location.hash');
  }

  /** The step that the list of steps marks. */
  current(): Promise<string> {
    return this.browser.evaluate(`return document.querySelector('#steps [aria-current]').getAttribute('href')`);
  }
}

/** The counters as docs/format.md has them. */
function countersOf(filter: CountingBloomFilter): number[] {
  const file = filter.toBytes();
  const body = [...file.subarray(new DataView(file.buffer).getUint32(40, true))];
  return body.flatMap((byte) => [byte & 15, byte >> 4]);
}

/** The walk at each width. */
export function howLooks({ name, browser, server }: World): Check[] {
  const page = new WalkPage(browser, server.url);
  return WIDTHS.map(
    (width): Check => [
      `how it works, ${width} px: every step fits, and nothing moves`,
      async () => {
        await browser.resize(width, HEIGHT);
        await page.walk();
        await expectStill(page);
        same(await overflow(page), 0, 'overflow');
        // What axe-core finds is the same in all browsers.
        if (name === 'chromium') await expectAccessible(page);
        await browser.evaluate('document.documentElement.dir = "rtl"');
        same(await overflow(page), 0, 'overflow from right to left');
      },
    ],
  );
}

export function how(world: World): Check[] {
  const { browser, server } = world;
  const page = new WalkPage(browser, server.url);
  return [
    [
      'how it works: a picture shows the cells of the library, and a link keeps them',
      async () => {
        await page.walk('#counting?n=20&key=ada');
        const filter = new CountingBloomFilter({ counters: 64, hashes: 3 });
        const names = Array.from({ length: 30 }, (_, i) => nameAt(i));
        filter.addMany(names);
        await page.do('counting', 'add-ten');
        await page.do('counting', 'find-a-false-positive');
        const wrong = filter.pick(absentNames)[0] as string;
        const said = await page.said('counting');
        holds(said.startsWith(`“${wrong}” may be present`), said);
        holds(said.endsWith('But nobody added it: this is a false positive.'), said);
        await page.do('counting', 'remove');
        filter.remove(wrong);
        const lost = filter.omit(names).length;
        const removed = await page.said('counting');
        holds(removed.includes(lost === 0 ? 'No other key' : `${lost} key`), `${lost} lost, but said: ${removed}`);
        sameList(await page.cells('counting'), countersOf(filter), 'counters');
        const link = `#counting?key=${wrong}&n=30&r=${wrong}`;
        await page.until('the address', `return location.hash === '${link}'`);
        await page.walk(link);
        sameList(await page.cells('counting'), countersOf(filter), 'counters after the link');
        same(await page.current(), '#counting', 'the step in view');
      },
    ],
    [
      'how it works: arrow keys lead from step to step, but not in a field',
      async () => {
        await page.walk();
        same(await page.hash(), '', 'address at the beginning');
        await page.key('ArrowRight');
        same(await page.current(), '#size', 'after an arrow key');
        holds((await page.hash()).startsWith('#size'), await page.hash());
        same(await browser.evaluate<string>('return document.activeElement.id'), 'size-title', 'the focus');
        await browser.evaluate(`document.getElementById('size-keys').focus()`);
        await page.key('ArrowRight');
        same(await page.current(), '#size', 'after an arrow key in a slider');
        await browser.evaluate(`document.getElementById('size-title').focus()`);
        await page.key('ArrowLeft');
        same(await page.current(), '#bits', 'after the other arrow key');
        await browser.evaluate('scrollTo(0, document.body.scrollHeight)');
        await page.until(
          'the last step',
          `return document.querySelector('#steps li:last-child [aria-current]') !== null`,
        );
      },
    ],
    [
      'how it works: a step in a frame has its state, and no header',
      async () => {
        await page.embed('#bits?key=ada&a=ada');
        holds((await page.text('bits')).includes('An array of bits'), 'the title');
        same((await page.cells('bits')).filter((value) => value === 1).length, 4, 'bits');
        const header = await browser.evaluate<number>(`return document.querySelector('header').offsetHeight`);
        same(header, 0, 'height of the header');
        await page.walk('#bits?key=ada&a=ada');
        await browser.evaluate(`document.querySelector('#bits .embed').open = true`);
        const code = await page.until<string>('the code', `return document.getElementById('bits-embed').value`);
        const inFrame = await browser.evaluate<number>(`
          const holder = document.createElement('div');
          holder.innerHTML = ${JSON.stringify(code)}.replace(' loading="lazy"', '');
          document.body.append(holder);
          const frame = holder.firstChild;
          for (let i = 0; i < 200; i++) {
            const on = frame.contentDocument?.querySelectorAll('#bits .on').length;
            if (on) return on;
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
          return 0;`);
        same(inFrame, 4, 'bits in the frame');
      },
    ],
    ...howLooks(world),
  ];
}
