// What the pages share: the frame around them, their addresses, and how figures are written.

import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { binarySize, byteSize, duration, oneIn, percent, rareRate, short, timeLeft } from '../src/format.ts';
import { onDemand } from '../src/shell/dom.ts';
import { missingPage } from '../src/shell/missing-page.ts';
import { offlinePageFor } from '../src/shell/offline-address.ts';
import { cardTags, foundIn, rootOf } from '../tools/head.ts';
import { pages } from '../tools/pages.ts';
import { projectOf } from '../tools/project.ts';
import { sitemapOf } from '../tools/robots.ts';
import { header, projectLinks, withoutScripts } from '../tools/shell.ts';

const files = readdirSync('site').filter((name) => name.endsWith('.html'));
const read = (file: string): string => readFileSync(`site/${file}`, 'utf8');

it('the pages of the site are those of the table, and one that is made of a document', () =>
  expect(pages.map(({ file }) => file).sort()).toEqual([...files, 'docs.html'].sort()));

describe('the header', () => {
  const currentIn = (html: string): (string | undefined)[] =>
    [...html.matchAll(/href="([^"]*)" aria-current="page"/g)].map(([, href]) => href);

  it('marks the current page', () => {
    for (const file of ['index.html', 'list.html', 'docs.html']) expect(currentIn(header(file))).toEqual([file]);
    expect(currentIn(header('docs/api/bloomery.html'))).toEqual(['../../docs.html']);
    expect(currentIn(header('offline.html'))).toEqual([]);
  });

  it('leads home, and to the pages with a label, in their order', () => {
    const links = [...header('docs/kinds.html').matchAll(/href="([^#"]*)"/g)].map(([, href]) => href);
    const named = pages.filter(({ label }) => label !== undefined).map(({ file }) => `../${file}`);
    expect(links).toEqual(['../index.html', ...named]);
  });
});

describe('without scripts', () => {
  it('a page that needs them says so, and what works without', () => {
    const scripted = files.filter((file) => /<script /.test(read(file)) && file !== 'offline.html');
    const silent = scripted.filter((file) => !/<noscript>.*JavaScript/s.test(withoutScripts(file) + read(file)));
    expect([scripted.length > 7, silent]).toEqual([true, []]);
  });

  it('the search is not shown', () => expect(header('index.html')).toMatch(/<input id="search"[^>]* disabled/));
});

it('a sitemap consists of whole addresses', () => {
  const sitemap = sitemapOf(['docs/kinds.html', 'index.html'], 'https://example.org/bloomery/');
  const addresses = [...sitemap.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, address]) => address);
  expect(addresses).toEqual(['https://example.org/bloomery/docs/kinds.html', 'https://example.org/bloomery/']);
});

it('only what is shown at any address has an absolute path to the site', () => {
  const site = 'https://example.org/bloomery/';
  const roots = ['404.html', 'list.html', 'docs/kinds.html'].map((file) => rootOf(file, site));
  expect(roots).toEqual(['/bloomery/', '', '../']);
});

describe('what other sites show of a link', () => {
  const release = { name: 'bloomery', version: '1.0.0' };
  const repository = { url: 'git+https://example.org/acme/bloomery.git' };
  const homepage = 'https://example.org/bloomery#readme';
  const unknown = projectOf(release);
  const known = projectOf({ ...release, homepage, repository });
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
    // Entities once.
    expect(foundIn('<title>&lt;a&gt; &amp;lt; &quot;</title>', 'title')).toBe('<a> &lt; "');
  });

  it('has links to what the package names, and only to that', () => {
    expect(projectLinks('', known)).toContain('href="https://example.org/acme/bloomery"');
    expect(projectLinks('', known)).toContain('href="https://example.org/acme/bloomery/issues"');
    expect(projectLinks('../', unknown)).not.toContain('Source');
    expect(projectLinks('../', unknown)).toContain('href="../docs/changelog.html"');
    expect(() => projectOf({ ...release, homepage: 'nowhere' })).toThrow(TypeError);
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

  it('is none for another address', () => {
    const others = ['javascript:alert(1)', 'https://example.com/', '//example.com/'];
    const elsewhere = [...others, '..%2Fother%2F', '%2Fsome%2Fpathology'];
    for (const hash of ['', ...['', '%E0%A4%A', ...elsewhere].map((name) => `#${name}`)]) {
      expect(missingPage(`${scope}offline.html${hash}`)).toBeUndefined();
    }
  });
});

it('what is loaded on demand is loaded once, and again after it failed', async () => {
  let calls = 0;
  const load = onDemand(async () => {
    if (++calls === 1) throw new Error('no connection');
    return calls;
  });
  expect(calls).toBe(0);
  const first = [load(), load()];
  for (const each of first) await expect(each).rejects.toThrow('no connection');
  expect(await Promise.all([load(), load()])).toEqual([2, 2]);
  expect(await load()).toBe(2);
});

it.each([
  [short, { '0': 0, '1,230': 1234.5, '9.59': 9.585, '0.000001': 1e-6, '10⁻⁹': 1e-9, '1.23 × 10⁻⁹': 1.234e-9 }],
  [percent, { '1 %': 0.01, '0.0123 %': 0.00012345, '0 %': 0, '100 %': 1 }],
  [rareRate, { '0.001 %': 1e-5, '9.9 × 10⁻⁶': 9.9e-6, '0 %': 0 }],
  [oneIn, { '1 in 10,000': 1e-4, '1 in 1,230': 1 / 1234, never: 0 }],
  [byteSize, { '0 bytes': 0, '1 byte': 1, '999 bytes': 999, '1 MB': 999949, '1.2 MB': 1_200_000, '123 MB': 123456789 }],
  [binarySize, { '1 byte': 1, '999 bytes': 999, '0.977 KiB': 1000, '1.14 MiB': 1_198_133, '2 GiB': 2 ** 31 }],
  [duration, { '0.12 s': 0.123, '1.0 s': 0.996, '10 s': 9.96, '1 min 0 s': 59.6, '2 min 5 s': 125, '1 h 2 min': 3725 }],
  [timeLeft, { '1 s': 0, '59 s': 58.1, '1 min 0 s': 60 }],
])('figures of the site are short: %#', (write, figures) => {
  for (const [text, value] of Object.entries(figures)) expect(write(value)).toBe(text);
});
