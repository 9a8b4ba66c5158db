// Under a Content-Security-Policy that refuses WebAssembly.

import { same } from '../../../test/runtimes/checks/assert.ts';
import type { Check } from '../../../test/runtimes/checks/check.ts';
import { FilterPage } from '../filter-page.ts';
import { serveSite } from '../server.ts';
import type { World } from '../world.ts';

const RATE = 0.01;

export function policy({ browser, lists }: World): Check[] {
  return [
    [
      "script-src 'self': the JavaScript engine gives the same lines, and the page says so",
      async () => {
        const server = await serveSite("script-src 'self'");
        try {
          const page = new FilterPage(browser, server.url);
          await page.describe({ mode: 'drop', text: lists.text, list: lists.list, errorRate: RATE });
          await page.start();
          same(
            await page.text('engine'),
            'WebAssembly is refused here, so it ran in plain JavaScript, which is slower. The result is the same.',
            'engine',
          );
          same(await page.digestOf('download'), lists.expected('drop', await page.capacity(), RATE), 'SHA-256');
        } finally {
          server.close();
        }
      },
    ],
  ];
}
