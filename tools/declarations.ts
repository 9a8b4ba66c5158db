// Writes the declarations that tsc does not write: of the .wasm files, the same for all, and of the entry that has
// nothing else. Completes those of the classes on each engine by the comments of the classes that they extend.

import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { TYPES_ENTRY } from './entries.ts';
import { codeIn } from './prune.ts';

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

const engines: Readonly<Record<string, string>> = {
  'wasm.d.ts': 'Runs on WebAssembly.',
  'js.d.ts': 'Runs in plain JavaScript.',
};

/** The comment of a class in the declarations of the file that defines it, with a sentence about the engine. */
function commentOf(file: string, className: string, sentence: string): string {
  const text = readFileSync(file, 'utf8');
  const comment = new RegExp(`/\\*\\*\\n((?: \\*.*\\n)+) \\*/\\nexport declare class ${className} `).exec(text)?.[1];
  if (comment === undefined) throw new Error(`${file} has no documented class ${className}`);
  return `/**\n${comment} *\n * ${sentence}\n */\n`;
}

/** Puts the comments of base classes above the classes that only add an engine. */
function copyComments(file: string, sentence: string): void {
  const text = readFileSync(file, 'utf8');
  const completed = text.replaceAll(
    /\/\*\* `\w+` [^\n]*\*\/\n(?=export declare class (\w+) extends (\w+)\.)/g,
    (_, className: string, base: string) => {
      const path = new RegExp(`import \\* as ${base} from '([^']+)\\.ts';`).exec(text)?.[1] ?? '';
      return commentOf(join(dirname(file), `${path}.d.ts`), className, sentence);
    },
  );
  if (completed.includes('whose comment the build puts here')) throw new Error(`${file} lacks the comment of a class`);
  writeFileSync(file, completed);
}

export function writeDeclarations(): void {
  writeFileSync('dist/kernel.wasm.d.ts', wasmDeclaration);
  // The sources import each other as .ts.
  const declarations = readFileSync(`src/entries/${TYPES_ENTRY}.d.ts`, 'utf8').replaceAll(".ts')", ".js')");
  writeFileSync(`dist/entries/${TYPES_ENTRY}.d.ts`, declarations);
  for (const file of ['dist/kinds', 'dist/foreign'].flatMap(codeIn)) {
    const sentence = engines[basename(file)];
    if (sentence !== undefined) copyComments(file, sentence);
  }
}
