import { describe, expect, it } from 'vitest';
import { resolverFor } from '../tools/docs/links.ts';
import { type Resolver, render } from '../tools/docs/markdown.ts';

const nowhere: Resolver = { link: () => undefined, picture: () => undefined };
const htmlOf = (markdown: string, resolver = nowhere): string => render(markdown, resolver).html;

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
    expect(htmlOf("```ts\nconst a = '<b>';\n```")).toContain('<span class="hljs-keyword">const</span>');
    expect(htmlOf('```\na < b & c\n```')).toContain('<code>a &lt; b &amp; c</code>');
  });

  it('raises exponents', () => {
    const said = {
      'down to 10^−6, or 2^-255.': 'down to 10<sup>−6</sup>, or 2<sup>−255</sup>.',
      '(2^−b)': '(2<sup>−b</sup>)',
      '`2^53`': '<code>2^53</code>',
      '^20 and a^2': '^20 and a^2',
    };
    for (const [markdown, html] of Object.entries(said)) {
      expect(htmlOf(markdown)).toBe(`<p>${html}</p>\n`);
      const text = markdown.replace('-', '−').replaceAll('`', '');
      expect(render(`# A\n\n${markdown}`, nowhere).sections[0]?.text).toBe(text);
    }
  });

  it('has a button to copy code, but not declarations and drawings', () => {
    expect(htmlOf('```ts\na\n```')).toContain('<button class="copy" type="button" disabled>Copy</button></div>');
    for (const language of ['dts', '']) expect(htmlOf(`\`\`\`${language}\na\n\`\`\``)).not.toContain('button');
    const { sections } = render('# A\n\n```ts\na\n```\n\n```dts\nb\n```\n\nc', nowhere);
    expect(sections[0]?.text).toBe('a c');
  });

  it('makes a bold cell that is alone in its row the title of the rows below', () => {
    const html = htmlOf('| a | b |\n|---|---|\n| **c** | |\n| **d** | e |');
    expect(html).toContain('<tr><th scope="colgroup" colspan="2">c</th></tr>');
    expect(html).toContain('<tr><td><strong>d</strong></td><td>e</td></tr>');
  });

  it('leaves out a picture that is not to be shown, with its link and its paragraph', () => {
    const toB: Resolver = { ...nowhere, link: () => ({ url: 'b.html' }) };
    expect(htmlOf('[![x](a.png)](b.md)\n\ntext', toB)).toBe('<p>text</p>\n');
  });
});

describe('links of documents', () => {
  const documents = [
    { source: 'README.md', page: 'docs.html' },
    { source: 'docs/kinds.md', page: 'docs/kinds.html' },
  ] as const;
  const linkFrom = (href: string, sources?: string): string | undefined =>
    resolverFor(documents[1], documents, sources, []).link(href)?.url;

  it('to source files lead to the repository, if that is known', () => {
    expect(linkFrom('https://example.org/a.md')).toBe('https://example.org/a.md');
    const plain = 'bench/shared/plain.ts';
    expect(linkFrom(`../${plain}`)).toBeUndefined();
    expect(linkFrom(`../${plain}`, 'https://example.org/')).toBe(`https://example.org/${plain}`);
  });

  it('have the title of the page in place of the path of a file', () => {
    const toA: Resolver = { ...nowhere, link: () => ({ url: 'kinds.html#a', title: 'A & B' }) };
    const html = (text: string): string => htmlOf(`[${text}](kinds.md#a)`, toA);
    for (const path of ['kinds.md', 'docs/kinds.md', '../bench/', 'bench/README.md'])
      expect(html(path)).toBe('<p>"<a href="kinds.html#a">A &amp; B</a>"</p>\n');
    for (const text of ['kinds', 'the file kinds.md', '`kinds.md`'])
      expect(html(text)).toContain(text.replaceAll('`', ''));
    const { link } = resolverFor(documents[0], documents, undefined, []);
    expect(link('docs/kinds.md')?.title).toBe('Which kind');
    expect(link('docs/kinds.md#combining')?.title).toBe('Combining');
  });

  it('to what does not exist are refused', () =>
    expect(() => linkFrom('no-such-file.md')).toThrow('docs/kinds.md links to no-such-file.md, which is nowhere'));
});
