import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { documentation } from './tools/docs/plugin.ts';
import { firstPage } from './tools/first-page.ts';
import { NOT_FOUND, rootOf } from './tools/head.ts';
import { pages } from './tools/pages.ts';
import { shell } from './tools/shell.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const docs = documentation();

/** The version of a package, as a constant in the code of the pages. */
const versionIn = (folder: string): string =>
  JSON.stringify(JSON.parse(readFileSync(here(`${folder}/package.json`), 'utf8')).version);

/** The service worker is found by its name, so that has no hash. */
const SERVICE_WORKER = 'service-worker';

export default defineConfig({
  root: here('.'),
  // Every path is relative, so the site can be served below any path.
  base: './',
  experimental: {
    renderBuiltUrl: (name, { hostId }) => (hostId === NOT_FOUND ? rootOf(NOT_FOUND) + name : { relative: true }),
  },
  define: { BLOOMERY_VERSION: versionIn('..'), BLOOMFILTER_VERSION: versionIn('node_modules/bloomfilter') },
  // The benchmark shares code with bench/, which has a copy of this package of its own.
  resolve: { dedupe: ['bloomfilter'] },
  plugins: [docs.plugin, firstPage(), shell()],
  // Workers load an engine when they have chosen it, so they are modules too.
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    // An inlined asset would be a `data:` URL, which the pages' policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: {
        ...Object.fromEntries(pages.map(({ file }) => [file.replace(/\.html$/, ''), here(file)])),
        ...docs.input,
        [SERVICE_WORKER]: here('src/shell/service.worker.ts'),
      },
      output: {
        entryFileNames: ({ name }) => (name === SERVICE_WORKER ? '[name].js' : 'assets/[name]-[hash].js'),
      },
    },
  },
});
