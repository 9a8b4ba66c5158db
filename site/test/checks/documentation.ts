// The documentation, and the links of all pages.

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
      const [target = '', anchor = ''] = decodeURI(new URL(href, url + page).href.replace(url, '')).split('#');
      return !files.has(target) || (anchor !== '' && !textOf(target).includes(` id="${anchor}"`));
    })
    .map((href) => `${page}: ${href}`);
}

export const inEach: Checks = {
  'documentation: a link to a folded member unfolds it, and code can be copied': async ({ page }) => {
    await page.open('docs/api/bloomery/classes/BloomFilter.html#tobytes');
    await page.until('the member', 'return document.getElementById("tobytes").closest("details").open');
    await page.until(
      'the member in view',
      'return Math.abs(document.getElementById("tobytes").getBoundingClientRect().top) < innerHeight',
    );
    await page.clickOn('.copy');
    // Headless browsers differ in whether they ask for permission.
    await page.says({ copied: /^(?:Copied|Not allowed)$/ });
  },
};

export const inChromium: Checks = {
  'every link of every page leads somewhere': ({ server }) => {
    const pages = [...server.files.keys()].filter((name) => name.endsWith('.html'));
    holds(pages.length > 40, `${pages.length} pages`);
    same(pages.flatMap((page) => brokenLinks(page, server)).join('\n'), '', 'broken links');
    return `${pages.length} pages`;
  },
};
