import { holds, same } from '../../../test/runtimes/checks/assert.ts';
import type { SiteServer } from '../server.ts';
import type { Checks } from '../world.ts';

/** Links of a page that lead to a file or an anchor that the site does not have. */
function brokenLinks(page: string, { files, url }: SiteServer): string[] {
  const textOf = (path: string): string => Buffer.from(files.get(path) ?? []).toString();
  const links = Array.from(textOf(page).matchAll(/<a [^>]*href="([^"]*)"/g), ([, href = '']) => href);
  return links
    .filter((href) => !/^https?:/.test(href))
    .filter((href) => {
      const [target = '', anchor = ''] = new URL(href, url + page).href.replace(url, '').split('#');
      return !files.has(target) || (anchor !== '' && !textOf(target).includes(` id="${anchor}"`));
    })
    .map((href) => `${page}: ${href}`);
}

export const inEach: Checks = {
  'documentation: a link to a folded member unfolds it, and code can be copied': async ({ page }) => {
    await page.open('docs/api/bloomery/classes/BloomFilter.html#tobytes');
    await page.until('the member', 'return document.getElementById("tobytes").closest("details").open');
    const isInView = 'Math.abs(document.getElementById("tobytes").getBoundingClientRect().top) < innerHeight';
    await page.until('the member in view', `return ${isInView}`);
    await page.clickOn('.copy');
    // Headless browsers differ in whether they ask for permission.
    await page.says({ copied: /^(?:Copied|Not allowed)$/ });
  },
};

export const inChromium: Checks = {
  'documentation: the button that copies covers no code': async ({ browser, page }) => {
    await browser.resize(360, 900);
    await page.open('docs/saving.html');
    const [blocks, covered] = await browser.evaluate<number[]>(`
      const buttons = [...document.querySelectorAll('.copy')];
      const covers = (button) =>
        button.previousElementSibling.getBoundingClientRect().right > button.getBoundingClientRect().left;
      return [buttons.length, buttons.filter(covers).length];`);
    same(`${covered} of ${blocks}`, `0 of ${blocks}`, 'buttons over code');
    holds(Number(blocks) > 2, `${blocks} buttons`);
  },

  'documentation: the list of pages begins with a whole row, and shows the open page': async ({ browser, page }) => {
    await browser.resize(1280, 600);
    for (const path of ['docs/saving.html', 'docs/api/bloomery/guard/interfaces/GuardStats.html']) {
      await page.open(path);
      const [above, below] = await page.until<number[]>(
        'the list',
        `const list = document.querySelector('.docs-contents nav');
        const { top, bottom } = list.getBoundingClientRect();
        const rows = [...list.querySelectorAll('h2, a')].map((row) => row.getBoundingClientRect());
        const open = list.querySelector('[aria-current]').getBoundingClientRect();
        return [rows.filter((row) => row.top < top - 1 && row.bottom > top + 1).length, bottom - open.bottom];`,
      );
      same(above, 0, `${path}: rows that are cut`);
      holds(Number(below) > 0, `${path}: the open page is ${below} px above the end of the list`);
    }
  },

  'every link of every page leads somewhere': ({ server }) => {
    const pages = [...server.files.keys()].filter((name) => name.endsWith('.html'));
    holds(pages.length > 40, `${pages.length} pages`);
    same(pages.flatMap((page) => brokenLinks(page, server)).join('\n'), '', 'broken links');
    return `${pages.length} pages`;
  },
};
