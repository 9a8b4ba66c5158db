import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { kinds } from '../../tools/entries.ts';

const text = readFileSync('docs/architecture.md', 'utf8');

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return /\.[cm]?[jt]s$/.test(path) ? [path] : [];
    return entry.name === 'node_modules' ? [] : filesBelow(path);
  });
}

function importsOf(file: string): string[] {
  const statements = readFileSync(file, 'utf8').matchAll(
    /(?:^(?:import|export)\b[^;'"]*?(?:\bfrom )?|\bimport\()['"](?<path>\.[^'"]*)['"]/gm,
  );
  return [...statements].map(({ groups: { path = '' } = {} }) => join(dirname(file), path));
}

const sources = filesBelow('src');

/** The rows of the table, each with the patterns of the files that it is about. */
const rows = [...(text.split('\n## Folders\n')[1]?.split('\n## ')[0] ?? '').matchAll(/^\| (`.*?) \|/gm)].map(
  ([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, pattern = '']) => pattern),
);

/** The row of a file. Where several match, the longest pattern counts. */
function rowOf(file: string): number {
  const matches = (pattern: string): boolean => {
    const [before = '', after] = pattern.split('*');
    if (after !== undefined) return file.startsWith(before) && file.endsWith(after);
    return file === pattern || (pattern.endsWith('/') && file.startsWith(pattern));
  };
  const lengths = rows.map((patterns) => Math.max(0, ...patterns.filter(matches).map(({ length }) => length)));
  const longest = Math.max(...lengths);
  return longest === 0 ? -1 : lengths.indexOf(longest);
}

it('has a row of its table for each file of src/, and files for each row', () => {
  expect(sources.filter((file) => rowOf(file) < 0)).toEqual([]);
  const used = new Set(sources.map(rowOf));
  expect(rows.filter((patterns, row) => patterns[0]?.startsWith('src/') && !used.has(row))).toEqual([]);
});

it('is right that each row imports only from itself and from those below it', () => {
  const upward = sources.flatMap((file) =>
    importsOf(file)
      .filter((path) => /\.[jt]s$/.test(path) && rowOf(path) < rowOf(file))
      .map((path) => `${file} imports ${path}`),
  );
  expect(upward).toEqual([]);
});

/** The ways in a graph that lead back to where they begin. */
function circlesIn(graph: ReadonlyMap<string, Iterable<string>>): string[] {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (node: string, way: readonly string[]): void => {
    if (way.includes(node)) circles.push([...way.slice(way.indexOf(node)), node].join(' > '));
    if (done.has(node) || way.includes(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...way, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return circles;
}

it('is right that no file of src/ and dist/ imports itself, through others', () => {
  // Those of the command line are minified, which hides their imports.
  const built = filesBelow('dist').filter((file) => file.endsWith('.js') && !file.startsWith('dist/cli/'));
  expect(circlesIn(new Map([...sources, ...built].map((file) => [file, importsOf(file)])))).toEqual([]);
});

it('names the files of cli/, bench/ and examples/ that import from src/ rather than the package', () => {
  const [sentence = ''] = /`cli\/`, `bench\/` and `examples\/` import the package by its name.*?\n\n/s.exec(text) ?? [];
  const exceptions = [...sentence.matchAll(/`((?:cli|bench|examples)\/[^`]+\.ts)`/g)].map(([, file = '']) => file);
  const found = ['cli', 'bench', 'examples']
    .flatMap(filesBelow)
    .filter((file) => importsOf(file).some((path) => path.startsWith('src/')));
  expect([...exceptions].sort()).toEqual([...found].sort());
});

it('is right that neither the layers nor the command line ask which kind a filter is', () => {
  const names = new RegExp(`'(${kinds.map(({ name }) => name).join('|')})'`);
  const layers = ['filters', 'format', 'keys', 'node/parallel', 'streams', 'threads', 'util'];
  const files = [...layers.map((name) => `src/${name}`), 'cli'].flatMap(filesBelow);
  // The default of an option, names of static properties, the type of all names, and the names of two classes.
  const inSrc = ['filters/keyed.ts', 'format/header.ts', 'threads/shared-classes.ts'].map((name) => `src/${name}`);
  const asking = files.filter((file) => names.test(readFileSync(file, 'utf8')));
  expect(asking.sort()).toEqual(['cli/commands/build.ts', ...inSrc]);
});

it('is right that the folders of cli/ do not import each other in circles', () => {
  const folders = readdirSync('cli', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = folders.map(({ name }) => `cli/${name}`);
  const foldersOf = (name: string): string[] => filesBelow(name).flatMap(importsOf).map(dirname);
  const graph = new Map(names.map((name) => [name, foldersOf(name).filter((folder) => folder !== name)]));
  expect(circlesIn(graph)).toEqual([]);
});
