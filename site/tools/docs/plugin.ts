// Makes the pages of the documentation from the repository's Markdown when the site is built.

import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { project } from '../project.ts';
import { entriesOf } from '../search/entries.ts';
import { sitePages } from '../search/site-pages.ts';
import { allGroups, type Document, type Group, readSource } from './documents.ts';
import { type Reference, resolverFor } from './links.ts';
import { idsIn, render } from './markdown.ts';
import { pageOf, type Shown, type ShownGroup } from './page.ts';

const site = fileURLToPath(new URL('../..', import.meta.url));
/** The name under which pages import the data for the search. */
const SEARCH_DATA = 'virtual:search-data';

/** @throws Error unless each link leads to something */
function checkAnchors(references: readonly Reference[], shown: readonly Shown[]): void {
  const ids = new Map(shown.map(({ page, html }) => [page, idsIn(html)]));
  const broken = references.filter(({ page, anchor }) => anchor !== '' && !ids.get(page)?.has(anchor));
  const list = broken.map(({ from, page, anchor }) => `${from} links to ${page}#${anchor}`);
  if (list.length > 0) throw new Error(`there is nothing where these links lead: ${list.join('; ')}`);
}

/** @throws Error unless each link leads to something */
export function show(groups: readonly Group[]): ShownGroup[] {
  const documents = groups.flatMap((group) => group.documents);
  const { repository } = project;
  const sources = repository && `${repository}/blob/main/`;
  const references: Reference[] = [];
  const showOne = (document: Document): Shown => {
    const rendered = render(readSource(document.source), resolverFor(document, documents, sources, references));
    return { ...document, ...rendered, title: document.label ?? rendered.sections[0]?.heading ?? document.page };
  };
  const shown = groups.map((group) => ({ ...group, documents: group.documents.map(showOne) }));
  checkAnchors(
    references,
    shown.flatMap((group) => group.documents),
  );
  return shown;
}

/** The documentation's pages as inputs of the build, by name, and the plugin that fills them. */
export function documentation(): { readonly input: Readonly<Record<string, string>>; readonly plugin: Plugin } {
  const groups = show(allGroups());
  const pages = new Map(
    groups.flatMap(({ documents }) => documents.map((document) => [site + document.page, document] as const)),
  );
  return {
    input: Object.fromEntries(Array.from(pages, ([path, { page }]) => [page.replace(/\.html$/, ''), path])),
    plugin: {
      name: 'bloomery-documentation',
      resolveId: (id) => (pages.has(id) || id === SEARCH_DATA ? id : undefined),
      async load(id) {
        if (id === SEARCH_DATA) {
          const entries = entriesOf([...groups, { part: 'site', documents: await sitePages() }]);
          const reference = this.emitFile({ type: 'asset', name: 'search.json', source: JSON.stringify(entries) });
          return `export default import.meta.ROLLUP_FILE_URL_${reference};`;
        }
        const document = pages.get(id);
        return document && pageOf(groups, document, project.repository);
      },
    },
  };
}
