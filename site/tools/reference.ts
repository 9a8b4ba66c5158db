// Makes the reference of the package's entries as Markdown, from their types and comments, by typedoc. It comes from a
// folder of its own, because it needs an older TypeScript than the project.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isStale } from '../../tools/stale.ts';
import { filesIn } from './stamp.ts';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const folder = path('../reference');
const entries = path('../build/reference-entries');
const output = path('../build/reference');
const manifest = path('../../package.json');

const inputs = [
  path('reference.ts'),
  path('../../dist'),
  manifest,
  ...['package-lock.json', 'typedoc.json', 'tsconfig.json'].map((name) => `${folder}/${name}`),
];

/** The names by which users import, without the twins in plain JavaScript and without what is no code. */
export function entryNames(): string[] {
  const { name, exports }: { name: string; exports: Record<string, unknown> } = JSON.parse(
    readFileSync(manifest, 'utf8'),
  );
  return Object.keys(exports)
    .filter((key) => !/(?:\/js|\.wasm|\.json)$/.test(key))
    .map((key) => `${name}${key.slice(1)}`);
}

const about: Readonly<Record<string, string>> = {
  bloomery: 'Filters on WebAssembly, keys, streams, and the formulas for their sizes.',
  'bloomery/auto': 'Chooses the engine that works.',
  'bloomery/cuckoo': 'Removal in a quarter of the memory of counters.',
  'bloomery/fuse': 'The smallest filter of a list that is complete beforehand.',
  'bloomery/hash': 'Hashes of keys, computed once for several filters.',
  'bloomery/load': 'Loads a saved filter of any kind.',
  'bloomery/redis': 'Filters that many processes share, in Redis or Valkey.',
  'bloomery/wide': 'Rare errors at high speed.',
};

/** Users have no use for the classes from which the exported ones descend: those are not exported. */
function withoutAncestors(markdown: string): string {
  return markdown
    .replaceAll(/^#+ (?:Inherited from|Overrides)\n\n.*\n+/gm, '')
    .replaceAll(/^## (?:Extends|Extended by)\n\n(?:- `.*\n)+\n*/gm, '');
}

/** Does nothing while the reference is up to date. */
export function writeReference(): void {
  if (!isStale([`${output}/index.md`], inputs)) return;
  rmSync(entries, { recursive: true, force: true });
  mkdirSync(entries, { recursive: true });
  for (const name of entryNames()) {
    const comment = `/**\n * ${about[name] ?? ''}\n *\n * @module ${name}\n */`;
    writeFileSync(`${entries}/${name.replaceAll('/', '-')}.ts`, `${comment}\nexport * from '${name}';\n`);
  }
  execFileSync(process.execPath, ['node_modules/typedoc/bin/typedoc', '--logLevel', 'Warn'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  for (const file of filesIn(output).filter((name) => name.endsWith('.md'))) {
    const path = join(output, file);
    writeFileSync(path, withoutAncestors(readFileSync(path, 'utf8')));
  }
}
