// Makes the reference of the package's entries as Markdown, from their types and comments: typedoc reads these, and
// reference/ writes the pages. typedoc comes from a folder of its own, because it needs an older TypeScript than the
// project.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { abouts, importName } from '../../tools/entries.ts';
import { isStale } from '../../tools/stale.ts';
import { examplesIn } from './reference/examples.ts';
import type { Project } from './reference/model.ts';
import { pagesOf } from './reference/pages.ts';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const folder = path('../reference');
const build = path('../build');
const entries = `${build}/reference-entries`;
const output = `${build}/reference`;
/** From the folder of the pages to that of the repository. */
const REPOSITORY = '../../..';

/** Documents with examples for the pages, the best first. */
const EXAMPLES = [
  'docs/kinds.md',
  'docs/guard.md',
  'docs/saving.md',
  'docs/opening.md',
  'docs/redis.md',
  'docs/threads.md',
  'docs/security.md',
  'docs/interop.md',
  'docs/migrating.md',
  'docs/assets.md',
  'docs/streams.md',
  'docs/runtimes.md',
  'README.md',
];

/** A module of types that the package does not export, and that its options are made of. */
const INNER = 'inner';
const innerTypes = `
export type { PromiseOptions } from '../../../dist/filters/filter-options.js';
export type { ParquetNumbers } from '../../../dist/foreign/parquet/filter.js';
export type { GuavaStrategy } from '../../../dist/foreign/guava/filter.js';
export type { LabelArray } from '../../../dist/kinds/spatial/labels.js';
export type { StableSize } from '../../../dist/kinds/stable/sizing.js';
`;

const inputs = [
  path('reference.ts'),
  path('reference'),
  path('../../tools/entries.ts'),
  path('../../dist'),
  path('../../package.json'),
  ...EXAMPLES.map((name) => path(`../../${name}`)),
  ...['package-lock.json', 'typedoc.json', 'tsconfig.json'].map((name) => `${folder}/${name}`),
];

/** What each entry is for, by the name by which users import it. The twins in plain JavaScript have no page. */
const about = new Map([...abouts].map(([entry, text]) => [importName(entry), text]));

export const entryNames: readonly string[] = [...about.keys()];

function writeEntry(name: string, about: string, code: string): void {
  const comment = `/**\n * ${about}\n *\n * @module ${name}\n */`;
  writeFileSync(`${entries}/${name.replaceAll('/', '-')}.ts`, `${comment}\n${code}\n`);
}

/** What typedoc knows of the entries. */
function readProject(): Project {
  rmSync(entries, { recursive: true, force: true });
  mkdirSync(entries, { recursive: true });
  for (const [name, text] of about) writeEntry(name, text, `export * from '${name}';`);
  writeEntry(INNER, 'Types that the package does not export.', innerTypes);
  const json = `${build}/reference.json`;
  execFileSync(process.execPath, ['node_modules/typedoc/bin/typedoc', '--logLevel', 'Warn', '--json', json], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  return JSON.parse(readFileSync(json, 'utf8'));
}

/** Writes the reference, unless it is up to date. */
export function writeReference(): void {
  if (!isStale([`${output}/index.md`], inputs)) return;
  const examples = EXAMPLES.flatMap((name) => examplesIn(name, readFileSync(path(`../../${name}`), 'utf8')));
  const pages = pagesOf({ project: readProject(), about, examples, repository: REPOSITORY, inner: INNER });
  rmSync(output, { recursive: true, force: true });
  for (const [name, markdown] of pages) {
    mkdirSync(dirname(join(output, name)), { recursive: true });
    writeFileSync(join(output, name), markdown);
  }
}
