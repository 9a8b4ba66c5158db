// The pages of the site that are no documents, as the search reads them: their titles, descriptions and headings, and
// the steps that they show in pictures.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Plugin, runnerImport } from 'vite';
import type { Step, StepRow } from '../../src/how/step.ts';
import { FIRST_PAGE } from '../docs/documents.ts';
import { plainText, type Section } from '../docs/markdown.ts';
import { foundIn, isListed } from '../head.ts';
import { pages } from '../pages.ts';
import type { Searched } from './entries.ts';

const path = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));

/** The beginning of the page, and each heading that has an id, with what stands below it. */
function sectionsOf(html: string): Section[] {
  const main = html
    .slice(html.indexOf('<main'))
    .replaceAll(/<(template|noscript|select|dl|nav)\b.*?<\/\1>|<section\b[^>]*\bhidden>.*?<\/section>/gs, '')
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

/** A step, which a script makes. */
const sectionOf = async ({ id, title }: StepRow): Promise<Section> => {
  const { step } = await read<{ step: Step }>(`src/how/steps/${id}.ts`);
  return { depth: 2, anchor: id, heading: title, text: step.text.join(' ') };
};

export async function sitePages(): Promise<Searched[]> {
  const { steps } = await read<{ steps: readonly StepRow[] }>('src/how/steps.ts');
  const listed = pages
    .filter(({ file }) => file !== FIRST_PAGE)
    .map(({ file }) => ({ page: file, html: readFileSync(path(file), 'utf8') }))
    .filter(({ html }) => isListed(html));
  return Promise.all(
    listed.map(async ({ page, html }) => {
      const title = foundIn(html, 'title').replace(/ – bloomery$/, '');
      const pictures = await Promise.all(steps.filter((step) => step.page === page).map(sectionOf));
      return { page, title, sections: [...sectionsOf(html), ...pictures] };
    }),
  );
}
