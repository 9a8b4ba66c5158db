// The search, over the guides and the other pages of the site. The checks of the built site ask the same of the whole index.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { steps } from '../src/how/steps.ts';
import { type Place, searchOver } from '../src/search/find.ts';
import { meaningsOf } from '../src/search/query.ts';
import { guideGroups } from '../tools/docs/documents.ts';
import { idsIn } from '../tools/docs/markdown.ts';
import type { Shown } from '../tools/docs/page.ts';
import { show } from '../tools/docs/plugin.ts';
import { entriesOf } from '../tools/search/entries.ts';
import { sitePages } from '../tools/search/site-pages.ts';

const others = await sitePages();
const site = { part: 'site', documents: others } as const;
const guides = [...show(guideGroups()), site];
const search = searchOver(entriesOf(guides));

it('the search takes any text, and finds nothing for words that no section has', () => {
  expect([search('qzxv'), search(' ?! ')]).toEqual([[], []]);
  const text = fc.string({ unit: 'grapheme', maxLength: 40 });
  const property = fc.property(text, (query) => {
    for (const { url, excerpt } of search(query)) expect([typeof url, excerpt.length < 170]).toEqual(['string', true]);
  });
  fc.assert(property, { seed: 37, numRuns: 200 });
});

it('an excerpt is the beginning of a text that has no word of the query, else what is around the first', () => {
  const text = `${'near '.repeat(40)}needle ${'far '.repeat(60)}`;
  const find = searchOver([{ part: 'use', heading: 'Haystack', text, places: [{ url: 'a.html', page: 'A' }] }]);
  const excerpts = ['haystack', 'needle'].map((query) => find(query)[0]?.excerpt);
  expect(excerpts[0]).toMatch(/^near (?:near )+…$/);
  expect(excerpts[1]).toMatch(/^… (?:near ){9}needle far (?:far )+…$/);
});

describe('a query', () => {
  it.each(
    Object.entries({
      'how to delete a key': ['delete', 'key'],
      'How many hashes?': ['hashes'],
      'false positives of it': ['false positives'],
      'the error rate of a filter': ['error rate', 'filter'],
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

describe('the pages that are no documents', () => {
  it('have their descriptions, headings that lead somewhere, and the steps that they show', () => {
    const [calculator, what] = ['calculator.html', 'what.html'].map((file) => others.find(({ page }) => page === file));
    expect(calculator?.sections[0]).toMatchObject({ depth: 1, heading: 'Bloom filter calculator' });
    expect(calculator?.sections[0]?.text).toMatch(/^How large a Bloom filter must be/);
    const anchored = calculator?.sections.slice(1).map(({ anchor }) => anchor) ?? [];
    const ids = idsIn(readFileSync('site/calculator.html', 'utf8'));
    expect(anchored.length).toBeGreaterThan(3);
    expect(anchored.filter((anchor) => !ids.has(anchor))).toEqual([]);
    const size = what?.sections.find(({ anchor }) => anchor === 'size');
    expect(size?.heading).toBe(steps.find(({ id }) => id === 'size')?.title);
    expect(size?.text).toMatch(/^Move the sliders: the curves are the formula/);
  });

  it('are left out if search engines may not show them', () => {
    const shown = others.map(({ page }) => page);
    expect(shown).toContain('index.html');
    for (const page of ['embed.html', 'offline.html', '404.html', 'docs.html']) expect(shown).not.toContain(page);
  });
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
    const message = 'tools/search/words.ts has words for docs.html, which does not exist';
    expect(() => entriesOf([site, reference])).toThrow(message);
  });
});
