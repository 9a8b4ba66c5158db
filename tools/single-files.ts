// Bundles the package into single files, for pages that have no bundler.

import { readFileSync } from 'node:fs';
import { importName, otherEntries, singleFileKinds } from './entries.ts';

/** The names by which users import the entries in a single file. */
function entriesIn(file: 'module' | 'script'): string[] {
  const others = otherEntries.filter(({ singleFiles }) => singleFiles.includes(file));
  const kinds = singleFileKinds.filter(({ isMain }) => !isMain);
  return ['', ...[...kinds, ...others].map(({ name }) => name)].map(importName);
}

/** The files, and the entries whose exports each contains. */
const files = [
  { outfile: 'dist/bloomery.min.js', format: 'esm', entries: entriesIn('module') },
  { outfile: 'dist/bloomery.iife.js', format: 'iife', globalName: 'bloomery', entries: entriesIn('script') },
] as const;

export const singleFiles: readonly string[] = files.map(({ outfile }) => outfile);

export async function writeSingleFiles(): Promise<void> {
  const { version, license } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, string>;
  const { build } = await import('esbuild');
  for (const { entries, ...options } of files) {
    await build({
      ...options,
      stdin: { contents: entries.map((entry) => `export * from '${entry}';`).join('\n'), resolveDir: '.' },
      bundle: true,
      minify: true,
      target: 'es2022',
      banner: { js: `/*! bloomery ${version} | ${license} */` },
    });
  }
}
