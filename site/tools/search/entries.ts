// The sections of all pages, as the search reads them.

import type { Entry, Part, Place } from '../../src/search/find.ts';
import type { Shown } from '../docs/page.ts';
import { words } from './words.ts';

/** The level of the headings of members in the reference. Above it are only titles of pages and of groups. */
const MEMBER = 3;
/** The class whose page stands for the others. */
const BEST_KNOWN = 'BloomFilter';

/** What the search reads of a page. */
export type Searched = Pick<Shown, 'page' | 'title' | 'sections'>;

const placeOf = ({ page, title }: Searched, { depth, anchor }: Shown['sections'][number]): Place => ({
  url: depth === 1 ? page : `${page}#${anchor}`,
  page: title,
});

function sectionsOf(documents: readonly Searched[], part: Part): Entry[] {
  return documents.flatMap((document) =>
    document.sections.map((section): Entry => {
      const { heading, text } = section;
      const place = placeOf(document, section);
      const others = words[place.url];
      return { part, heading, text, ...(others !== undefined && { words: others }), places: [place] };
    }),
  );
}

const isBestKnown = ({ page }: Place): boolean => page === BEST_KNOWN;

/** The pages of the reference, and one entry for each name of a member, of however many classes. */
function referenceOf(documents: readonly Searched[]): Entry[] {
  const part = 'reference';
  const sections = documents.flatMap((document) =>
    document.sections.map((section) => ({ ...section, place: placeOf(document, section) })),
  );
  const ofPages = sections.filter(({ depth }) => depth === 1);
  const members = new Map<string, typeof sections>();
  for (const each of sections.filter(({ depth }) => depth === MEMBER)) {
    members.set(each.heading, [...(members.get(each.heading) ?? []), each]);
  }
  const merged = Array.from(members, ([heading, found]): Entry => {
    const bestFirst = found.sort((a, b) => Number(isBestKnown(b.place)) - Number(isBestKnown(a.place)));
    const [first, ...others] = bestFirst.map(({ place }) => place);
    const { text = '' } = bestFirst.find((each) => each.text !== '') ?? {};
    return { part, heading, text, places: [first as Place, ...others] };
  });
  return [...ofPages.map(({ heading, text, place }): Entry => ({ part, heading, text, places: [place] })), ...merged];
}

/** @throws Error if words are given for a section that does not exist */
export function entriesOf(groups: readonly { part: Part; documents: readonly Searched[] }[]): Entry[] {
  const entries = groups.flatMap(({ part, documents }) =>
    part === 'reference' ? referenceOf(documents) : sectionsOf(documents, part),
  );
  const urls = new Set(entries.map(({ places: [{ url }] }) => url));
  const lost = Object.keys(words).find((url) => !urls.has(url));
  if (lost !== undefined) throw new Error(`tools/search/words.ts has words for ${lost}, which does not exist`);
  return entries;
}
