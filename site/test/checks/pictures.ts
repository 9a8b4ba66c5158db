// The pictures in the documents show the pages as they are. `npm run screenshots` takes them again.

import { holds } from '../../../test/runtimes/checks/assert.ts';
import taken from '../pictures.json' with { type: 'json' };
import { pictures, type Taken, textIn } from '../pictures.ts';
import type { Checks } from '../world.ts';

const records: Readonly<Record<string, Taken>> = taken;

export const inChromium: Checks = Object.fromEntries(
  pictures.map(({ file, width, height, take }) => [
    `pictures: ${file} shows its page as it is, or must be taken again by npm run screenshots`,
    async ({ browser, server }) => {
      await browser.resize(width, height);
      await take(browser, server.url);
      const wanted = records[file]?.text ?? [];
      holds(wanted.length > 0, 'nothing is written down of this picture');
      // A picture may end where this window does not: fonts differ.
      await browser.resize(width, 10_000);
      const text = await textIn(browser);
      const from = Math.max(0, text.indexOf(wanted[0] ?? ''));
      const at = wanted.findIndex((line, i) => line !== text[from + i]);
      holds(at < 0, `where the picture has “${wanted[at]}”, the page has “${text[from + at]}”`);
    },
  ]),
);
