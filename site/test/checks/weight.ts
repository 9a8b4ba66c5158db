// What a page loads before anything is pressed.

import { gzipSync } from 'node:zlib';
import { holds } from '../../../test/runtimes/checks/assert.ts';
import type { Check } from '../../../test/runtimes/checks/check.ts';
import { SitePage } from '../page.ts';
import { pages } from '../pages.ts';
import type { World } from '../world.ts';

const LIMIT = 120_000;

export function weight({ browser, server }: World): Check[] {
  return pages.map(
    ({ file }): Check => [
      `${file}: the first load is below ${LIMIT / 1000} KB gzipped`,
      async () => {
        await new SitePage(browser, server.url).open(file);
        const urls = await browser.evaluate<string[]>(
          'return performance.getEntriesByType("resource").map(({ name }) => name)',
        );
        const paths = new Set([file, ...urls.map((url) => url.replace(server.url, ''))]);
        const sizes = [...paths].map((path) => {
          const contents = server.files.get(path);
          if (contents === undefined) throw new Error(`it loads ${path}, which the site does not have`);
          return gzipSync(contents, { level: 9 }).length;
        });
        const sum = sizes.reduce((all, size) => all + size, 0);
        holds(sum < LIMIT, `${sum} bytes`);
        return `${(sum / 1000).toFixed(1)} KB in ${paths.size} files`;
      },
    ],
  );
}
