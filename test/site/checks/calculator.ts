// The calculator: what is changed, what follows, and the URL that keeps it.

import { holds, same } from '../../runtimes/checks/assert.ts';
import type { Check } from '../../runtimes/checks/check.ts';
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
        await page.write('capacity', '5k');
        await page.leave('capacity');
        same(await page.value('capacity'), '5,000', 'capacity that is accepted');
        holds((await page.text('typescript')).includes('{ capacity: 5000, errorRate: 0.001 }'), 'the code');
      },
    ],
    [
      'calculator: a query that is refused is shown',
      async () => {
        await page.open('calculator.html?kind=blocked&capacity=1000000&errorRate=0.000001');
        same(await page.value('capacity'), '1,000,000', 'capacity');
        same(await page.value('errorRate'), '0.0001 %', 'error rate');
        same(await page.text('errorRate-note'), 'Blocked filters go down to 0.001 %: take wide.', 'note');
        holds((await page.text('kinds')).includes('4.9 MB'), 'the size of a wide filter is missing');
        same(await page.text('command'), '', 'command');
      },
    ],
    [
      'calculator: both plots are drawn',
      async () => {
        await page.open('calculator.html');
        await page.until(
          'two drawings',
          `const drawn = [...document.querySelectorAll('.plot canvas')].filter((canvas) => {
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            return data.some((value) => value > 0);
          });
          return drawn.length === 2;`,
        );
      },
    ],
  ];
}
