// Turns a WebAssembly module into plain JavaScript with wasm2js.

import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { kernelModule, type Module } from './modules.ts';

function replaceOnce(text: string, what: string | RegExp, by: string): string {
  const parts = text.split(what);
  if (parts.length !== 2) throw new Error(`wasm2js writes differently: ${what} occurs ${parts.length - 1} times`);
  return parts.join(by);
}

/** Removes unused declarations: views of the memory, and functions of Math. */
function dropUnused(text: string): string {
  const used = text.replace(/^ *(?:var bufferView|bufferView = HEAPU8);\n/gm, '');
  return used.replace(/^ var (\w+) = (?:new \w+\(buffer\)|Math\.\w+);\n/gm, (declaration, name: string) =>
    used.split(name).length > 2 ? declaration : '',
  );
}

/** Lets a module renew its views: the kernel may replace the buffer of the memory that modules share. */
function renewViews(text: string): string {
  const views = [...text.matchAll(/^ var ((HEAP\w+) = new \w+\(buffer\);)\n/gm)];
  const missing = text.match(/HEAP\w+/g)?.find((used) => !views.some(([, , name]) => name === used));
  if (missing !== undefined) throw new Error(`wasm2js writes differently: ${missing} is not declared`);
  const renewal = `memory.renewals.push(() => { buffer = memory.buffer; ${views.map(([, view]) => view).join(' ')} });`;
  return replaceOnce(text, ' var buffer = memory.buffer;', ` var buffer = memory.buffer;\n ${renewal}`);
}

/** Completes the growth of a memory by wasm2js: checks the memory's limit, and renews the views of all modules. */
function growKernel(text: string): string {
  const limited = replaceOnce(
    text,
    'if ((oldPages < newPages) && (newPages < 65536)) {',
    'if (newPages > memory.maximum) return -1; if (oldPages < newPages) {',
  );
  return replaceOnce(
    limited,
    /(?: {3}HEAP\w+ = new \w+\(newBuffer\);\n)+ {3}buffer = newBuffer;\n {3}memory\.buffer = buffer;/,
    'memory.buffer = newBuffer; memory.renewals.forEach((renew) => renew());',
  );
}

function growNever(text: string): string {
  const cut = replaceOnce(text, 'memory.grow = __wasm_memory_grow;', '');
  return replaceOnce(cut, / function __wasm_memory_size\(\)[\s\S]*?(?=\n return \{)/, '');
}

/**
 * Makes an ES module that exports `instantiate(imports)`. The output of wasm2js instead instantiates itself once, over
 * its own memory.
 */
export async function scalarModule(module: Module, wasm: string): Promise<string> {
  const wasm2js = join(dirname(createRequire(import.meta.url).resolve('binaryen/package.json')), 'bin/wasm2js');
  const options = ['-O3', '--enable-reference-types', wasm, '-o', '-'];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [wasm2js, ...options], { maxBuffer: 2 ** 26 });
  process.stderr.write(stderr);
  let text = replaceOnce(stdout, /^import .*;$/m, '');
  text = replaceOnce(text, /\nvar memasmFunc[\s\S]*$/, '');
  text = replaceOnce(text, /,\s*"memory": Object\.create\([\s\S]*?\n {2}\}\)(?=\n \};)/, '');
  text = module === kernelModule ? growKernel(text) : growNever(text);
  text = renewViews(dropUnused(text));
  text = replaceOnce(text, 'function asmFunc(imports) {', 'export function instantiate(imports) {');
  const { transform } = await import('esbuild');
  return (await transform(text, { minify: true, format: 'esm', target: 'es2022' })).code;
}
