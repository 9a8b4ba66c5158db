// Writes the files of dist/ that tsc does not write: the declarations of the .wasm files, and CommonJS entries.

import { readFileSync, writeFileSync } from 'node:fs';

/** An entry in the exports of package.json. Only those that are JavaScript have `require`. */
interface Entry {
  readonly types?: string;
  readonly require?: { readonly types: string; readonly default: string };
  readonly default: string;
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
function requireEntry(entry: Required<Entry>): void {
  const path = `./${entry.default.slice(entry.default.lastIndexOf('/') + 1)}`;
  writeFileSync(entry.require.default, `module.exports = require('${path}');\n`);
  const why = '// @ts-ignore: Not every TypeScript knows that Node can require an ES module.';
  writeFileSync(entry.require.types, `${why}\nexport * from '${path}';\n`);
}

export function writeRequired(): void {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, Entry> };
  for (const { types, require, ...entry } of Object.values(exports)) {
    if (types && require) requireEntry({ types, require, ...entry });
    else if (types) writeFileSync(types, wasmDeclaration);
  }
}
