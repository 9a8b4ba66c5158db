// Links lead somewhere, and docs/api.md has all that can be imported.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { importName } from '../../tools/entries.ts';
import { modules } from '../../tools/manifest.ts';
import { publishedFiles } from '../package/published.ts';

const documents = ['.', 'docs', 'bench', 'examples', 'site', 'test/golden'].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

/** The text without code, in which brackets are not links. */
function prose(document: string): string {
  return readFileSync(document, 'utf8')
    .replaceAll(/^ *```.*?^ *```$/gms, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''));
}

/** The names by which links find the headings of a document. */
function anchors(document: string): string[] {
  return [...prose(document).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function targets(document: string): string[] {
  const links = [...prose(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return links.filter((target) => !/^[a-z]+:/.test(target));
}

it.each(documents)('every link leads somewhere: %s', (document) => {
  const broken = targets(document).filter((target) => {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? document : join(dirname(document), path);
    return !existsSync(file) || (anchor !== undefined && !anchors(file).includes(anchor));
  });
  expect(broken).toEqual([]);
});

it('links in the package lead to what it contains, or to what the README says it does not', () => {
  const packed = publishedFiles();
  const sentence = /^Links to ([\s\S]*?), and the picture of the site,\nlead into the repository:/m.exec(
    readFileSync('README.md', 'utf8'),
  );
  const said = [...(sentence?.[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
  expect(said.length).toBeGreaterThan(3);

  const dead = packed
    .filter((path) => path.endsWith('.md'))
    .flatMap((document) => targets(document).map((target) => join(dirname(document), target.split('#')[0] as string)))
    .filter((path) => !packed.includes(path) && !packed.some((each) => each.startsWith(`${path}/`)) && existsSync(path))
    .filter((path) => !/^docs\/site-[^/]*\.png$/.test(path));
  expect(dead.filter((path) => !said.some((each) => `${path}/`.startsWith(each.replace(/\/?$/, '/'))))).toEqual([]);
  expect(said.filter((each) => !dead.some((path) => `${path}/`.startsWith(each.replace(/\/?$/, '/'))))).toEqual([]);
});

const index = readFileSync('docs/api.md', 'utf8');
const sections = new Map(index.split('\n## ').map((section) => [/^`(.*)`/.exec(section)?.[1] ?? '', section]));

it.each([...modules.keys()].map(importName))('docs/api.md has all that can be imported: %s', async (entry) => {
  const exported: object = await import(entry);
  const section = sections.get(entry.replace(/\/js$/, '')) ?? '';
  const listed = new Set([...section.matchAll(/^- `(\w+)/gm)].map(([, listed]) => listed));
  expect(Object.keys(exported).filter((each) => !listed.has(each))).toEqual([]);
});
