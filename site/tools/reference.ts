// Makes the reference of the package's entries as Markdown, from their types and comments, by typedoc. It comes from a
// folder of its own, because it needs an older TypeScript than the project.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { abouts, importName } from '../../tools/entries.ts';
import { isStale } from '../../tools/stale.ts';
import { filesIn } from './stamp.ts';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const folder = path('../reference');
const entries = path('../build/reference-entries');
const output = path('../build/reference');
const manifest = path('../../package.json');

const inputs = [
  path('reference.ts'),
  path('../../tools/entries.ts'),
  path('../../dist'),
  manifest,
  ...['package-lock.json', 'typedoc.json', 'tsconfig.json'].map((name) => `${folder}/${name}`),
];

/** What each entry is for, by the name by which users import it. The twins in plain JavaScript have no page. */
const about = new Map([...abouts].map(([entry, text]) => [importName(entry), text]));

export const entryNames: readonly string[] = [...about.keys()];

/** Removes the base classes of exported classes, which are not exported and of no use to users. */
function withoutAncestors(markdown: string): string {
  return markdown
    .replaceAll(/^#+ (?:Inherited from|Overrides)\n\n.*\n+/gm, '')
    .replaceAll(/^## (?:Extends|Extended by)\n\n(?:- `.*\n)+\n*/gm, '');
}

/** Writes the reference, unless it is up to date. */
export function writeReference(): void {
  if (!isStale([`${output}/index.md`], inputs)) return;
  rmSync(entries, { recursive: true, force: true });
  mkdirSync(entries, { recursive: true });
  for (const [name, text] of about) {
    const comment = `/**\n * ${text}\n *\n * @module ${name}\n */`;
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
