// Documents as pages: the page around one, with its contents, sections and the ways on, its text, links and pictures.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bitsPicture } from '../tools/bits-picture.ts';
import { resolverFor } from '../tools/docs/links.ts';
import { type Resolver, render } from '../tools/docs/markdown.ts';
import { pageOf, type Shown, type ShownGroup } from '../tools/docs/page.ts';
import { FOLDED } from '../tools/reference/pages.ts';
import taken from './pictures.json' with { type: 'json' };
import { pictures } from './pictures.ts';

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

const nowhere: Resolver = { link: () => undefined, picture: () => undefined };
const rendered = (markdown: string, resolver = nowhere): string => render(markdown, resolver).html;

describe('documents as pages', () => {
  it('cuts the text into sections, by headings down to the third level', () => {
    const { sections } = render('# A\n\none `two`\n\n## B & C\n\nthree\n\n#### D\n\nfour\n\n## B & C', nowhere);
    expect(sections).toEqual([
      { depth: 1, anchor: 'a', heading: 'A', text: 'one two' },
      { depth: 2, anchor: 'b--c', heading: 'B & C', text: 'three D four' },
      { depth: 2, anchor: 'b--c-1', heading: 'B & C', text: '' },
    ]);
  });

  it.each([
    '```ts\nimport { a } from \'b\'; // "c" & <d>\n```',
    '```\nimport { a } from \'b\'; // "c" & <d>\n```',
    '`import { a } from \'b\'; // "c" & <d>`',
    'import { a } from \'b\'; // "c" & \\<d>',
  ])('takes the text without entities: %s', (code) => {
    expect(render(`# A\n\n${code}`, nowhere).sections[0]?.text).toBe('import { a } from \'b\'; // "c" & <d>');
  });

  it('colors code, and escapes what it does not know', () => {
    expect(rendered("```ts\nconst a = '<b>';\n```")).toContain('<span class="hljs-keyword">const</span>');
    expect(rendered('```\na < b & c\n```')).toContain('<code>a &lt; b &amp; c</code>');
  });

  it('raises exponents', () => {
    const said = {
      'down to 10^−6, or 2^-255.': 'down to 10<sup>−6</sup>, or 2<sup>−255</sup>.',
      '(2^−b)': '(2<sup>−b</sup>)',
      '`2^53`': '<code>2^53</code>',
      '^20 and a^2': '^20 and a^2',
    };
    for (const [markdown, html] of Object.entries(said)) {
      expect(rendered(markdown)).toBe(`<p>${html}</p>\n`);
      const text = markdown.replace('-', '−').replaceAll('`', '');
      expect(render(`# A\n\n${markdown}`, nowhere).sections[0]?.text).toBe(text);
    }
  });

  it('has a button to copy code, but not declarations and drawings', () => {
    expect(rendered('```ts\na\n```')).toContain('<button class="copy" type="button" disabled>Copy</button></div>');
    for (const language of ['dts', '']) expect(rendered(`\`\`\`${language}\na\n\`\`\``)).not.toContain('button');
    const { sections } = render('# A\n\n```ts\na\n```\n\n```dts\nb\n```\n\nc', nowhere);
    expect(sections[0]?.text).toBe('a c');
  });

  it('makes a bold cell that is alone in its row the title of the rows below', () => {
    const html = rendered('| a | b |\n|---|---|\n| **c** | |\n| **d** | e |');
    expect(html).toContain('<tr><th scope="colgroup" colspan="2">c</th></tr>');
    expect(html).toContain('<tr><td><strong>d</strong></td><td>e</td></tr>');
    // Two columns fit a narrow screen.
    expect(html).toContain('<table class="pairs">');
  });

  it('leaves out a picture that is not to be shown, with its link and its paragraph', () => {
    const toB: Resolver = { ...nowhere, link: () => ({ url: 'b.html' }) };
    expect(rendered('[![x](a.png)](b.md)\n\ntext', toB)).toBe('<p>text</p>\n');
  });
});

describe('links of documents', () => {
  const [readme, kinds] = [document('readme', { source: 'README.md', page: 'docs.html' }), document('kinds')];
  const documents = [readme, kinds];
  const linkFrom = (href: string, sources?: string): string | undefined =>
    resolverFor(kinds, documents, sources, []).link(href)?.url;

  it('to source files lead to the repository, if that is known', () => {
    expect(linkFrom('https://example.org/a.md')).toBe('https://example.org/a.md');
    const plain = 'bench/shared/plain.ts';
    expect(linkFrom(`../${plain}`)).toBeUndefined();
    expect(linkFrom(`../${plain}`, 'https://example.org/')).toBe(`https://example.org/${plain}`);
  });

  it('may be escaped, and lead to their own page', () => expect(linkFrom('%6binds.md')).toBe('kinds.html'));

  it('have the title of the page in place of the path of a file', () => {
    const toA: Resolver = { ...nowhere, link: () => ({ url: 'kinds.html#a', title: 'A & B' }) };
    const html = (text: string): string => rendered(`[${text}](kinds.md#a)`, toA);
    for (const path of ['kinds.md', 'docs/kinds.md', '../bench/', 'bench/README.md'])
      expect(html(path)).toBe('<p>"<a href="kinds.html#a">A &amp; B</a>"</p>\n');
    for (const text of ['kinds', 'the file kinds.md', '`kinds.md`'])
      expect(html(text)).toContain(text.replaceAll('`', ''));
    const { link } = resolverFor(readme, documents, undefined, []);
    expect(link('docs/kinds.md')?.title).toBe('Which kind');
    expect(link('docs/kinds.md#combining')?.title).toBe('Combining');
  });

  it('to what does not exist are refused', () =>
    expect(() => linkFrom('no-such-file.md')).toThrow('docs/kinds.md links to no-such-file.md, which is nowhere'));
});

it('what is known of the pictures is of these files', () => {
  const digests = pictures.map(({ file }) => [file, createHash('sha256').update(readFileSync(file)).digest('hex')]);
  expect(Object.entries(taken).map(([file, { sha256 }]) => [file, sha256])).toEqual(digests);
});

it('docs/bits-per-key.svg is what the calculator draws, or must be drawn again by npm run plot', () =>
  expect(readFileSync('docs/bits-per-key.svg', 'utf8')).toBe(bitsPicture()));
