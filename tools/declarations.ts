// Writes the files of dist/ that tsc does not write: the declarations of the .wasm files and of the entry that has
// nothing else, and CommonJS entries.

import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { TYPES_ENTRY } from './entries.ts';

/** A file, or one for each condition. Only entries that are JavaScript have `require`. */
type Target = string | { readonly [condition: string]: Target };

// The empty interface is for projects without types for WebAssembly. In others it changes nothing.
const wasmDeclaration = `declare global {
  namespace WebAssembly {
    interface Module {}
  }
}

/**
 * A compiled module, which \`useKernel\` or a function like it takes: what Cloudflare Workers import from a .wasm file.
 */
declare const module: WebAssembly.Module;
export default module;
`;

/** Node can require ES modules, but TypeScript before 5.8 or with \`"module": "node16"\` does not know that. */
function requireEntry(file: string): void {
  const path = `./${basename(file, '.cjs')}.js`;
  writeFileSync(file, `module.exports = require('${path}');\n`);
  const why = '// @ts-ignore: Not every TypeScript knows that Node can require an ES module.';
  writeFileSync(file.replace(/\.cjs$/, '.d.cts'), `${why}\nexport * from '${path}';\n`);
}

/** The CommonJS files that a target names. */
function requiredIn(target: Target): string[] {
  if (typeof target === 'string') return target.endsWith('.cjs') ? [target] : [];
  return Object.values(target).flatMap(requiredIn);
}

export function writeRequired(): void {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, Target> };
  for (const file of new Set(requiredIn(exports))) requireEntry(file);
  for (const [name, entry] of Object.entries(exports)) {
    if (name.endsWith('.wasm') && typeof entry === 'object') writeFileSync(String(entry['types']), wasmDeclaration);
  }
  // The sources import each other as .ts.
  const declarations = readFileSync(`src/${TYPES_ENTRY}.d.ts`, 'utf8').replaceAll(".ts')", ".js')");
  writeFileSync(`dist/${TYPES_ENTRY}.d.ts`, declarations);
}
