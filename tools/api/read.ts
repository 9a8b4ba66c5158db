// Reads the public API from the declarations in dist/, by typedoc. That comes from a package of its own, because it needs
// an older TypeScript than the project.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { abouts, importName } from '../entries.ts';
import { isStale } from '../stale.ts';
import type { Api } from './model.ts';

const folder = import.meta.dirname;
const entries = join(folder, 'build/entries');
const output = join(folder, 'build/api.json');

/** A module of types that the package does not export, and that its options are made of. */
export const INNER = 'inner';
const innerTypes = `
export type { PromiseOptions } from '../../../../dist/declarations/filters.js';
export type { GuavaStrategy, ParquetNumbers } from '../../../../dist/declarations/foreign.js';
export type { LabelArray, StableSize } from '../../../../dist/declarations/kinds.js';
`;

/** What each entry is for, by the name by which users import it. Those in plain JavaScript export the same. */
export const about: ReadonlyMap<string, string> = new Map(
  Array.from(abouts, ([entry, text]) => [importName(entry), text]),
);

function writeEntry(name: string, text: string, code: string): void {
  writeFileSync(
    `${entries}/${name.replaceAll('/', '-')}.ts`,
    `/**\n * ${text}\n *\n * @module ${name}\n */\n${code}\n`,
  );
}

/** The API of the build in dist/, with what `tools/install.ts` installs here. */
export function readApi(): Api {
  const inputs = ['read.ts', 'typedoc.json', 'tsconfig.json', 'package-lock.json', '../entries.ts', '../../dist'];
  const paths = inputs.map((name) => join(folder, name));
  if (isStale([output], paths)) {
    rmSync(entries, { recursive: true, force: true });
    mkdirSync(entries, { recursive: true });
    for (const [name, text] of about) writeEntry(name, text, `export * from '${name}';`);
    writeEntry(INNER, 'Types that the package does not export.', innerTypes);
    const options = ['--logLevel', 'Warn', '--json', output];
    execFileSync(process.execPath, ['node_modules/typedoc/bin/typedoc', ...options], {
      cwd: folder,
      stdio: ['ignore', 2, 2],
    });
  }
  return JSON.parse(readFileSync(output, 'utf8'));
}
