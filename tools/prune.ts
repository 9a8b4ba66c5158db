// Removes from dist/ what no entry leads to: modules that have only types, and declarations of what is not public.

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(?\s*|\bnew URL\(\s*)(["'])(\.{1,2}\/[^"']+)\1/g;

/** The paths of all JavaScript and all declarations in a folder. */
export function codeIn(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
  return paths.filter((path) => /\.[jt]s$/.test(path));
}

/** The file that a specifier means: declarations import each other as .ts or .js. */
function targetOf(file: string, specifier: string): string | undefined {
  const path = join(dirname(file), specifier);
  const types = path.replace(/\.[jt]s$/, '.d.ts');
  return [/\.d\.c?ts$/.test(file) ? types : path, path].find(existsSync);
}

/** Removes all code and declarations of dist/ but those that the roots lead to. */
export function prune(roots: readonly string[]): void {
  const kept = new Set<string>();
  const visit = (file: string): void => {
    if (kept.has(file)) return;
    kept.add(file);
    for (const [, , specifier = ''] of readFileSync(file, 'utf8').matchAll(SPECIFIER)) {
      const target = targetOf(file, specifier);
      if (target !== undefined) visit(target);
    }
  };
  for (const root of roots) visit(root);
  for (const file of codeIn('dist')) if (!file.endsWith('.wasm.d.ts') && !kept.has(file)) rmSync(file);
}
