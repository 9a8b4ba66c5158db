import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { marked, renamed, sectionIn, sectionsOf, thisPackage } from '../../tools/package-name.ts';

const OTHER = '@acme/flowers';
const { name } = thisPackage;
const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: object };
const entries = new Set(Object.keys(exports).map((path) => `${name}${path.slice(1)}`));

/** The files below a folder that are not generated. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((each) => {
    const path = join(folder, each.name);
    if (!each.isDirectory()) return [path];
    return /^(?:node_modules|dist|build|generated|entries|\..*)$/.test(each.name) ? [] : filesBelow(path);
  });
}

const tracked = filesBelow('.');
const texts = tracked.filter(
  (file) => /\.(?:[cm]?[jt]s|json|md|html|svelte)$/.test(file) && !/package-name|package\/name/.test(file),
);

/** The packages and paths that a text imports. */
function imported(text: string): string[] {
  return [...text.matchAll(/\b(?:from|import|require)\b *\(? *'([^'./][^']*)'/g)].map(([, path = '']) => path);
}

describe('the name of the package', () => {
  it.each(sectionsOf(thisPackage))('and where it is from is in $file as npm run rename writes it: $name', (section) => {
    const found = sectionIn(section.name).exec(readFileSync(section.file, 'utf8'))?.[0];
    expect(found).toBe(marked(section.name, section.text));
  });

  it('is installed, and loaded from servers of packages, only where npm run rename writes it', () => {
    const documents = ['README.md', 'CHANGELOG.md', ...readdirSync('docs').map((file) => `docs/${file}`)];
    const others = documents
      .filter((file) => file.endsWith('.md'))
      .map((file) => {
        const sections = sectionsOf(thisPackage).filter((section) => section.file === file);
        return sections.reduce(
          (text, section) => text.replace(sectionIn(section.name), ''),
          readFileSync(file, 'utf8'),
        );
      });
    const site = tracked
      .filter((file) => /^site\/.*\.(?:html|ts)$/.test(file))
      .map((file) => readFileSync(file, 'utf8'));
    const mention = new RegExp(`npm (?:install|i|add) .*${name}|(?:unpkg\\.com|jsdelivr\\.net)/.*${name}|${name}@\\d`);
    expect([...others, ...site].filter((text) => mention.test(text))).toEqual([]);
  });

  it('is imported with a path that exists', () => {
    const paths = texts.flatMap((file) => imported(readFileSync(file, 'utf8')));
    const own = paths.filter((path) => path === name || path.startsWith(`${name}/`));
    expect(own.length).toBeGreaterThan(200);
    expect(own.filter((path) => !entries.has(path))).toEqual([]);
  });
});

/** Paths that begin with the name, also where slashes are escaped, as in a regular expression. */
const pathWithin = new RegExp(`(?<![\\w./-])${name}\\\\?/([\\w./]+)`, 'g');

describe('another name', () => {
  it.each([
    ["import { lines } from 'bloomery';", "import { lines } from '@acme/flowers';"],
    ["await import('bloomery/fuse/js')", "await import('@acme/flowers/fuse/js')"],
    ['`bloomery/hash` of `bloomery`', '`@acme/flowers/hash` of `@acme/flowers`'],
    ['"name": "bloomery",', '"name": "@acme/flowers",'],
    ['"bloomery": "file:..",', '"@acme/flowers": "file:..",'],
    ["resolves `'bloomery'`", "resolves `'@acme/flowers'`"],
    ['npx bloomery size', 'npx @acme/flowers size'],
    [`from 'bloomery$\{entry}'`, `from '@acme/flowers$\{entry}'`],
  ])('is written for %s', (text, other) => expect(renamed(text, 'bloomery', OTHER)).toBe(other));

  it.each([
    '# bloomery',
    '"bloomery": "dist/cli/main.js"',
    '"name": "bloomery-site",',
    'dist/bloomery.min.js',
    "globalName: 'bloomery'",
    'the command `bloomery`',
    'the variable `bloomery`',
    '`bloomery build`',
    'bloomery.BloomFilter',
    '/tmp/bloomery/js',
  ])('is not written for the project, its command and its files: %s', (text) => {
    expect(renamed(text, 'bloomery', OTHER)).toBe(text);
  });

  it('leaves no import of the old one, and can be taken back', () => {
    for (const file of texts) {
      const text = readFileSync(file, 'utf8');
      const other = renamed(text, name, OTHER);
      expect(
        imported(other).filter((path) => entries.has(path)),
        file,
      ).toEqual([]);
      // In a path, in whatever form it is written.
      expect(
        [...other.matchAll(pathWithin)].map(([, path]) => path).filter((path) => entries.has(`${name}/${path}`)),
        file,
      ).toEqual([]);
      expect(renamed(other, OTHER, name) === text, file).toBe(true);
    }
  });

  it('is all that is left in the library and the tools where they name an entry', () => {
    const isCode = (line: string): boolean => !/^\s*(?:\*|\/\*|\/\/)/.test(line);
    const left = texts
      .filter((file) => /^(?:src|tools)\//.test(file))
      .filter((file) =>
        renamed(readFileSync(file, 'utf8'), name, OTHER)
          .split('\n')
          .some((line) => isCode(line) && new RegExp(`['"\`]${name}[/'"\`$]`).test(line)),
      );
    // A section of modules, a field in Redis, and the variable of the script.
    expect(left.sort()).toEqual([
      'src/kernel/embedded-module.ts',
      'src/redis/parameters.ts',
      'tools/kernel.ts',
      'tools/single-files.ts',
    ]);
  });
});
