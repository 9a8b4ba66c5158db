// Bundles the package into single files, for pages that have no bundler.

import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';
import { importName, otherEntries, singleFileKinds } from './entries.ts';

/** The names by which users import the entries in a single file. */
function entriesIn(file: 'module' | 'script'): string[] {
  const others = otherEntries.filter(({ singleFiles }) => singleFiles?.includes(file));
  const kinds = singleFileKinds.filter(({ isMain }) => !isMain);
  return ['', ...[...kinds, ...others].map(({ name }) => name)].map(importName);
}

/**
 * The files, and the entries whose exports each contains. Where WebAssembly is refused, other entries advise to import
 * from `bloomery/js`, which a page without a bundler cannot do: `instead` is what it can do.
 */
const files = [
  {
    outfile: 'dist/bloomery.min.js',
    format: 'esm',
    entries: entriesIn('module'),
    instead: 'use chooseEngine() of bloomery.iife.js',
  },
  {
    outfile: 'dist/bloomery.iife.js',
    format: 'iife',
    globalName: 'bloomery',
    entries: entriesIn('script'),
    instead: 'use bloomery.chooseEngine()',
  },
] as const;

const ENGINE = /\/kernel\/engine-wasm\.js$/;
/** What the engine advises: as a parameter, and in the message. */
const ADVICE = [/, advice = "[^"]*"(?=\))/, /`WebAssembly is refused here: \$\{advice\}`/] as const;

/** Replaces the advice of the engine on WebAssembly, for every kind. */
function advise(instead: string): Plugin {
  return {
    name: 'bloomery-advice',
    setup({ onLoad }) {
      onLoad({ filter: ENGINE }, ({ path }) => {
        const code = readFileSync(path, 'utf8');
        const missing = ADVICE.find((part) => !part.test(code));
        if (missing) throw new Error(`${path} lacks ${missing}`);
        const [parameter, message] = ADVICE;
        const contents = code.replace(parameter, '').replace(message, `'WebAssembly is refused here: ${instead}'`);
        return { contents };
      });
    },
  };
}

export const singleFiles: readonly string[] = files.map(({ outfile }) => outfile);

export async function writeSingleFiles(): Promise<void> {
  const { version, license } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, string>;
  const { build } = await import('esbuild');
  for (const { entries, instead, ...options } of files) {
    await build({
      ...options,
      stdin: { contents: entries.map((entry) => `export * from '${entry}';`).join('\n'), resolveDir: '.' },
      plugins: [advise(instead)],
      bundle: true,
      minify: true,
      target: 'es2022',
      banner: { js: `/*! bloomery ${version} | ${license} */` },
    });
  }
}
