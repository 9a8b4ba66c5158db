// Takes the pictures of the site, and writes down what can be read in each, so that tests notice when a page has changed:
// npm run screenshots.

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { launchChromium } from '../../test/runtimes/browsers/chromium.ts';
import { heightOf, pictures, type Taken, textIn } from './pictures.ts';
import { serveSite } from './server.ts';

const server = await serveSite();
const taken: Record<string, Taken> = {};
for (const { file, width, height, isFixed, isDark = false, take } of pictures) {
  const browser = await launchChromium({ dark: isDark });
  await browser.resize(width, height);
  await take(browser, server.url);
  if (!isFixed) await browser.resize(width, await heightOf(browser, height));
  const picture = await browser.screenshot();
  const text = await textIn(browser);
  await browser.close();
  writeFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), picture);
  taken[file] = { sha256: createHash('sha256').update(picture).digest('hex'), text };
}
server.close();
writeFileSync(new URL('pictures.json', import.meta.url), `${JSON.stringify(taken, null, 2)}\n`);
