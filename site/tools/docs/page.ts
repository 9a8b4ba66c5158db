// The HTML of a page of the documentation: the search, the contents, and the document.

import type { Document, Group } from './documents.ts';
import { pathBetween } from './links.ts';
import { escapeHtml, type Rendered } from './markdown.ts';

/** A document with its HTML. */
export interface Shown extends Document, Rendered {
  readonly title: string;
}

export interface ShownGroup extends Omit<Group, 'documents'> {
  readonly documents: readonly Shown[];
}

const DESCRIPTION_LENGTH = 160;

function descriptionOf({ sections, title }: Shown): string {
  const text = sections[0]?.text || `${title}: a page of the documentation of bloomery.`;
  return text.length > DESCRIPTION_LENGTH ? `${text.slice(0, DESCRIPTION_LENGTH).replace(/\s\S*$/, '')} …` : text;
}

/** The headings of the open page; in the reference, the headings of members, one level deeper. */
function headingsOf({ sections, isMember = false }: Shown): string {
  const items = sections
    .filter(({ depth }) => depth === (isMember ? 3 : 2))
    .map(({ anchor, heading }) => `<li><a href="#${anchor}">${escapeHtml(heading)}</a></li>`);
  return items.length < 2 ? '' : `<ul>${items.join('')}</ul>`;
}

function contentsOf(groups: readonly ShownGroup[], open: Shown): string {
  return groups
    .map(({ title, documents }) => {
      const items = documents.map((document) => {
        const isOpen = document === open;
        const target = isOpen ? '#content' : pathBetween(open.page, document.page);
        const current = isOpen ? ' aria-current="page"' : '';
        const link = `<a href="${target}"${current}>${escapeHtml(document.title)}</a>`;
        return `<li${document.isMember ? ' class="member"' : ''}>${link}${isOpen ? headingsOf(document) : ''}</li>`;
      });
      return `<h2>${title}</h2><ul>${items.join('')}</ul>`;
    })
    .join('\n');
}

export function pageOf(groups: readonly ShownGroup[], open: Shown): string {
  const name = open.title === 'bloomery' ? 'Documentation' : open.title;
  return `<!doctype html>
<html lang="en">
  <head>
    <title>${escapeHtml(name)} – bloomery</title>
    <meta name="description" content="${escapeHtml(descriptionOf(open))}" />
    <script type="module" src="/src/docs/page.ts"></script>
  </head>
  <body>
    <main id="content" class="docs">
      <div class="docs-side">
        <form class="field docs-search" id="search-form" role="search">
          <label for="search">Search these pages</label>
          <input id="search" type="search" autocomplete="off" spellcheck="false" aria-describedby="search-status" />
          <p class="small muted docs-status" id="search-status" role="status">&nbsp;</p>
          <ol class="docs-results" id="search-results" hidden></ol>
        </form>
        <details class="docs-contents">
          <summary>All pages</summary>
          <nav aria-label="Documentation">
${contentsOf(groups, open)}
          </nav>
        </details>
      </div>
      <article class="prose">
${open.html}
      </article>
    </main>
  </body>
</html>
`;
}
