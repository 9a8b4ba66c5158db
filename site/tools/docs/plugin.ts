// Makes the pages of the documentation from the repository's Markdown when the site is built.

import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { project } from '../project.ts';
import { allGroups } from './documents.ts';
import { pageOf } from './page.ts';
import { entriesOf } from './search-entries.ts';
import { show } from './show.ts';

const site = fileURLToPath(new URL('../..', import.meta.url));
/** The name under which the page imports the data for the search. */
const SEARCH_DATA = 'virtual:search-data';

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
      load(id) {
        if (id === SEARCH_DATA) {
          const name = 'search.json';
          const reference = this.emitFile({ type: 'asset', name, source: JSON.stringify(entriesOf(groups)) });
          return `export default import.meta.ROLLUP_FILE_URL_${reference};`;
        }
        const document = pages.get(id);
        return document && pageOf(groups, document, project.repository);
      },
    },
  };
}
