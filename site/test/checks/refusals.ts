// What the page that filters a list says to input that is none.

import { same } from '../../../test/runtimes/checks/assert.ts';
import type { Checks } from '../world.ts';

const MISSING = 'Choose a file or paste lines first.';

/** What is said of files that are loaded as filters. */
const noFilters = {
  'some.txt': 'It is not a filter that bloomery has saved. If it is a list, choose it as a list.',
  'damaged.bloom': 'It is a damaged filter: its checksum is wrong.',
};

/** What is said of files whose lines are to be filtered. */
const noLists = {
  'archive.txt': 'It is a zip archive. Unpack it first.',
  'good.bloom': 'It is a saved filter, not a list of lines.',
};

export const inChromium: Checks = {
  'files that are no filter or no list are refused, until another is chosen': async ({ filterPage, path }) => {
    await filterPage.open();
    for (const [file, said] of Object.entries(noFilters)) {
      await filterPage.upload('list-filter', path(file));
      await filterPage.says({ 'list-status': `${file}: ${said}` });
    }
    await filterPage.upload('list-filter', path('good.bloom'));
    await filterPage.says({ 'list-status': /^good\.bloom: a classic filter, made for 2 keys$/ });
    await filterPage.gives('document.getElementById("list-status").classList.contains("error")', false);
    await filterPage.choose('once', 0.01);
    for (const [file, said] of Object.entries(noLists)) {
      await filterPage.upload('text-file', path(file));
      same(await filterPage.start(), `Failed. Lines to filter: ${said}`, file);
      await filterPage.says({ 'text-status': `${file}: ${said}` });
    }
  },

  'nothing that was chosen is asked for, until it is not needed': async ({ filterPage, path }) => {
    await filterPage.open();
    await filterPage.click('start');
    await filterPage.says({ 'text-status': MISSING, 'list-status': MISSING });
    await filterPage.upload('text-file', path('some.txt'));
    await filterPage.says({ 'text-status': 'some.txt, 8 bytes', 'list-status': MISSING });
    await filterPage.choose('once', 0.01);
    same(await filterPage.start(), 'Done: 2 of 2 lines.', 'result');
    await filterPage.choose('keep', 0.01);
    await filterPage.says({ 'list-status': 'No lines yet' });
  },

  'a list that needs too large a filter is refused': async ({ filterPage, path }) => {
    await filterPage.describe({ mode: 'keep', text: path('some.txt'), list: path('sparse.txt'), errorRate: 1e-6 });
    const advice = 'It needs a filter of N GB, which is too large. Allow more wrong lines, or divide the list.';
    same((await filterPage.start()).replace(/[\d.]+ GB/, 'N GB'), `Failed. Second list: ${advice}`, 'result');
  },
};
