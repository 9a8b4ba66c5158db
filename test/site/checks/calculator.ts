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
        holds((await page.text('errorRate-note')).includes('at least 0.00001'), 'a rate that is too low for the kind');
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
