// Finds sections of the site's pages, by MiniSearch: 6 KB gzipped without dependencies. Pagefind, which fetches parts
// of an index, is for far larger sites.

import MiniSearch from 'minisearch';
import { queryFor, wordsOf } from './query.ts';

/** The parts of the documentation, in the order in which one reads them, and the other pages. */
export type Part = 'use' | 'background' | 'reference' | 'site';

export interface Place {
  /** The path below the folder of the site. */
  readonly url: string;
  /** The title of its page. */
  readonly page: string;
}

/** A section of a page, as the search reads it. */
export interface Entry {
  readonly part: Part;
  readonly heading: string;
  readonly text: string;
  /** Other words in which readers ask for it. */
  readonly words?: string;
  /** Where it stands: a member of several classes stands on the page of each. */
  readonly places: readonly [Place, ...Place[]];
}

export interface Found extends Place {
  readonly heading: string;
  /** How many other pages have the same member. */
  readonly elsewhere: number;
  /** The part of the text around the first word that was found. */
  readonly excerpt: string;
  /** The words that were found, as they stand in the documents, in lower case. */
  readonly terms: readonly string[];
}

export type Search = (query: string) => Found[];

const EXCERPT_BEFORE = 50;
const EXCERPT_LENGTH = 160;

/** How much the sections of a part count. */
const WEIGHTS: Readonly<Record<Part, number>> = { site: 1, use: 1, background: 0.4, reference: 0.3 };
/** How much more the beginning of a page counts than a section of it. */
const WHOLE_PAGE = 1.5;
/** How much more the reference counts for a query that is a name of it, such as `hasMany`. */
const NAMED = 20;
/** The name of a method or a class: no word that could stand in a question. */
const NAME = /^(?:[a-z]+[A-Z]|[A-Z][a-z]+[A-Z]|\[)\w*(?:\(\))?$|^[a-z]\w*\(\)$/;

function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const first = Math.max(0, Math.min(...places, text.length) - EXCERPT_BEFORE);
  const start = places.length === 0 || first === 0 ? 0 : text.indexOf(' ', first) + 1;
  const end = start + EXCERPT_LENGTH;
  const shown = text.slice(start, end);
  return `${start > 0 ? '… ' : ''}${end < text.length ? shown.replace(/\s\S*$/, ' …') : shown.trim()}`;
}

/** The place that a query names, such as that of a class; otherwise the first. */
function placeOf({ places }: Entry, words: readonly string[]): Place {
  const isNamed = ({ page }: Place): boolean =>
    words.some((word) => word.length > 3 && page.toLowerCase().includes(word));
  return (places.length > 1 && places.find(isNamed)) || places[0];
}

/** A search over these sections. It finds those with all that a query asks for; if there are none, those with some. */
export function searchOver(entries: readonly Entry[]): Search {
  const index = new MiniSearch<{ id: number; heading: string; page: string; words: string; text: string }>({
    fields: ['heading', 'page', 'words', 'text'],
    searchOptions: {
      boost: { heading: 4, page: 2, words: 8 },
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      weights: { fuzzy: 0.3, prefix: 0.7 },
    },
  });
  index.addAll(
    entries.map(({ heading, text, words = '', places }, id) => {
      return { id, heading, text, words, page: places.map(({ page }) => page).join(' ') };
    }),
  );
  return (query) => {
    const isName = NAME.test(query.trim());
    const boostDocument = (id: number): number => {
      const { part = 'use', places } = entries[id] ?? {};
      if (isName && part === 'reference') return NAMED;
      return WEIGHTS[part] * (places?.[0].url.includes('#') ? 1 : WHOLE_PAGE);
    };
    const words = wordsOf(query);
    const resultsOf = (combineWith: 'AND' | 'OR') =>
      index.search(isName ? { combineWith, queries: words } : queryFor(query, combineWith), { boostDocument });
    const strict = resultsOf('AND');
    return (strict.length > 0 ? strict : resultsOf('OR')).flatMap(({ id, terms }) => {
      const entry = entries[id as number];
      if (entry === undefined) return [];
      const { heading, text, places } = entry;
      const elsewhere = places.length - 1;
      return [{ ...placeOf(entry, words), heading, elsewhere, terms, excerpt: excerptOf(text, terms) }];
    });
  };
}
