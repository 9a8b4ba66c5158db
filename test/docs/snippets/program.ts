// Turns a block of TypeScript or JavaScript into a program.

import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { Block } from './markdown.ts';

const here = import.meta.dirname;

/** Bundlers for Workers compile a module that is imported, as this does. */
const compiledModules: Plugin = {
  name: 'compiled modules',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /\.wasm$/ }, ({ path }) => ({ path, namespace: 'wasm' }));
    onLoad({ filter: /.*/, namespace: 'wasm' }, ({ path }) => ({
      resolveDir: here,
      contents: `import { readFileSync } from 'node:fs';
        import { fileURLToPath } from 'node:url';
        export default new WebAssembly.Module(readFileSync(fileURLToPath(import.meta.resolve('${path}'))));`,
    }));
  },
};

/** Answers in comments: `true`, `2`, `9,585,059`, `'a'`, `['a', 'b']`, `Uint8Array [1, 0]`; more text may follow. */
const ANSWER =
  /^(?:(?:Uint8Array )?\[[^\]]*\]|'[^']*'|true\b|false\b|undefined\b|-?\d+(?:,\d{3})*(?:\.\d+)?)(?=[,:;. ]|$)/;
const STATEMENT = /^(?:(?:const|let) (\w+) = )?(.+?); *\/\/ (.*)$/;
const PRINTED = /^console\.log\((.*)\)$/;

/** `code` with a call of `expectAnswer` wherever a statement of one line is followed by a comment with an answer. */
export function withAnswersChecked(code: string): string {
  const lines = code.split('\n').map((line) => {
    const [, name, expression = '', comment = ''] = STATEMENT.exec(line.trim()) ?? [];
    const answer = ANSWER.exec(comment)?.[0];
    if (answer === undefined) return line;
    const check = (value: string): string => `expectAnswer(${value}, ${JSON.stringify(answer)});`;
    if (name !== undefined) return `const ${name} = ${expression}; ${check(name)}`;
    return check(PRINTED.exec(expression)?.[1] ?? expression);
  });
  return lines.join('\n');
}

/** The code on the lines that it has in its document, so that errors tell them. */
export function sourceOf({ line }: Block, code: string): string {
  return `${'\n'.repeat(line - 1)}${code}\n`;
}

/** A program that checks the answers in the comments of a block. The packages that it imports are not contained. */
export async function programOf(block: Block): Promise<string> {
  const contents = sourceOf(block, withAnswersChecked(block.code));
  const { outputFiles } = await build({
    stdin: { contents, loader: 'ts', resolveDir: here, sourcefile: block.place },
    inject: [join(here, 'around.ts')],
    plugins: [compiledModules],
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: 'inline',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
