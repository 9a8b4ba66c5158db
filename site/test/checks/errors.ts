// What the page says to input that is none.

import { same } from '../../../test/runtimes/checks/assert.ts';
import type { Check } from '../../../test/runtimes/checks/check.ts';
import { FilterPage } from '../filter-page.ts';
import type { World } from '../world.ts';

/** For each file: where it is uploaded, and what is said. */
const listErrors: readonly (readonly [file: string, as: 'list-file' | 'list-filter', said: string])[] = [
  [
    'some.txt',
    'list-filter',
    'some.txt: It is not a filter that bloomery has saved. If it is a list, choose it as a list.',
  ],
  ['damaged.bloom', 'list-filter', 'damaged.bloom: It is a damaged filter: its checksum is wrong.'],
];

const runErrors: readonly (readonly [file: string, said: string])[] = [
  ['empty.txt', 'It is empty.'],
  ['archive.txt', 'It is a zip archive. Unpack it first.'],
  ['good.bloom', 'It is a saved filter, not a list of lines.'],
];

export function errors({ browser, server, wrong }: World): Check[] {
  const page = new FilterPage(browser, server.url);
  const path = (name: string): string => wrong[name] as string;
  return [
    [
      'error: nothing was chosen',
      async () => {
        await page.open();
        await page.click('start');
        same(await page.text('text-status'), 'Choose a file or paste lines first.', 'text');
        same(await page.text('list-status'), 'Choose a file or paste lines first.', 'list');
      },
    ],
    ...listErrors.map(
      ([file, as, said]): Check => [
        `error: ${file} as ${as === 'list-file' ? 'a list' : 'a filter'}`,
        async () => {
          await page.open();
          await page.upload(as, path(file));
          same(await page.textLike('list-status', /: /), said, 'status');
        },
      ],
    ),
    ...runErrors.map(
      ([file, said]): Check => [
        `error: ${file} as the lines to filter`,
        async () => {
          await page.open();
          await page.choose('once', 0.01);
          await page.upload('text-file', path(file));
          same(await page.start(), `Failed. Lines to filter: ${said}`, 'result');
          same(await page.text('text-status'), `${file}: ${said}`, 'status');
        },
      ],
    ),
    [
      'error: a list that needs too large a filter',
      async () => {
        await page.open();
        await page.choose('keep', 0.000001);
        await page.upload('text-file', path('some.txt'));
        await page.upload('list-file', path('sparse.txt'));
        const said = await page.start();
        same(
          said.replace(/[\d.]+ GB/, 'N GB'),
          'Failed. Second list: It needs a filter of N GB, which is too large. Allow more wrong lines, or divide the list.',
          'result',
        );
      },
    ],
    [
      'an error goes away when the same input is taken',
      async () => {
        await page.open();
        await page.choose('keep', 0.01);
        await page.upload('text-file', path('some.txt'));
        await page.click('start');
        same(await page.text('list-status'), 'Choose a file or paste lines first.', 'at first');
        await page.choose('once', 0.01);
        same(await page.start(), 'Done: 2 of 2 lines.', 'result');
        await page.choose('keep', 0.01);
        same(await page.text('list-status'), 'No lines yet', 'afterwards');
      },
    ],
    [
      'an error goes away when something else is chosen',
      async () => {
        await page.open();
        await page.upload('list-filter', path('some.txt'));
        await page.textLike('list-status', /not a filter/);
        await page.upload('list-filter', path('good.bloom'));
        await page.textLike('list-status', /^good\.bloom: a classic filter/);
        same(
          await browser.evaluate<boolean>('return document.getElementById("list-status").classList.contains("error")'),
          false,
          'it looks like an error',
        );
      },
    ],
  ];
}
