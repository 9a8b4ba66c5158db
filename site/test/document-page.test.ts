// The pages around documents: their contents, sections, and the ways on.

import { describe, expect, it } from 'vitest';
import { pageOf, type Shown, type ShownGroup } from '../tools/docs/page.ts';
import { FOLDED } from '../tools/reference/pages.ts';

const document = (name: string, rest: Partial<Shown> = {}): Shown => ({
  source: `docs/${name}.md`,
  page: `docs/${name}.html`,
  title: `The ${name}`,
  html: `<h1>${name}</h1>`,
  sections: [
    { depth: 1, anchor: name, heading: name, text: `About <${name}>.` },
    { depth: 2, anchor: 'one', heading: 'One', text: '' },
    { depth: 3, anchor: 'deep', heading: 'Deep', text: '' },
    { depth: 2, anchor: FOLDED, heading: 'Shared', text: '' },
    { depth: 3, anchor: 'hidden', heading: 'Hidden', text: '' },
  ],
  ...rest,
});
const member = (name: string): Shown =>
  document(name, { source: `site/build/reference/${name}.md`, page: `docs/api/${name}.html`, isMember: true });

const first = document('first');
const second = document('second');
const [a, b] = [member('a'), member('b')];
const groups: readonly ShownGroup[] = [
  { part: 'use', title: 'Use', documents: [first] },
  { part: 'reference', title: 'Reference', documents: [second, a, document('third'), b] },
];
const linksOf = (html: string): string[] => Array.from(html.matchAll(/<a [^>]*href="([^"]*)"/g), ([, url = '']) => url);
const navOf = (html: string, label: string): string =>
  new RegExp(`<nav[^>]* aria-label="${label}">(.*?)</nav>`, 's').exec(html)?.[1] ?? '';
const htmlOf = (open: Shown): string => pageOf(groups, open, undefined);

describe('the page of a document', () => {
  it('describes itself by its first sentences, escaped', () => {
    expect(htmlOf(first)).toContain('<meta name="description" content="About &lt;first&gt;." />');
    expect(htmlOf(first)).toContain('<title>The first – bloomery</title>');
    const long = { depth: 1, anchor: 'a', heading: 'A', text: 'word '.repeat(100) };
    expect(htmlOf({ ...first, sections: [long] })).toMatch(/content="(?:word ){31,32}…"/);
  });

  it('lists members only below the open entry, or the one that the open member is of', () => {
    const listed = (open: Shown): string[] =>
      linksOf(navOf(htmlOf(open), 'Documentation')).filter((url) => !/^#/.test(url));
    expect(listed(first)).toEqual(['second.html', 'third.html']);
    expect(listed(second)).toEqual(['first.html', 'api/a.html', 'third.html']);
    for (const each of [a, b]) expect(listed(each)).toEqual(['../first.html', '../second.html', '../third.html']);
  });

  it('lists its sections; of a member, those that are not folded', () => {
    const sections = (open: Shown): string[] => linksOf(navOf(htmlOf(open), 'Sections of this page'));
    expect(sections(first)).toEqual(['#one', `#${FOLDED}`]);
    expect(sections(a)).toEqual(['#deep', `#${FOLDED}`]);
    expect(htmlOf({ ...first, sections: first.sections.slice(0, 2) })).not.toContain('Sections of this page');
  });

  it('leads to the pages before and after it', () => {
    const ways = (open: Shown): string[] => linksOf(navOf(htmlOf(open), 'Pages before and after'));
    expect([first, second, b].map(ways)).toEqual([['second.html'], ['first.html', 'api/a.html'], ['../third.html']]);
  });

  it('leads to its source if there is a repository, and it is no page of the reference', () => {
    const repository = 'https://example.org/bloomery';
    expect(htmlOf(first)).not.toContain('Edit this page');
    expect(linksOf(pageOf(groups, first, repository))).toContain(`${repository}/edit/main/docs/first.md`);
    expect(pageOf(groups, a, repository)).not.toContain('Edit this page');
  });
});
