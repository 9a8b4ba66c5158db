// What the server of the pages serves.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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
  const put = async (name: string, entry: string, format: 'esm' | 'iife' = 'esm'): Promise<void> => {
    files.set(name, readFileSync(await bundle({ entry, format })));
  };
  for (const name of readdirSync(folder)) await put(name.replace('.ts', '.js'), join(folder, name));
  for (const name of ['worker', 'one-file']) await put(`${name}-classic.js`, join(folder, `${name}.ts`), 'iife');
  for (const name of ['page.js', 'worker.js']) await put(`large-list/${name}`, join(example, name));
  files.set('large-list/index.html', readFileSync(join(example, 'index.html')));
  const dist = join(project(), 'node_modules/bloomery/dist');
  for (const name of readdirSync(dist)) {
    if (/^bloomery\..*js$/.test(name)) files.set(name, readFileSync(join(dist, name)));
  }
  return files;
}
