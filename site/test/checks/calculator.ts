// The calculator: what is changed, what follows, and the URL that keeps it; and the chooser, which leads to it.

import { holds, same } from '../../../test/runtimes/checks/assert.ts';
import type { SitePage } from '../page.ts';
import type { Checks } from '../world.ts';

const value = (page: SitePage, id: string): Promise<string> => page.get(`document.getElementById('${id}').value`);
const query = (page: SitePage): Promise<string> => page.get('location.search');
const take = (page: SitePage, kind: string): Promise<void> => page.clickOn(`#kinds input[value=${kind}]`);

/** From then on the address is not written, as in browsers where that was done often. */
const REFUSE = `history.replaceState = () => { throw new DOMException('too often', 'SecurityError'); }`;

async function expectValues(page: SitePage, wanted: Readonly<Record<string, string>>): Promise<void> {
  for (const [id, text] of Object.entries(wanted)) same(await value(page, id), text, id);
}

/** Writes into a field, and leaves it. */
async function write(page: SitePage, id: string, text: string): Promise<void> {
  await page.enter(id, text);
  await page.browser.evaluate(`document.getElementById('${id}').dispatchEvent(new Event('change'))`);
}

export const inEach: Checks = {
  'calculator: a link to a folded part opens it, also once it was closed again': async ({ page, browser }) => {
    const isOpen = `document.getElementById('fold-kinds').open`;
    await page.open('calculator.html#kinds-title');
    await page.gives(isOpen, true);
    await browser.evaluate(`document.getElementById('fold-kinds').open = false`);
    await page.clickOn('a.another');
    await page.gives(isOpen, true);
  },

  'calculator: both plots are drawn, follow the theme, and can be saved': async ({ page, browser }) => {
    await page.open('calculator.html?open=plots');
    // Three filters that fill, and one among all kinds.
    await page.gives('document.querySelectorAll(".plot svg circle").length', 4);
    await page.gives('document.querySelectorAll("[style]").length', 0);
    const saved = await browser.evaluate<string[]>(`
      const names = [];
      const { createObjectURL } = URL;
      const clicked = HTMLAnchorElement.prototype.click;
      HTMLAnchorElement.prototype.click = function () { names.push(this.download); };
      const blobs = [];
      URL.createObjectURL = (blob) => { blobs.push(blob); return createObjectURL(blob); };
      for (const button of document.querySelectorAll('#bits-plot-files button')) button.click();
      for (const begun = Date.now(); blobs.length < 2 && Date.now() < begun + 10_000;) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      URL.createObjectURL = createObjectURL;
      HTMLAnchorElement.prototype.click = clicked;
      return Promise.all(blobs.map(async (blob, i) => [names[i], blob.type, await blob.slice(0, 4).text()].join(' ')));`);
    const wanted = ['bloomery-bits-per-key.svg image/svg+xml <svg', 'bloomery-bits-per-key.png image/png \uFFFDPNG'];
    same(saved.join(), wanted.join(), 'files');
  },
};

