// Bundles the package into single files, for pages that have no bundler.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Plugin } from 'rolldown';
import { minify } from './common-js.ts';
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
    file: 'dist/bloomery.min.js',
    format: 'es',
    entries: entriesIn('module'),
    instead: 'use chooseEngine() of bloomery.iife.js',
  },
  {
    file: 'dist/bloomery.iife.js',
    format: 'iife',
    name: 'bloomery',
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
    transform: {
      filter: { id: ENGINE },
      handler(code, path) {
        const missing = ADVICE.find((part) => !part.test(code));
        if (missing) throw new Error(`${path} lacks ${missing}`);
        const [parameter, message] = ADVICE;
        return code.replace(parameter, '').replace(message, `'WebAssembly is refused here: ${instead}'`);
      },
    },
  };
}

const INPUT = 'single-file.js';

/** Makes a module of these entries, which is in no file. */
function passOn(entries: readonly string[]): Plugin {
  return {
    name: 'bloomery-entries',
    resolveId: (id) => (id === INPUT ? resolve(INPUT) : null),
    load: (id) => (id === resolve(INPUT) ? entries.map((entry) => `export * from '${entry}';`).join('\n') : null),
  };
}

export const singleFiles: readonly string[] = files.map(({ file }) => file);

export async function writeSingleFiles(): Promise<void> {
  const { version, license } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, string>;
  const { rolldown } = await import('rolldown');
  for (const { file, entries, instead, ...options } of files) {
    const bundle = await rolldown({
      input: INPUT,
      plugins: [passOn(entries), advise(instead)],
      transform: { target: 'es2022' },
    });
    await bundle.write({
      ...options,
      file,
      exports: 'named',
      postBanner: `/*! bloomery ${version} | ${license} */`,
      // The global variable keeps its name.
      minify: { ...minify, mangle: { ...minify.mangle, toplevel: options.format === 'es' } },
      comments: false,
    });
  }
}
