// Searches the documentation, by MiniSearch: 6 KB gzipped without dependencies. The sections are fetched when they are
// first needed, and indexed here: they are smaller than an index of them, and give the excerpts as well. Pagefind,
// which fetches parts of an index, is for far larger sites.

import url from 'virtual:search-data';
import MiniSearch from 'minisearch';
import type { Entry } from './entry.ts';

export interface Found extends Entry {
  /** The part of the text around the first word that was found. */
  readonly excerpt: string;
  /** The words that were found, as they stand in the documents, in lower case. */
  readonly terms: readonly string[];
}

export type Search = (query: string) => Found[];

const EXCERPT_BEFORE = 50;
const EXCERPT_LENGTH = 160;

function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const first = Math.max(0, Math.min(...places, text.length) - EXCERPT_BEFORE);
  const start = places.length === 0 || first === 0 ? 0 : text.indexOf(' ', first) + 1;
  const end = start + EXCERPT_LENGTH;
  return `${start > 0 ? '… ' : ''}${text.slice(start, end).trim()}${end < text.length ? ' …' : ''}`;
}

/** @throws Error if the sections cannot be loaded */
export async function loadSearch(): Promise<Search> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`status ${response.status}`);
  const entries: Entry[] = await response.json();
  const index = new MiniSearch<{ id: number } & Entry>({
    fields: ['heading', 'page', 'text'],
    searchOptions: {
      boost: { heading: 4, page: 2 },
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      combineWith: 'AND',
    },
  });
  index.addAll(entries.map((entry, id) => ({ id, ...entry })));
  return (query) =>
    index.search(query).flatMap(({ id, terms }) => {
      const entry = entries[id as number];
      return entry ? [{ ...entry, terms, excerpt: excerptOf(entry.text, terms) }] : [];
    });
}
