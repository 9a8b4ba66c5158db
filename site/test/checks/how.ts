// The walk through the kinds of filters. test/how has the tests of what its pictures show; these are of the page.

import { CountingBloomFilter } from '../../../src/index.ts';
import { holds, sameList } from '../../../test/runtimes/checks/assert.ts';
import { absentNames, nameAt } from '../../src/how/small/names.ts';
import type { SitePage } from '../page.ts';
import type { Checks } from '../world.ts';

/** Opens the walk, and waits until all of its steps are shown. */
export async function walk(page: SitePage, fragment = ''): Promise<void> {
  // From another page: a link that differs in its fragment alone does not load the page.
  await page.open('offline.html');
  await page.open(`how.html${fragment}`);
  await page.until('the steps', `return document.getElementById('walk').dataset.ready === 'true'`);
}

const cells = (page: SitePage, step: string): Promise<number[]> =>
  page.get(`[...document.querySelectorAll('#${step} .cells i')].map(({ dataset }) => Number(dataset.value))`);

/** Presses a key where the focus is, or where it is put. */
function press(page: SitePage, key: string, focus?: string): Promise<void> {
  return page.browser.evaluate(`
    ${focus === undefined ? '' : `document.getElementById('${focus}').focus();`}
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }));`);
}

/** The step that the list of steps marks. */
const CURRENT = `document.querySelector('#steps [aria-current]').getAttribute('href')`;

/** The counters as docs/format.md has them. */
function countersOf(filter: CountingBloomFilter): number[] {
  const file = filter.toBytes();
  const body = [...file.subarray(new DataView(file.buffer).getUint32(40, true))];
  return body.flatMap((byte) => [byte & 15, byte >> 4]);
}

export const inChromium: Checks = {
  'how it works: a picture shows the cells of the library, and a link keeps them': async ({ page }) => {
    await walk(page, '#counting?n=20&key=ada');
    const filter = new CountingBloomFilter({ counters: 64, hashes: 3 });
    const names = Array.from({ length: 30 }, (_, i) => nameAt(i));
    filter.addMany(names);
    await page.clickOn('#counting [data-do=add-ten]');
    await page.clickOn('#counting [data-do=find-a-false-positive]');
    const wrong = filter.pick(absentNames)[0] as string;
    const said = await page.text('counting-said');
    holds(said.startsWith(`“${wrong}” may be present`), said);
    holds(said.endsWith('But nobody added it: this is a false positive.'), said);
    await page.clickOn('#counting [data-do=remove]');
    filter.remove(wrong);
    const lost = filter.omit(names).length;
    const removed = await page.text('counting-said');
    holds(removed.includes(lost === 0 ? 'No other key' : `${lost} key`), `${lost} lost, but said: ${removed}`);
    sameList(await cells(page, 'counting'), countersOf(filter), 'counters');
    const link = `#counting?key=${wrong}&n=30&r=${wrong}`;
    await page.until('the address', `return location.hash === '${link}'`);
    await walk(page, link);
    sameList(await cells(page, 'counting'), countersOf(filter), 'counters after the link');
    await page.gives(CURRENT, '#counting');
  },

  'how it works: arrow keys lead from step to step, but not in a field': async ({ page, browser }) => {
    await walk(page);
    await page.gives('location.hash', '');
    await press(page, 'ArrowRight');
    await page.gives(CURRENT, '#size');
    await page.gives('location.hash.startsWith("#size")', true);
    await page.gives('document.activeElement.id', 'size-title');
    await press(page, 'ArrowRight', 'size-keys');
    await page.gives(CURRENT, '#size');
    await press(page, 'ArrowLeft', 'size-title');
    await page.gives(CURRENT, '#bits');
    await browser.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.until('the last step', `return document.querySelector('#steps li:last-child [aria-current]') !== null`);
  },

  'how it works: a step in a frame has its state, and no header': async ({ page, browser }) => {
    await page.open('embed.html#bits?key=ada&a=ada');
    await page.until('the step', `return document.querySelector('[data-shown]') !== null`);
    await page.says({ bits: /An array of bits/ });
    sameList((await cells(page, 'bits')).filter(Boolean), [1, 1, 1, 1], 'bits');
    await page.gives(`document.querySelector('header').offsetHeight`, 0);
    await walk(page, '#bits?key=ada&a=ada');
    await browser.evaluate(`document.querySelector('#bits .embed').open = true`);
    const code = await page.until<string>('the code', `return document.getElementById('bits-embed').value`);
    await browser.evaluate(`
      const holder = document.createElement('div');
      holder.id = 'holder';
      holder.innerHTML = ${JSON.stringify(code)}.replace(' loading="lazy"', '');
      document.body.append(holder);`);
    await page.until(
      'four bits in the frame',
      `return document.querySelector('#holder iframe').contentDocument?.querySelectorAll('#bits .on').length === 4`,
    );
  },
};
