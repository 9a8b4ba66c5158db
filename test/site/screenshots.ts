// Takes the pictures of the site that the documents show: npm run screenshots.

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DrivenBrowser } from '../runtimes/browsers/browser.ts';
import { launchChromium } from '../runtimes/browsers/chromium.ts';
import { temporaryFolder } from '../runtimes/browsers/processes.ts';
import { FilterPage } from './filter-page.ts';
import { writeNames } from './name-files.ts';
import { SitePage } from './page.ts';
import { type SiteServer, serveSite } from './server.ts';

const WIDTH = 1150;

type Take = (browser: DrivenBrowser, server: SiteServer) => Promise<void>;

interface Picture {
  readonly file: string;
  readonly height: number;
  readonly isDark: boolean;
  readonly take: Take;
}

/** All npm names, without half of them. */
const filtered: Take = async (browser, server) => {
  const folder = temporaryFolder();
  const page = new FilterPage(browser, server.url);
  const { text, list } = writeNames(folder.path);
  await page.describe({ mode: 'drop', text, list, errorRate: 1e-6 });
  await page.start();
  folder.remove();
  await browser.evaluate('document.activeElement.blur(); scrollTo(0, 0)');
};

const calculated: Take = async (browser, server) => {
  const page = new SitePage(browser, server.url);
  await page.open('calculator.html?kind=classic&capacity=4500000&errorRate=0.01');
  await page.until('the plots', 'return document.querySelectorAll(".plot svg").length === 2');
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
  { file: 'site-filter.png', height: 1200, isDark: false, take: filtered },
  { file: 'site-calculator.png', height: 1080, isDark: false, take: calculated },
  { file: 'site-names.png', height: 1080, isDark: true, take: named },
];

const server = await serveSite();
for (const { file, height, isDark, take } of pictures) {
  const browser = await launchChromium({ dark: isDark });
  await browser.resize(WIDTH, height);
  await take(browser, server);
  writeFileSync(fileURLToPath(new URL(`../../docs/${file}`, import.meta.url)), await browser.screenshot());
  await browser.close();
}
server.close();
