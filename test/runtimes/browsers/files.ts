// What the server of the pages serves.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../bundle.ts';
import { project } from '../project.ts';

const example = fileURLToPath(new URL('../../../examples/large-list', import.meta.url));
const folder = fileURLToPath(new URL('pages', import.meta.url));

/** A page that loads the build for pages without a bundler. */
const ONE_FILE = '<!doctype html><script src="bloomery.iife.js"></script><script src="one-file-classic.js"></script>';

/** Bundles each module of `pages/`, some as classic scripts too, and adds what needs no bundler. */
export async function makeFiles(): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const files = new Map<string, string | Uint8Array>([['one-file.html', ONE_FILE]]);
  for (const name of readdirSync(folder)) {
    const file = await bundle({ entry: `${folder}/${name}`, format: 'esm' });
    files.set(basename(file), readFileSync(file));
  }
  for (const name of ['worker', 'one-file']) {
    const classic = await bundle({ entry: `${folder}/${name}.ts`, format: 'iife' });
    files.set(`${name}-classic.js`, readFileSync(classic));
  }
  files.set('large-list/index.html', readFileSync(join(example, 'index.html')));
  for (const name of ['page', 'worker']) {
    const file = await bundle({ entry: join(example, `${name}.js`), format: 'esm' });
    files.set(`large-list/${name}.js`, readFileSync(file));
  }
  const dist = join(project(), 'node_modules/bloomery/dist');
  for (const name of readdirSync(dist)) {
    if (/^bloomery\..*js$/.test(name)) files.set(name, readFileSync(join(dist, name)));
  }
  return files;
}
