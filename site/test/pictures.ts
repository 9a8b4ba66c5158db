// The pictures of the site that the documents show, and the one that other sites show beside a link: what each is of, where
// it ends, and what can be read in it.

import type { DrivenBrowser } from '../../test/runtimes/browsers/browser.ts';
import { temporaryFolder } from '../../test/runtimes/browsers/processes.ts';
import { CARD } from '../tools/head.ts';
import { FilterPage } from './filter-page.ts';
import { writeNames } from './name-files.ts';
import { SitePage } from './page.ts';

/** Between the edge of a picture and what it shows. */
const ROOM = 16;

type Take = (browser: DrivenBrowser, url: string) => Promise<void>;

export interface Picture {
  readonly file: string;
  readonly width: number;
  /** The most that it may have. It ends where nothing is cut. */
  readonly height: number;
  /** Whether it has all of this height. */
  readonly isFixed?: true;
  readonly isDark?: true;
  readonly take: Take;
}

/** All npm names, without half of them. */
const filtered: Take = async (browser, url) => {
  const folder = temporaryFolder();
  const page = new FilterPage(browser, url);
  const { text, list } = writeNames(folder.path);
  await page.describe({ mode: 'drop', text, list, errorRate: 0 });
  await page.start();
  folder.remove();
  await browser.evaluate(`
    document.activeElement.blur();
    scrollBy(0, document.getElementById('run').getBoundingClientRect().top - ${ROOM});`);
};

const first: Take = (browser, url) => new SitePage(browser, url).open();

/** The question, the answer, and the code: what fits on a card. */
const card: Take = async (browser, url) => {
  await first(browser, url);
  await browser.evaluate(
    `for (const each of document.querySelectorAll('.site-header, .hero > .rows > :not(h1, .lead), #lines-title + p')) each.remove();`,
  );
};

const calculated: Take = async (browser, url) => {
  const page = new SitePage(browser, url);
  await page.open('calculator.html?kind=classic&capacity=4500000&errorRate=0.01');
  await page.textLike('paste', /^n = 4,500,000 keys/);
};

const named: Take = async (browser, url) => {
  const page = new SitePage(browser, url);
  await page.open('names.html');
  await page.click('load');
  await page.textLike('loading', /^Loaded/);
  await page.enter('name', 'express');
  await page.click('measure');
  await page.textLike('measured-here', /^\d/);
  await browser.evaluate('document.activeElement.blur()');
};

const WIDTH = 1150;

export const pictures: readonly Picture[] = [
  { file: 'docs/site-first.png', width: WIDTH, height: 1200, take: first },
  { file: 'docs/site-filter.png', width: WIDTH, height: 870, take: filtered },
  { file: 'docs/site-calculator.png', width: WIDTH, height: 1100, take: calculated },
  { file: 'docs/site-names.png', width: WIDTH, height: 1200, isDark: true, take: named },
  { file: `site/public/${CARD}`, width: 1200, height: 630, isFixed: true, take: card },
];

/** The height at which a picture of the open page ends: below as much as fits, where no section, panel or line is cut. */
export function heightOf(browser: DrivenBrowser, most: number): Promise<number> {
  return browser.evaluate(`
    const hasText = ({ childNodes }) => [...childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
    const boxes = [...document.querySelectorAll('main *')]
      .filter((each) => each.matches('main > section, .panel, .code, pre, table, figure, fieldset, svg, img, input, select') || hasText(each))
      .map((each) => each.getBoundingClientRect())
      .filter(({ width, height }) => width > 1 && height > 1);
    const edges = boxes.map(({ bottom }) => Math.ceil(bottom) + ${ROOM}).filter((edge) => edge <= ${most});
    const free = edges.filter((edge) => boxes.every(({ top, bottom }) => top >= edge + 1 || bottom <= edge - ${ROOM} + 1));
    const height = Math.max(...free);
    if (height < ${most} / 2) throw new Error('a picture of at most ${most} pixels would cut something wherever it ends');
    return height;`);
}

/** The texts in the picture of the open page, in the order of the page, without numbers, of which many are measured. */
export async function textIn(browser: DrivenBrowser): Promise<string[]> {
  const texts = await browser.evaluate<[text: string, isInView: boolean][]>(`
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) {
      const { data, parentElement } = walker.currentNode;
      const text = data.trim().replaceAll(/\\s+/g, ' ').replaceAll(/\\d[\\d.,]*/g, '#').replaceAll(/# (?:ns|ms|s|min)\\b/g, '#');
      if (text === '' || !parentElement.checkVisibility({ visibilityProperty: true })) continue;
      const { top, bottom, width } = parentElement.getBoundingClientRect();
      if (width > 1) texts.push([text.replaceAll(/#(?: #)+/g, '#'), top >= 0 && bottom <= innerHeight]);
    }
    return texts;`);
  const isInView = texts.map(([, each]) => each);
  return texts.slice(isInView.indexOf(true), isInView.lastIndexOf(true) + 1).map(([text]) => text);
}

/** A picture as it was taken: the digest of its file, and what can be read in it. */
export interface Taken {
  readonly sha256: string;
  readonly text: readonly string[];
}
