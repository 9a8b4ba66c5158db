// The calculator: what is changed, what follows, and the URL that keeps it.

import { holds, same } from '../../../test/runtimes/checks/assert.ts';
import type { Check } from '../../../test/runtimes/checks/check.ts';
import { SitePage } from '../page.ts';
import type { World } from '../world.ts';

class CalculatorPage extends SitePage {
  value(id: string): Promise<string> {
    return this.browser.evaluate(`return document.getElementById('${id}').value`);
  }

  write(id: string, text: string): Promise<void> {
    return this.browser.evaluate(`
      const input = document.getElementById('${id}');
      input.value = ${JSON.stringify(text)};
      input.dispatchEvent(new Event('input'));`);
  }

  leave(id: string): Promise<void> {
    return this.browser.evaluate(`document.getElementById('${id}').dispatchEvent(new Event('change'))`);
  }

  query(): Promise<string> {
    return this.browser.evaluate('return location.search');
  }
}

export function calculator({ browser, server }: World): Check[] {
  const page = new CalculatorPage(browser, server.url);
  return [
    [
      'calculator: the rest follows what is changed',
      async () => {
        await page.open('calculator.html');
        same(await page.value('bits'), '9,585,059', 'bits at first');
        await page.write('errorRate', '1 in 1,000');
        same(await page.value('bits'), '14,377,588', 'bits');
        same(await page.value('hashes'), '10', 'hashes');
        same(await page.text('bits-note'), '1.8 MB, 14.4 bits per key', 'size');
        await page.write('bits', '1.2 MB');
        const capacity = Number((await page.value('capacity')).replaceAll(',', ''));
        holds(capacity > 660_000 && capacity < 675_000, `capacity: ${capacity}`);
        holds((await page.text('typescript')).includes('{ bits: 9_600_000, hashes: 10 }'), 'the code');
        same(await page.text('sought'), 'keys that fit', 'what all kinds are asked for');
        holds(/^1.2 MB for 66\d,\d{3} keys: that fits into the cache/.test(await page.text('words')), 'the words');
        await page.click('ask-bits');
        same(await page.text('sought'), 'size', 'what all kinds are asked for by capacity and error rate');
      },
    ],
    [
      'calculator: the URL keeps what was chosen',
      async () => {
        await page.open('calculator.html');
        await page.write('capacity', '4.5M');
        await browser.evaluate('document.querySelector("#kinds input[value=fuse]").click()');
        const query = await page.query();
        same(query, '?kind=fuse&errorRate=0.01&capacity=4500000', 'query');
        await page.open(`calculator.html${query}`);
        same(await page.value('capacity'), '4,500,000', 'capacity');
        holds(
          (await page.text('command')).includes('--kind fuse --error-rate 0.01'),
          'the command line is not that of the query',
        );
      },
    ],
    [
      'calculator: says what a field takes, and what a kind cannot do',
      async () => {
        await page.open('calculator.html');
        await page.write('errorRate', '2');
        same(await page.text('errorRate-note'), 'Between 0 and 1, such as 0.01, 1 % or 1 in 100.', 'a wrong rate');
        await browser.evaluate('document.querySelector("#kinds input[value=blocked]").click()');
        await page.write('errorRate', '1e-9');
        const tooLow = 'Blocked filters go down to 0.001 %: take wide.';
        same(await page.text('errorRate-note'), tooLow, 'a rate that is too low for the kind');
        holds((await page.text('kinds')).includes(tooLow), 'the table does not say why');
      },
    ],
    [
      'calculator: what is refused stays as it was written, and has no results',
      async () => {
        await page.open('calculator.html');
        await browser.evaluate('document.querySelector("#kinds input[value=cuckoo]").click()');
        for (const text of ['5', '5G']) await page.write('capacity', text);
        await page.leave('capacity');
        same(await page.value('capacity'), '5G', 'capacity');
        same(await page.text('capacity-note'), 'Too many keys for one cuckoo filter: divide them.', 'note');
        same(await page.value('bits'), '', 'bits');
        same(await page.text('typescript'), '', 'code');
        await page.write('capacity', 'five');
        await page.leave('capacity');
        same(await page.value('capacity'), 'five', 'capacity that cannot be read');
        await page.write('errorRate', '0.1 %');
        same(await page.text('capacity-note'), 'A whole number of keys, such as 1,000,000 or 1M.', 'note');
        await page.write('capacity', '1e30');
        same(await page.text('capacity-note'), 'At most 9,007,199,254,740,991.', 'note at a number beyond all');
        await page.write('capacity', '5k');
        await page.leave('capacity');
        same(await page.value('capacity'), '5,000', 'capacity that is accepted');
        holds((await page.text('typescript')).includes('{ capacity: 5000, errorRate: 0.001 }'), 'the code');
      },
    ],
    [
      'calculator: both plots are drawn, follow the theme, and can be saved',
      async () => {
        await page.open('calculator.html');
        const dots = 'document.querySelectorAll(".plot svg circle")';
        same(
          await browser.evaluate<number>(`return ${dots}.length`),
          4,
          'dots: three filters that fill, and one among all kinds',
        );
        same(await browser.evaluate<number>('return document.querySelectorAll("[style]").length'), 0, 'inline styles');
        const saved = await browser.evaluate<[string, string][]>(`
          const saved = [];
          const { createObjectURL } = URL;
          const clicked = HTMLAnchorElement.prototype.click;
          HTMLAnchorElement.prototype.click = function () { saved.push(this.download); };
          const blobs = [];
          URL.createObjectURL = (blob) => { blobs.push(blob); return createObjectURL(blob); };
          for (const button of document.querySelectorAll('#bits-plot-files button')) button.click();
          for (const begun = Date.now(); blobs.length < 2 && Date.now() < begun + 10_000;) {
            await new Promise((resolve) => setTimeout(resolve, 20));
          }
          URL.createObjectURL = createObjectURL;
          HTMLAnchorElement.prototype.click = clicked;
          return Promise.all(blobs.map(async (blob, i) => [saved[i], blob.type + ' ' + (await blob.slice(0, 4).text())]));`);
        same(saved.map(([name]) => name).join(), 'bloomery-bits-per-key.svg,bloomery-bits-per-key.png', 'files');
        holds(saved[0]?.[1] === 'image/svg+xml <svg' && saved[1]?.[1] === 'image/png \uFFFDPNG', String(saved));
      },
    ],
    [
      'the chooser: four answers lead to a kind, its code and its numbers in the calculator',
      async () => {
        await page.open('choose.html');
        same(await page.text('kind'), 'Take a BloomFilter', 'kind at first');
        await browser.evaluate('document.querySelector("input[name=deletes][value=yes]").click()');
        await page.write('keys', '4.5M');
        same(await page.text('kind'), 'Take a CuckooFilter', 'kind from which keys are deleted');
        holds((await page.text('typescript')).includes('{ capacity: 4_500_000, errorRate: 0.01 }'), 'the code');
        const query = await page.query();
        same(query, '?complete=no&known=yes&deletes=yes&rare=no&keys=4500000', 'query');
        await page.open(`choose.html${query}`);
        same(await page.text('kind'), 'Take a CuckooFilter', 'kind of the link');
        await page.open(await browser.evaluate('return document.getElementById("calculate").getAttribute("href")'));
        holds((await page.text('words')).includes('4,500,000'), 'the calculator has other numbers');
        same(await browser.evaluate<boolean>('return document.getElementById("kind-cuckoo").checked'), true, 'kind');
      },
    ],
  ];
}
