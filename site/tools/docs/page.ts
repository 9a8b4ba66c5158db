// The HTML of a page of the documentation: the contents, and the document.

import { escapeHtml } from '../../src/escape-html.ts';
import { FOLDED } from '../reference/pages.ts';
import { type Document, FIRST_PAGE, type Group, REFERENCE } from './documents.ts';
import { pathBetween } from './links.ts';
import type { Rendered } from './markdown.ts';

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

const escaped = (title: string, url: string, attributes = ''): string =>
  `<a href="${escapeHtml(url)}"${attributes}>${escapeHtml(title)}</a>`;

/**
 * Links to the sections of a page. In the reference, these are members, one level deeper, but not those that are folded
 * below a heading of their own.
 */
function sectionLinks({ sections, isMember = false }: Shown): string[] {
  const folded = sections.findIndex(({ anchor }) => anchor === FOLDED);
  return sections
    .slice(0, folded < 0 ? undefined : folded + 1)
    .filter(({ depth, anchor }) => depth === (isMember ? 3 : 2) || anchor === FOLDED)
    .map(({ anchor, heading }) => escaped(heading, `#${anchor}`));
}

const listOf = (items: readonly string[]): string =>
  items.length < 2 ? '' : `<ul>${items.map((each) => `<li>${each}</li>`).join('')}</ul>`;

/** The document above each, of those that are listed below another one. */
function parents(documents: readonly Shown[]): Map<Shown, Shown> {
  const found = new Map<Shown, Shown>();
  let above: Shown | undefined;
  for (const document of documents) {
    if (!document.isMember) above = document;
    else if (above) found.set(document, above);
  }
  return found;
}

/** The contents. Classes and interfaces are listed only below the entry that is open. */
function contentsOf(groups: readonly ShownGroup[], open: Shown): string {
  return groups
    .map(({ title, documents }) => {
      const above = parents(documents);
      const shown = documents.filter((each) => [undefined, open, above.get(open)].includes(above.get(each)));
      const items = shown.map((document) => {
        const isOpen = document === open;
        const target = isOpen ? '#content' : pathBetween(open.page, document.page);
        const link = escaped(document.title, target, isOpen ? ' aria-current="page"' : '');
        const sections = isOpen ? listOf(sectionLinks(document)) : '';
        return `<li${document.isMember ? ' class="member"' : ''}>${link}${sections}</li>`;
      });
      return `<h2>${title}</h2><ul>${items.join('')}</ul>`;
    })
    .join('\n');
}

/** Links to the pages before and after the open one. */
function neighbors(groups: readonly ShownGroup[], open: Shown): string {
  const documents = groups.flatMap((group) => group.documents);
  const at = documents.indexOf(open);
  const link = (document: Shown | undefined, word: string, relation: string): string =>
    document === undefined
      ? ''
      : `<a class="${relation}" rel="${relation}" href="${pathBetween(open.page, document.page)}"><span class="muted">${word}</span> ${escapeHtml(document.title)}</a>`;
  const links = link(documents[at - 1], 'Before:', 'prev') + link(documents[at + 1], 'Next:', 'next');
  return `<nav class="docs-neighbors" aria-label="Pages before and after">${links}</nav>`;
}

/** A link to the source of a page; none for the reference, whose sources are comments in the code. */
function editLink({ source }: Shown, repository: string | undefined): string {
  if (repository === undefined || source.startsWith(REFERENCE)) return '';
  return `<p class="small screen-only">${escaped('Edit this page', `${repository}/edit/main/${source}`)}</p>`;
}

/** @param repository the URL of the project's repository, if there is one */
export function pageOf(groups: readonly ShownGroup[], open: Shown, repository: string | undefined): string {
  const name = open.page === FIRST_PAGE ? 'Documentation' : open.title;
  const sections = listOf(sectionLinks(open));
  const aside = `<nav class="docs-sections" aria-label="Sections of this page"><p class="label">On this page</p>${sections}</nav>`;
  return `<title>${escapeHtml(name)} – bloomery</title>
<meta name="description" content="${escapeHtml(descriptionOf(open))}" />
<script type="module" src="/src/docs/page.ts"></script>
<main id="content" class="docs">
  <div class="docs-side screen-only">
    <details class="docs-contents">
      <summary>All pages</summary>
      <nav aria-label="Documentation">
${contentsOf(groups, open)}
      </nav>
    </details>
  </div>
  <div class="docs-document">
    <article class="${open.source.startsWith(REFERENCE) ? 'prose reference' : 'prose'}">
${open.html}
    </article>
    ${editLink(open, repository)}
    ${neighbors(groups, open)}
    <p class="spoken" id="copied" role="status"></p>
  </div>
  ${sections === '' ? '' : aside}
</main>
`;
}
