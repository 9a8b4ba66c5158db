// The pages of the site that are no documents, as the search reads them: their titles, descriptions and headings, and
// the steps of the walk.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Plugin, runnerImport } from 'vite';
import type { Step, StepRow } from '../../src/how/step.ts';
import { FIRST_PAGE } from '../docs/documents.ts';
import { plainText, type Section } from '../docs/markdown.ts';
import { foundIn, isListed } from '../head.ts';
import { pages } from '../pages.ts';
import type { Searched } from './entries.ts';

/** The page of the walk. Its sections are made by a script. */
const WALK = 'how.html';

const path = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));

/** The beginning of the page, and each heading that has an id, with what stands below it. */
function sectionsOf(html: string): Section[] {
  const main = html
    .slice(html.indexOf('<main'))
    .replaceAll(/<(template|noscript|select|dl)\b.*?<\/\1>/gs, '')
    .replaceAll('&nbsp;', ' ');
  const [first = '', ...parts] = main.split(/(?=<h[23] id="[^"]*">)/);
  const [, heading = '', text = ''] = /<h1[^>]*>(.*?)<\/h1>(.*)/s.exec(first) ?? [];
  const description = foundIn(html, 'description');
  const beginning = { depth: 1, anchor: '', heading: plainText(heading), text: `${description} ${plainText(text)}` };
  return [
    beginning,
    ...parts.map((part) => {
      const [, anchor = '', title = '', text = ''] = /^<h[23] id="([^"]*)">(.*?)<\/h[23]>(.*)$/s.exec(part) ?? [];
      return { depth: 2, anchor, heading: plainText(title), text: plainText(text) };
    }),
  ];
}

/** Steps import styles, which say nothing. */
const withoutStyles: Plugin = {
  name: 'without-styles',
  enforce: 'pre',
  resolveId: (id) => (id.endsWith('.css') ? '\0nothing' : undefined),
  load: (id) => (id === '\0nothing' ? '' : undefined),
};

/** Imports a module of the pages, which only Vite can. */
async function read<T>(file: string): Promise<T> {
  return (await runnerImport<T>(path(file), { configFile: false, plugins: [withoutStyles] })).module;
}

const sectionOf = async ({ id, title }: StepRow): Promise<Section> => {
  const { step } = await read<{ step: Step }>(`src/how/steps/${id}.ts`);
  return { depth: 2, anchor: id, heading: title, text: step.text.join(' ') };
};

export async function sitePages(): Promise<Searched[]> {
  const { steps } = await read<{ steps: readonly StepRow[] }>('src/how/steps.ts');
  const walk = await Promise.all(steps.map(sectionOf));
  return pages.flatMap(({ file: page }) => {
    if (page === FIRST_PAGE) return [];
    const html = readFileSync(path(page), 'utf8');
    if (!isListed(html)) return [];
    const title = foundIn(html, 'title').replace(/ – bloomery$/, '');
    return [{ page, title, sections: [...sectionsOf(html), ...(page === WALK ? walk : [])] }];
  });
}
