import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { copyOnClick } from '../src/shell/copy.ts';
import { missingPage } from '../src/shell/missing-page.ts';
import { offlinePageFor } from '../src/shell/offline-address.ts';
import { cardTags } from '../tools/head.ts';
import { pages } from '../tools/pages.ts';
import { projectOf } from '../tools/project.ts';
import { header, projectLinks } from '../tools/shell.ts';

const files = readdirSync('site').filter((name) => name.endsWith('.html'));
const read = (file: string): string => readFileSync(`site/${file}`, 'utf8');

describe('the pages of the site', () => {
  it('are those of the table, and one that is made of a document', () => {
    expect(pages.map(({ file }) => file).sort()).toEqual([...files, 'docs.html'].sort());
  });

  it.each(files)('link to pages that exist: %s', (file) => {
    const links = [...read(file).matchAll(/href="([^":#]+)(?:#[^"]*)?"/g)].map(([, href = '']) => href);
    const isThere = (href: string): boolean =>
      pages.some((page) => page.file === href) ||
      ['docs/examples.html', 'docs/benchmarks.html', 'docs/overview.html'].includes(href) ||
      existsSync(href.replace(/\.html$/, '.md'));
    expect(links.filter((href) => !isThere(posix.normalize(href)))).toEqual([]);
  });
});

describe('the header', () => {
  const currentIn = (html: string): (string | undefined)[] =>
    [...html.matchAll(/href="([^"]*)" aria-current="page"/g)].map(([, href]) => href);

  it.each([
    ['index.html', 'index.html'],
    ['list.html', 'list.html'],
    ['docs.html', 'docs.html'],
    ['docs/api/bloomery.html', '../../docs.html'],
  ])('marks the current page: %s', (file, href) => expect(currentIn(header(file))).toEqual([href]));

  it('leads home, and to the pages with a label, in their order', () => {
    const links = [...header('docs/kinds.html').matchAll(/href="([^#"]*)"/g)].map(([, href]) => href);
    const named = pages.filter(({ label }) => label !== undefined).map(({ file }) => `../${file}`);
    expect(links).toEqual(['../index.html', ...named]);
    expect(currentIn(header('offline.html'))).toEqual([]);
  });
});

describe('what other sites show of a link', () => {
  const unknown = projectOf({ name: 'bloomery', version: '1.0.0' }, false);
  const known = projectOf(
    {
      name: 'bloomery',
      version: '1.0.0',
      homepage: 'https://example.org/bloomery#readme',
      repository: { url: 'git+https://example.org/acme/bloomery.git' },
    },
    true,
  );
  const attributes = (file: string, project: typeof known): string =>
    JSON.stringify(cardTags(file, read(file), project).map(({ attrs }) => attrs));

  it.each(files)('is the title and the description of the page: %s', (file) => {
    const [, title = ''] = /<title>([^<]+)<\/title>/.exec(read(file)) ?? [];
    expect(title).not.toBe('');
    expect(attributes(file, unknown)).toContain(JSON.stringify({ property: 'og:title', content: title }));
    expect(attributes(file, unknown)).toMatch(/"og:description","content":"[^"]{20,}/);
  });

  it('has whole addresses where that of the site is known, and else none', () => {
    expect(attributes('list.html', unknown)).not.toMatch(/canonical|og:image|og:url|twitter/);
    expect(attributes('list.html', known)).toContain('"canonical","href":"https://example.org/bloomery/list.html"');
    expect(attributes('index.html', known)).toContain('"canonical","href":"https://example.org/bloomery/"');
    expect(attributes('index.html', known)).toContain('"og:image","content":"https://example.org/bloomery/card.png"');
  });

  it('is not made of a page without a title or a description', () => {
    expect(() => cardTags('a.html', '<title>a</title>', unknown)).toThrow('description');
    expect(() => cardTags('a.html', '', unknown)).toThrow('title');
  });

  it('has links to what the package names, and only to that', () => {
    expect(projectLinks('', known)).toContain('href="https://example.org/acme/bloomery"');
    expect(projectLinks('', known)).toContain('href="https://example.org/acme/bloomery/issues"');
    expect(projectLinks('../', unknown)).not.toContain('Source');
    expect(projectLinks('../', unknown)).toContain('href="../docs/changelog.html"');
    expect(() => projectOf({ name: 'a', version: '1.0.0', homepage: 'nowhere' }, false)).toThrow(TypeError);
  });
});

describe('a page that is not kept', () => {
  const scope = 'https://example.org/some/path/';

  it('is named by the page that is shown for it', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(text, text, (name, query) => {
        const { href } = new URL(`docs/${encodeURIComponent(name)}?${encodeURIComponent(query)}`, scope);
        expect(missingPage(offlinePageFor(href, scope))?.href).toBe(href);
      }),
      { seed: 37 },
    );
  });

  it.each([
    '',
    '#',
    '#javascript:alert(1)',
    '#https://example.com/',
    '#//example.com/',
    '#..%2Fother%2F',
    '#%2Fsome%2Fpathology',
    '#%E0%A4%A',
  ])('is none for another address: %s', (hash) => {
    expect(missingPage(`${scope}offline.html${hash}`)).toBeUndefined();
  });
});

describe('a button that copies', () => {
  afterEach(() => vi.unstubAllGlobals());

  const press = async (writeText: (text: string) => Promise<void>): Promise<string[]> => {
    vi.stubGlobal('navigator', { clipboard: { writeText } });
    const button = new EventTarget() as HTMLButtonElement;
    const said: string[] = [];
    copyOnClick(
      button,
      () => 'npm ci',
      (each) => said.push(each),
    );
    button.dispatchEvent(new Event('click'));
    await vi.waitUntil(() => said.length > 0);
    return said;
  };

  it('copies its text, and says so', async () => {
    const copied: string[] = [];
    expect(await press(async (text) => void copied.push(text))).toEqual(['Copied.']);
    expect(copied).toEqual(['npm ci']);
  });
});
