// Removes from dist/ the modules that have only types, to which no entry leads.

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(?\s*|\bnew URL\(\s*)(["'])(\.{1,2}\/[^"']+\.js)\1/g;

/** The paths of all files in a folder whose names end so. */
export function codeIn(folder: string, ending = '.js'): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
  return paths.filter((path) => path.endsWith(ending));
}

/** Removes all code of dist/ but that to which the roots lead. */
export function prune(roots: readonly string[]): void {
  const kept = new Set<string>();
  const visit = (file: string): void => {
    if (kept.has(file)) return;
    kept.add(file);
    for (const [, , specifier = ''] of readFileSync(file, 'utf8').matchAll(SPECIFIER)) {
      visit(join(dirname(file), specifier));
    }
  };
  for (const root of roots) visit(root);
  for (const file of codeIn('dist')) if (!kept.has(file)) rmSync(file);
}
