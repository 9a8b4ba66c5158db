// Writes the declarations that tsc does not write: of the .wasm files, and of the entry that has nothing else.

import { readFileSync, writeFileSync } from 'node:fs';
import { TYPES_ENTRY } from './entries.ts';
import { wasmFiles } from './manifest.ts';

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

export function writeDeclarations(): void {
  for (const file of wasmFiles.values()) writeFileSync(`${file}.d.ts`, wasmDeclaration);
  // The sources import each other as .ts.
  const declarations = readFileSync(`src/${TYPES_ENTRY}.d.ts`, 'utf8').replaceAll(".ts')", ".js')");
  writeFileSync(`dist/${TYPES_ENTRY}.d.ts`, declarations);
}
