import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { marked, renamed, sectionIn, sectionsOf, thisPackage } from '../../tools/package-name.ts';

const OTHER = '@acme/flowers';
const { name } = thisPackage;
const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: object };
const entries = new Set(Object.keys(exports).map((path) => `${name}${path.slice(1)}`));
const sections = sectionsOf(thisPackage);

/** The files below a folder that are not generated. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((each) => {
    const path = join(folder, each.name);
    if (!each.isDirectory()) return [path];
    return /^(?:node_modules|dist|build|generated|entries|\..*)$/.test(each.name) ? [] : filesBelow(path);
  });
}

const isText = /^(?!.*package[-/]name).*\.(?:[cm]?[jt]s|json|md|html|svelte)$/;
const texts = new Map(
  filesBelow('.').flatMap((file) => (isText.test(file) ? [[file, readFileSync(file, 'utf8')] as const] : [])),
);

/** The packages and paths that a text imports. */
function imported(text: string): string[] {
  return [...text.matchAll(/\b(?:from|import|require)\b *\(? *'([^'./][^']*)'/g)].map(([, path = '']) => path);
}

describe('the name of the package', () => {
  it.each(sections)('and where it is from is in $file as npm run rename writes it: $name', (section) => {
    expect(sectionIn(section.name).exec(texts.get(section.file) ?? '')?.[0]).toBe(marked(section.name, section.text));
  });

  it('is installed, and loaded from servers of packages, only where npm run rename writes it', () => {
    const mention = new RegExp(`npm (?:install|i|add) .*${name}|(?:unpkg\\.com|jsdelivr\\.net)/.*${name}|${name}@\\d`);
    const files = [...texts].filter(([file]) =>
      /^(?:README|CHANGELOG|docs\/.*)\.md$|^site\/.*\.(?:html|ts)$/.test(file),
    );
    const others = files.map(([file, text]) => [
      file,
      sections
        .filter((each) => each.file === file)
        .reduce((rest, each) => rest.replace(sectionIn(each.name), ''), text),
    ]);
    expect(others.filter(([, text = '']) => mention.test(text)).map(([file]) => file)).toEqual([]);
  });

  it('is imported with a path that exists', () => {
    const paths = [...texts.values()].flatMap(imported);
    const own = paths.filter((path) => path === name || path.startsWith(`${name}/`));
    expect(own.length).toBeGreaterThan(200);
    expect(own.filter((path) => !entries.has(path))).toEqual([]);
  });
});

describe('another name', () => {
  it.each(
    [
      ["import { lines } from 'bloomery';", "import { lines } from '@acme/flowers';"],
      ["await import('bloomery/fuse/js')", "await import('@acme/flowers/fuse/js')"],
      ['`bloomery/hash` of `bloomery`', '`@acme/flowers/hash` of `@acme/flowers`'],
      ['"name": "bloomery",', '"name": "@acme/flowers",'],
      ['"bloomery": "file:..",', '"@acme/flowers": "file:..",'],
      ["resolves `'bloomery'`", "resolves `'@acme/flowers'`"],
      ['npx bloomery size', 'npx @acme/flowers size'],
      [`from 'bloomery$\{entry}'`, `from '@acme/flowers$\{entry}'`],
      // The project, its command and its files keep theirs.
      ...['# bloomery', '"bloomery": "dist/cli/main.js"', '"name": "bloomery-site",', 'dist/bloomery.min.js'],
      ...["globalName: 'bloomery'", 'the command `bloomery`', 'the variable `bloomery`', '`bloomery build`'],
      ...['bloomery.BloomFilter', '/tmp/bloomery/js'],
    ].map((each) => (typeof each === 'string' ? [each, each] : each)),
  )('in %s: %s', (text = '', other) => {
    expect(renamed(text, 'bloomery', OTHER)).toBe(other);
  });

  it('leaves no path of the old one, and can be taken back', () => {
    // Also where slashes are escaped, as in a regular expression.
    const within = new RegExp(`(?<![\\w./-])(${name}\\\\?/[\\w./]+)`, 'g');
    for (const [file, text] of texts) {
      const other = renamed(text, name, OTHER);
      const paths = [...other.matchAll(within)].map(([, path = '']) => path.replace('\\', ''));
      expect(
        [...imported(other), ...paths].filter((path) => entries.has(path)),
        file,
      ).toEqual([]);
      expect(renamed(other, OTHER, name) === text, file).toBe(true);
    }
  });
});
