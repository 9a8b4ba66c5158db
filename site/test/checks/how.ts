// The article and the page of other kinds. test/how has the tests of what their pictures show; these are of the pages.

import { CountingBloomFilter } from '../../../src/index.ts';
import { holds, sameList } from '../../../test/runtimes/checks/assert.ts';
import { absentNames, nameAt } from '../../src/how/small/names.ts';
import type { SitePage } from '../page.ts';
import type { Checks } from '../world.ts';

/** Opens a page with steps, and waits until all of them are shown. */
export async function openSteps(page: SitePage, path: string): Promise<void> {
  // From another page: a link that differs in its fragment alone does not load the page.
  await page.open('offline.html');
  await page.open(path);
  await page.until('the steps', `return document.getElementById('content').dataset.ready === 'true'`);
}

const press = (page: SitePage, step: string, text: string): Promise<void> =>
  page.browser.evaluate(
    `[...document.querySelectorAll('#${step} button')].find((each) => each.textContent === '${text}').click()`,
  );

const cells = (page: SitePage, step: string): Promise<number[]> =>
  page.get(`[...document.querySelectorAll('#${step} .cells i')].map(({ dataset }) => Number(dataset.value))`);

/** The counters as docs/format.md has them. */
function countersOf(filter: CountingBloomFilter): number[] {
  const file = filter.toBytes();
  const body = [...file.subarray(new DataView(file.buffer).getUint32(40, true))];
  return body.flatMap((byte) => [byte & 15, byte >> 4]);
}

export const inChromium: Checks = {
  'other kinds: a picture shows the cells of the library, and a link keeps them': async ({ page, browser }) => {
    await openSteps(page, 'how.html#counting?n=20&key=ada');
    const filter = new CountingBloomFilter({ counters: 64, hashes: 3 });
    const names = Array.from({ length: 30 }, (_, i) => nameAt(i));
    filter.addMany(names);
    await press(page, 'counting', 'Add 10 names');
    await press(page, 'counting', 'Find a false positive');
    const wrong = filter.pick(absentNames)[0] as string;
    const said = await page.text('counting-said');
    holds(said.startsWith(`“${wrong}” may be present`), said);
    holds(said.endsWith('But nobody added it: this is a false positive.'), said);
    await press(page, 'counting', 'Remove');
    filter.remove(wrong);
    const lost = filter.omit(names).length;
    const removed = await page.text('counting-said');
    holds(removed.includes(lost === 0 ? 'No other key' : `${lost} key`), `${lost} lost, but said: ${removed}`);
    sameList(await cells(page, 'counting'), countersOf(filter), 'counters');
    const link = `#counting?key=${wrong}&n=30&r=${wrong}`;
    await page.until('the address', `return location.hash === '${link}'`);
    await openSteps(page, `how.html${link}`);
    sameList(await cells(page, 'counting'), countersOf(filter), 'counters after the link');
    await press(page, 'counting', 'Add');
    await browser.evaluate(`location.hash = 'fuse'; await new Promise((resolve) => setTimeout(resolve, 600));`);
    await page.gives('location.hash', '#fuse');
  },

  'the article: two keys collide before the reader does anything, and a picture keeps its state': async ({ page }) => {
    await openSteps(page, 'what.html');
    await page.says({
      'bits-said': '“mark green” may be present: all its bits are set. But nobody added it: this is a false positive.',
    });
    await page.gives('location.hash', '');
    await press(page, 'bits', 'Add 10 names');
    await page.until('the address', `return location.hash.startsWith('#bits?key=mark+green&a=grace+ford&n=10')`);
    const link = await page.get<string>('location.hash');
    const before = await cells(page, 'bits');
    await openSteps(page, `what.html${link}`);
    sameList(await cells(page, 'bits'), before, 'bits after the link');
  },

  'the article: links to its pictures from the time when they stood elsewhere lead on': async ({ page }) => {
    await page.open('offline.html');
    await page.open('how.html#size?bits=1024&hashes=3&keys=100');
    const isReady = `document.getElementById('content')?.dataset.ready === 'true'`;
    await page.until('the article', `return location.pathname.endsWith('/what.html') && ${isReady}`);
    await page.says({ 'size-said': /^100 keys in 1,024 bits, with 3 hashes/ });
    await page.gives('document.querySelectorAll("#size .plot svg circle").length', 2);
  },

  'the article: a step in a frame has its state, and no header': async ({ page, browser }) => {
    await page.open('embed.html#bits?key=ada&a=ada');
    await page.until('the step', `return document.querySelector('[data-shown]') !== null`);
    await page.says({ bits: /An array of bits/ });
    sameList((await cells(page, 'bits')).filter(Boolean), [1, 1, 1, 1], 'bits');
    await page.gives(`document.querySelector('header').offsetHeight`, 0);
    await page.gives('document.getElementById("source").getAttribute("href").split("?")[0]', 'what.html#bits');
    await openSteps(page, 'what.html#bits?key=ada&a=ada');
    await browser.evaluate(`document.querySelector('#bits .embed').open = true`);
    const code = await page.until<string>('the code', `return document.getElementById('bits-embed').value`);
    await browser.evaluate(`
      const holder = document.createElement('div');
      holder.id = 'holder';
      holder.innerHTML = ${JSON.stringify(code)}.replace(' loading="lazy"', '');
      document.body.append(holder);`);
    const bits = `document.querySelector('#holder iframe').contentDocument?.querySelectorAll('#bits .on')`;
    await page.until('four bits in the frame', `return ${bits}.length === 4`);
  },
};
