// The search of the documentation, over the guides. The checks of the built site ask the same of the whole index.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Place, searchOver } from '../src/search/find.ts';
import { meaningsOf } from '../src/search/query.ts';
import { guideGroups } from '../tools/docs/documents.ts';
import type { Shown } from '../tools/docs/page.ts';
import { show } from '../tools/docs/plugin.ts';
import { entriesOf } from '../tools/search/entries.ts';

const guides = show(guideGroups());
const search = searchOver(entriesOf(guides));

describe('the search of the documentation', () => {
  it('takes any text, and finds nothing for words that no section has', () => {
    expect([search('qzxv'), search(' ?! ')]).toEqual([[], []]);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (query) => {
        for (const { url, excerpt } of search(query))
          expect([typeof url, excerpt.length < 170]).toEqual(['string', true]);
      }),
      { seed: 37, numRuns: 200 },
    );
  });
});

describe('a query of the documentation', () => {
  it.each(
    Object.entries({
      'how to delete a key': ['delete', 'key'],
      'How many hashes?': ['hashes'],
      'false positives of it': ['false positives'],
      'what is this': ['what', 'is', 'this'],
      has: ['has'],
    }),
  )('asks for what is left without small words: %s', (query, asked) => {
    expect(meaningsOf(query).map(({ words }) => words.join(' '))).toEqual(asked);
  });

  it('means other words too, but not those that merely begin alike', () => {
    expect(meaningsOf('deleting')[0]?.others).toContain('remov');
    expect(meaningsOf('hash')[0]?.others).toEqual([]);
    expect(meaningsOf('address')[0]?.others).toEqual([]);
  });
});

it('a section that several classes have leads to the one that the query names', () => {
  const place = (page: string): Place => ({ url: `${page}.html#add`, page });
  const places = [place('BloomFilter'), place('SpatialBloomFilter')] as const;
  const found = searchOver([{ part: 'reference', heading: 'add()', text: 'adds', places }]);
  expect(found('add')[0]).toMatchObject({ page: 'BloomFilter', elsewhere: 1 });
  expect(found('spatial add')[0]).toMatchObject({ page: 'SpatialBloomFilter', elsewhere: 1 });
});

describe('sections of the reference', () => {
  const page = (title: string, ...headings: string[]): Shown => ({
    source: `${title}.md`,
    page: `docs/api/${title}.html`,
    title,
    html: '',
    sections: [
      { depth: 1, anchor: 'top', heading: title, text: 'about' },
      { depth: 2, anchor: 'methods', heading: 'Methods', text: '' },
      ...headings.map((heading) => ({ depth: 3, anchor: heading, heading, text: `${heading} of ${title}` })),
    ],
  });
  const reference = {
    part: 'reference',
    title: 'API reference',
    documents: [page('BlockedBloomFilter', 'add', 'from'), page('BloomFilter', 'add'), page('KeyLines', 'add')],
  } as const;
  const entries = entriesOf([...guides, reference]).filter(({ part }) => part === 'reference');

  it('are one for each name of a member, with its classes, the best known first', () => {
    const added = entries.filter(({ heading }) => heading === 'add');
    expect(added).toHaveLength(1);
    expect(added[0]?.text).toBe('add of BloomFilter');
    expect(added[0]?.places.map((place) => place.page)).toEqual(['BloomFilter', 'BlockedBloomFilter', 'KeyLines']);
    expect(added[0]?.places[1]?.url).toBe('docs/api/BlockedBloomFilter.html#add');
  });

  it('words for a section that does not exist are refused', () => {
    expect(() => entriesOf([reference])).toThrow('tools/search/words.ts has words for docs.html, which does not exist');
  });
});
