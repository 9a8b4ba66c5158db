// Turns the repository's Markdown into the documents that pages and the search show.

import { project } from '../project.ts';
import { type Document, type Group, readSource } from './documents.ts';
import { type Reference, resolverFor } from './links.ts';
import { idsIn, render } from './markdown.ts';
import type { Shown, ShownGroup } from './page.ts';

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
