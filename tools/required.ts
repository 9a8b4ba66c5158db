// Writes the files of dist/ that tsc does not write: the declarations of the .wasm files and of the entry that has
// nothing else, and CommonJS entries.

import { readFileSync, writeFileSync } from 'node:fs';
import { TYPES_ENTRY } from './entries.ts';

/** An entry in the exports of package.json. Only those that are JavaScript have `require`. One has only types. */
interface Entry {
  readonly types?: string;
  readonly require?: { readonly types: string; readonly default: string };
  readonly default?: string;
}

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
function requireEntry({ require, default: file }: Required<Entry>): void {
  const path = `./${file.slice(file.lastIndexOf('/') + 1)}`;
  writeFileSync(require.default, `module.exports = require('${path}');\n`);
  const why = '// @ts-ignore: Not every TypeScript knows that Node can require an ES module.';
  writeFileSync(require.types, `${why}\nexport * from '${path}';\n`);
}

export function writeRequired(): void {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, Entry> };
  for (const { types, require, default: file } of Object.values(exports)) {
    if (types && require && file) requireEntry({ types, require, default: file });
    else if (types && file) writeFileSync(types, wasmDeclaration);
  }
  // The sources import each other as .ts.
  const declarations = readFileSync(`src/${TYPES_ENTRY}.d.ts`, 'utf8').replaceAll(".ts')", ".js')");
  writeFileSync(`dist/${TYPES_ENTRY}.d.ts`, declarations);
}
