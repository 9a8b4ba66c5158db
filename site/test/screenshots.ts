// Takes the pictures of the site that the documents show, and the one that other sites show beside a link: npm run
// screenshots.

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DrivenBrowser } from '../../test/runtimes/browsers/browser.ts';
import { launchChromium } from '../../test/runtimes/browsers/chromium.ts';
import { temporaryFolder } from '../../test/runtimes/browsers/processes.ts';
import { CARD } from '../tools/head.ts';
import { FilterPage } from './filter-page.ts';
import { writeNames } from './name-files.ts';
import { SitePage } from './page.ts';
import { type SiteServer, serveSite } from './server.ts';

const WIDTH = 1150;

type Take = (browser: DrivenBrowser, server: SiteServer) => Promise<void>;

interface Picture {
  /** Its path in the repository. */
  readonly file: string;
  readonly width?: number;
  readonly height: number;
  readonly isDark: boolean;
  readonly take: Take;
}

/** All npm names, without half of them. */
const filtered: Take = async (browser, server) => {
  const folder = temporaryFolder();
  const page = new FilterPage(browser, server.url);
  const { text, list } = writeNames(folder.path);
  await page.describe({ mode: 'drop', text, list, errorRate: 0 });
  await page.start();
  folder.remove();
  await browser.evaluate('document.activeElement.blur()');
};

const first: Take = async (browser, server) => {
  await new SitePage(browser, server.url).open();
};

/** The question, the answer, and the code: what fits on a card. */
const card: Take = async (browser, server) => {
  await first(browser, server);
  await browser.evaluate(
    `for (const each of document.querySelectorAll('.site-header, .hero-text > :not(h1, .lead), #lines-title + p')) each.remove();`,
  );
};

const calculated: Take = async (browser, server) => {
  const page = new SitePage(browser, server.url);
  await page.open('calculator.html?kind=classic&capacity=4500000&errorRate=0.01');
  await page.textLike('paste', /^n = 4,500,000 keys/);
};

const named: Take = async (browser, server) => {
  const page = new SitePage(browser, server.url);
  await page.open('names.html');
  await page.click('load');
  await page.textLike('loading', /^Loaded/);
  await browser.type('express');
  await page.click('measure');
};

const pictures: readonly Picture[] = [
  { file: 'docs/site-first.png', height: 1100, isDark: false, take: first },
  { file: 'docs/site-filter.png', height: 860, isDark: false, take: filtered },
  { file: 'docs/site-calculator.png', height: 1080, isDark: false, take: calculated },
  { file: 'docs/site-names.png', height: 1080, isDark: true, take: named },
  { file: `site/public/${CARD}`, width: 1200, height: 630, isDark: false, take: card },
];

const server = await serveSite();
for (const { file, width = WIDTH, height, isDark, take } of pictures) {
  const browser = await launchChromium({ dark: isDark });
  await browser.resize(width, height);
  await take(browser, server);
  writeFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), await browser.screenshot());
  await browser.close();
}
server.close();
