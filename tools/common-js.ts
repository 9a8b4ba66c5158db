// Writes dist/cjs/ and dist/chunks/, the package in CommonJS: for Jest, which refuses to require ES modules, and for
// Node before 20.19 and 22.12. A file for each entry, and a few that they share, so that a class is the same one in all
// entries.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Plugin } from 'rolldown';
import { modules } from './manifest.ts';

const FOLDER = 'dist/cjs';

/** The entries by the name of their file without its ending, and the module of each. */
export const entries: ReadonlyMap<string, string> = new Map(
  [...modules].flatMap(([name, { module, script }]) => {
    const path = name === '' ? 'index' : name;
    const plain = name === '' ? 'js' : `${name}/js`;
    return [[path, module] as const, ...(script === undefined ? [] : [[plain, script] as const])];
  }),
);

const isEntry = new Set([...entries.values()].map((module) => `dist/${module}.js`));

/**
 * The files that entries share, and which modules each contains. Next.js refuses to build code that names functions of
 * WebAssembly, so entries in plain JavaScript must be free of it.
 */
const SHARED: Readonly<Record<string, RegExp>> = {
  wasm: /\/dist\/(kernel\/(.*-wasm|embedded-module|generated\/.*\/wasm)|kinds\/wasm|index)\.js$/,
  scalar: /\/dist\/(kernel\/(.*-js|generated\/.*\/scalar)|kinds\/js|entries\/js\/index)\.js$/,
  redis: /\/dist\/redis\/.*\.js$/,
  threads: /\/dist\/threads\/.*\.js$/,
};
/** Modules that belong to the entries that import them: they use Node, or have a class on one engine. */
const OWN = /\/dist\/(node|auto)\/.*\.js$|\/(wasm|js)\.js$/;

function isCommon(id: string): boolean {
  return !isEntry.has(relative('.', id)) && ![...Object.values(SHARED), OWN].some((modules) => modules.test(id));
}

/** Lets threads run the ES modules of the package, wherever they are started from. */
const threads: Plugin = {
  name: 'bloomery-threads',
  transform: {
    filter: { code: /new URL\('\.\/[\w-]+\.js', import\.meta\.url\)/ },
    handler: (code, id) => code.replaceAll(/(?<=new URL\(')\.(?=\/)/g, () => `DIST/${relative('dist', dirname(id))}`),
  },
  renderChunk: (code, { fileName }) =>
    code.replaceAll('DIST/', `${relative(dirname(join('dist', fileName)), 'dist')}/`),
};

/** How code is minified. Names of classes stay, because errors show them. */
export const minify = {
  compress: true,
  mangle: { toplevel: true, keepNames: { class: true, function: false } },
  codegen: { removeWhitespace: true },
} as const;

export async function writeCommonJs(): Promise<void> {
  const { rolldown } = await import('rolldown');
  const input = Object.fromEntries([...entries].map(([name, module]) => [name, `dist/${module}.js`]));
  const bundle = await rolldown({ input, platform: 'node', external: [/^node:/], plugins: [threads] });
  await bundle.write({
    dir: 'dist',
    format: 'cjs',
    exports: 'named',
    entryFileNames: 'cjs/[name].cjs',
    chunkFileNames: 'chunks/[name].cjs',
    codeSplitting: {
      groups: [
        { name: 'common', test: isCommon, priority: 2 },
        ...Object.entries(SHARED).map(([name, test], i) => ({ name, test, priority: 1 / (i + 1) })),
      ],
    },
    minify,
    comments: false,
  });
  // For the pattern of package.json: what is the same in every runtime.
  for (const name of [...modules.keys()].filter((each) => each !== '' && !/(^|\/)js$/.test(each))) {
    const twin = `${FOLDER}/${name}/js.cjs`;
    mkdirSync(dirname(twin), { recursive: true });
    if (!existsSync(twin)) writeFileSync(twin, `module.exports = require('../${name}.cjs');\n`);
  }
  // TypeScript before 5.8, or with `"module": "node16"`, does not know that Node can require an ES module.
  for (const [name, module] of entries) {
    const file = `${FOLDER}/${name}.d.cts`;
    mkdirSync(dirname(file), { recursive: true });
    const path = relative(dirname(file), `dist/${module}.js`);
    const why = '// @ts-ignore: Not every TypeScript knows that Node can require an ES module.';
    writeFileSync(file, `${why}\nexport * from '${path}';\n`);
  }
}
