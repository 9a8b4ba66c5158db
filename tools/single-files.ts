// Bundles the package into single files, for pages that have no bundler.

import { readFileSync } from 'node:fs';

const kinds = ['', '/wide', '/cuckoo', '/fuse', '/rotating', '/scalable', '/load'].map((entry) => `bloomery${entry}`);

/** The files, and the entries of which each exports everything. */
const files = [
  { outfile: 'dist/bloomery.min.js', format: 'esm', entries: kinds },
  // Has both engines, because extensions and user scripts often run where WebAssembly is refused.
  { outfile: 'dist/bloomery.iife.js', format: 'iife', globalName: 'bloomery', entries: [...kinds, 'bloomery/auto'] },
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
