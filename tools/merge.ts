// Merges the modules in dist/ into fewer files. A bundler leaves out a whole module that a page does not need, but not all
// of a file that has more than that. So modules share a file only if all pages that need one need the others.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { filesIn } from './declarations.ts';

/** Modules that package.json, threads or the entries for Cloudflare Workers find by their paths. */
const FIXED = /^dist\/(index|entries\/(js\/)?[\w-]+|kernel\/(runtime(-native)?|engine-wasm)|node\/parallel\/.*)\.js$/;
/** What stays as it is: compiled code, which would become longer, and entries for Workers, which have side effects. */
const KEPT = /\/(scalar|workerd\/.*)\.js$/;

/** The file for each module: that of the last one of those that the same pages need, which imports the others. */
async function filesFor(entries: readonly string[]): Promise<Map<string, string>> {
  const { build } = await import('esbuild');
  // A page for each name that an entry exports.
  const pages = entries.flatMap((entry) => {
    const names = readFileSync(entry, 'utf8').match(/(?<=^export \{[^}]*)\w+/gm) ?? [];
    return names.map((name, i) => ({ in: `export { ${name} } from './${entry}';`, out: `${entry}/${i}` }));
  });
  const { metafile } = await build({
    entryPoints: pages,
    bundle: true,
    format: 'esm',
    platform: 'node',
    outdir: '.',
    write: false,
    metafile: true,
    plugins: [
      {
        name: 'bloomery-pages',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^export / }, ({ path }) => ({ path, namespace: 'page' }));
          onLoad({ filter: /./, namespace: 'page' }, ({ path }) => ({ contents: path, resolveDir: '.' }));
        },
      },
    ],
  });
  const needed = Object.values(metafile.outputs).map(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? file : [])),
  );
  const users = new Map<string, string>();
  needed.forEach((files, i) => {
    for (const file of files) users.set(file, `${users.get(file) ?? ''} ${i}`);
  });
  const movable = needed.flat().filter((file) => !FIXED.test(file));
  const last = new Map(movable.map((file) => [users.get(file), file]));
  return new Map(Array.from(users, ([file, numbers]) => [file, last.get(numbers) ?? file]));
}

export async function mergeModules(): Promise<void> {
  const fixed = filesIn('dist', '.js').filter((file) => FIXED.test(file));
  const files = await filesFor(fixed);
  const { rolldown } = await import('rolldown');
  // auto/js.ts imports all of an entry as a namespace, which Rolldown would write out as an object.
  const resolveId = (id: string, importer = '') =>
    importer.endsWith('/auto/js.js') ? ({ id, external: 'relative' } as const) : null;
  const bundle = await rolldown({
    input: Object.fromEntries(fixed.map((file) => [file.slice(5, -3), file])),
    preserveEntrySignatures: 'allow-extension',
    platform: 'node',
    external: KEPT,
    plugins: [{ name: 'bloomery-auto', resolveId }],
  });
  const name = (id: string): string | null => {
    const file = relative('.', id);
    return FIXED.test(file) ? null : (files.get(file) ?? file).slice(5, -3);
  };
  const { output } = await bundle.generate({
    dir: 'dist',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    minifyInternalExports: false,
    hoistTransitiveImports: false,
    comments: { legal: false, annotation: true, jsdoc: false },
    codeSplitting: { includeDependenciesRecursively: false, groups: [{ debugName: 'pages', name }] },
  });
  for (const file of filesIn('dist', '.js')) if (!KEPT.test(file)) rmSync(file);
  for (const { fileName, ...chunk } of output) {
    mkdirSync(dirname(join('dist', fileName)), { recursive: true });
    // Without names of modules, and imports for side effects, of which there are none. Rolldown makes expressions of
    // classes, of which bundlers make more code.
    const code = 'code' in chunk ? chunk.code.replaceAll(/^(\/\/ .*|import ".*";)\n/gm, '') : '';
    const text = code.replaceAll(/^var (\w+) = class(?: \1)?(?= extends | {)/gm, 'class $1');
    // Rolldown renames one of two classes of one name, and errors would show that.
    if (/^var \S+ = class|\bclass \w*\$/m.test(text)) throw new Error(`${fileName} has two classes of one name`);
    writeFileSync(join('dist', fileName), text);
  }
}