export const inChromium: Checks = {
  'calculator: the rest follows what is changed, also after a fragment that cannot be decoded': async ({ page }) => {
    await page.open('calculator.html#100%');
    await expectValues(page, { bits: '9,585,059' });
    await page.enter('errorRate', '1 in 1,000');
    await expectValues(page, { bits: '14,377,588', hashes: '10' });
    await page.says({ 'bits-note': '1.8 MB, 14.4 bits per key' });
    await page.enter('bits', '1.2 MB');
    const capacity = Number((await value(page, 'capacity')).replaceAll(',', ''));
    holds(capacity > 660_000 && capacity < 675_000, `capacity: ${capacity}`);
    await page.says({
      typescript: /\{ bits: 9_600_000, hashes: 10 \}/,
      sought: 'keys that fit',
      words: /^1.2 MB for 66\d,\d{3} keys: that fits into the cache/,
    });
    await page.click('ask-bits');
    await page.says({ sought: 'size' });
  },

  'calculator: the URL keeps what was chosen': async ({ page }) => {
    await page.open('calculator.html');
    await page.enter('capacity', '4.5M');
    await take(page, 'fuse');
    same(await query(page), '?kind=fuse&errorRate=0.01&capacity=4500000', 'query');
    await page.open(`calculator.html${await query(page)}`);
    await expectValues(page, { capacity: '4,500,000' });
    await page.says({ command: /--kind fuse --error-rate 0\.01/ });
  },

  'calculator: the answer is copied as it stands, and the URL keeps what is unfolded': async ({ browser, page }) => {
    await page.open('calculator.html?kind=classic&capacity=10000000&errorRate=0.001');
    await browser.evaluate('navigator.clipboard.writeText = async (text) => { window.copied = text; };');
    await page.clickOn('[data-copies=paste]');
    await page.says({ copied: 'Copied' });
    await page.gives('window.copied', await page.text('paste'));
    await browser.evaluate(REFUSE);
    await take(page, 'fuse');
    await page.says({ 'words-title': 'A fuse filter' });
    await page.click('copy-link');
    await page.until('the link', `return window.copied.endsWith('?kind=fuse&capacity=10000000&errorRate=0.001')`);
    await browser.evaluate('delete history.replaceState');
    await page.enter('capacity', 'ten');
    await page.gives('document.getElementById("copy-link").disabled', true);
    await page.enter('capacity', '10M');
    await page.gives('document.querySelectorAll("details[open]").length', 0);
    await page.clickOn('a.another');
    await page.until('the kinds', `return location.search.endsWith('&open=kinds')`);
    await page.open(`calculator.html${await query(page)}`);
    await page.gives('[...document.querySelectorAll("details[open]")].map(({ id }) => id)', ['fold-kinds']);
  },

  'calculator: what is refused stays as it was written, says why, and has no results': async ({ page }) => {
    await page.open('calculator.html');
    await page.enter('errorRate', '2');
    await page.says({ 'errorRate-note': 'Between 0 and 1, such as 0.01, 1 % or 1 in 100.' });
    await take(page, 'blocked');
    await page.enter('errorRate', '1e-9');
    const tooLow = 'Blocked filters go down to 0.001 %: take wide.';
    await page.says({ 'errorRate-note': tooLow, kinds: new RegExp(tooLow) });
    await page.enter('errorRate', '0.01');
    await take(page, 'cuckoo');
    await page.enter('capacity', '5');
    await write(page, 'capacity', '5G');
    await expectValues(page, { capacity: '5G', bits: '' });
    await page.says({ 'capacity-note': 'Too many keys for one cuckoo filter: divide them.', typescript: '' });
    await write(page, 'capacity', 'five');
    await expectValues(page, { capacity: 'five' });
    await page.enter('errorRate', '0.1 %');
    await page.says({ 'capacity-note': 'A whole number of keys, such as 1,000,000 or 1M.' });
    await page.enter('capacity', '1e30');
    await page.says({ 'capacity-note': 'At most 9,007,199,254,740,991.' });
    await write(page, 'capacity', '5k');
    await expectValues(page, { capacity: '5,000' });
    await page.says({ typescript: /\{ capacity: 5000, errorRate: 0\.001 \}/ });
  },

  'the chooser: answers lead to a kind, its code and its numbers in the calculator': async ({ page }) => {
    await page.open('choose.html');
    await page.says({ kind: 'Take a BloomFilter' });
    await page.clickOn('input[name=deletes][value=yes]');
    await page.enter('keys', '4.5M');
    await page.says({ kind: 'Take a CuckooFilter', typescript: /\{ capacity: 4_500_000, errorRate: 0\.01 \}/ });
    const asked = await query(page);
    same(asked, '?errs=yes&complete=no&known=yes&deletes=yes&rare=no&keys=4500000', 'query');
    await page.open(`choose.html${asked}`);
    await page.says({ kind: 'Take a CuckooFilter' });
    await page.browser.evaluate(REFUSE);
    await page.enter('keys', '10G');
    await page.gives('document.getElementById("code").offsetHeight', 0);
    await page.enter('keys', '4.5M');
    await page.open(await page.get('document.getElementById("calculate").getAttribute("href")'));
    await page.says({ words: /4,500,000/ });
    await page.gives('document.getElementById("kind-cuckoo").checked', true);
    await page.open(`choose.html${asked.replace('errs=yes', 'errs=no')}`);
    await page.says({ kind: 'Take a FingerprintSet', words: /^About 90 MB/, others: /^Set, for few/ });
    await page.gives('document.querySelectorAll("#questions fieldset:disabled").length', 4);
    await page.open(await page.get('document.getElementById("calculate").getAttribute("href")'));
    await page.says({ kinds: /FingerprintSet.*90 MB160/ });
  },
};
