import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile, compileModule } from 'svelte/compiler';

/** Compiles a component or a module of this folder, and imports it. */
export function compiled(file, generate) {
  const source = readFileSync(new URL(file, import.meta.url), 'utf8');
  const compiler = file.endsWith('.svelte') ? compile : compileModule;
  const { js, warnings } = compiler(source, { generate, filename: file });
  if (warnings.length > 0) throw new Error(`${file}: ${warnings[0].message}`);
  // Inside node_modules, from where the packages are found.
  const folder = new URL('../node_modules/.compiled/', import.meta.url);
  mkdirSync(fileURLToPath(folder), { recursive: true });
  const out = new URL(`${basename(file, '.js')}.${generate}.js`, folder);
  writeFileSync(out, js.code);
  return import(out);
}
