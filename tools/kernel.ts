// Compiles assembly/ and writes the modules that src/kernel imports. Does nothing while they are up to date.
//
//   build/release.wasm  SIMD: what the package embeds
//   build/kernel.wasm   the same with a stamp: what it ships beside
//   build/scalar.wasm   no SIMD, and of all newer features only strings: what wasm2js turns into plain JavaScript
//   build/debug.wasm    with assertions: for the tests

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isStale } from './stale.ts';

const generated = 'src/kernel/generated';
const outputs = [
  'build/debug.wasm',
  'build/kernel.wasm',
  ...['wasm.ts', 'scalar.js', 'scalar.d.ts', 'exports.ts'].map((name) => join(generated, name)),
];
const inputs = ['assembly', 'asconfig.json', 'tools/kernel.ts', 'package-lock.json'];

async function compile(target: string): Promise<void> {
  // Loaded here, for it takes seconds, and mostly there is nothing to do.
  const { default: asc } = await import('assemblyscript/asc');
  const { error, stderr } = await asc.main(['--config', 'asconfig.json', '--target', target]);
  if (error) throw new Error(`assembly/ does not compile (${target})\n${stderr.toString()}`, { cause: error });
}

/** A custom section that tells this kernel from all others, for the package may be given a file that it did not embed. */
function stampSection(stamp: string): Buffer {
  const name = 'bloomery';
  const content = Buffer.from(`${String.fromCharCode(name.length)}${name}${stamp}`);
  return Buffer.concat([Buffer.of(0, content.length), content]);
}

function replaceOnce(text: string, what: string | RegExp, by: string): string {
  const parts = text.split(what);
  if (parts.length !== 2) throw new Error(`wasm2js writes differently: ${what} occurs ${parts.length - 1} times`);
  return parts.join(by);
}

/** wasm2js gives a module that instantiates itself once, on a memory of its own. This makes it a function. */
async function scalarModule(): Promise<string> {
  const wasm2js = join(dirname(createRequire(import.meta.url).resolve('binaryen/package.json')), 'bin/wasm2js');
  const options = ['-O3', '--enable-reference-types', 'build/scalar.wasm', '-o', '-'];
  let text = execFileSync(process.execPath, [wasm2js, ...options], { encoding: 'utf8' });
  text = replaceOnce(text, /^import .* from 'wasm:js-string';$/m, '');
  text = replaceOnce(text, /\nvar memasmFunc[\s\S]*$/, '');
  // As it comes it ignores the limit of the memory, and says that it has grown where it has not.
  text = replaceOnce(
    text,
    'if ((oldPages < newPages) && (newPages < 65536)) {',
    'if (newPages > memory.maximum) return -1; if (oldPages < newPages) {',
  );
  const wrapped = `export function instantiate(imports) {\n${text}\nreturn asmFunc(imports);\n}\n`;
  const { transform } = await import('esbuild');
  return (await transform(wrapped, { minify: true, format: 'esm', target: 'es2022' })).code;
}

/** The kernel's functions as TypeScript, from the declarations that asc writes. A string is `unknown` to it. */
function exportsInterface(declarations: string): string {
  const functions = [...declarations.matchAll(/export function (\w+\([^)]*\): \w+);/g)].map(
    (match) => `  ${match[1]?.replace(': unknown', ': string | null')};`,
  );
  if (functions.length === 0) throw new Error('asc writes its declarations differently');
  return functions.join('\n');
}

function heapBase(file: string): number {
  const module = new WebAssembly.Module(readFileSync(file));
  const memory = new WebAssembly.Memory({ initial: 1 });
  const imports = { env: { memory }, 'wasm:js-string': { charCodeAt() {} } };
  const { heap_base: base } = new WebAssembly.Instance(module, imports).exports;
  if (typeof base !== 'function') throw new Error(`${file} has no heap_base`);
  return Number(base());
}

function write(name: string, text: string): void {
  writeFileSync(join(generated, name), text);
}

export async function buildKernel(): Promise<void> {
  if (!isStale(outputs, inputs)) return;
  mkdirSync(generated, { recursive: true });
  for (const target of ['release', 'scalar', 'debug']) await compile(target);

  const base = Math.max(heapBase('build/release.wasm'), heapBase('build/scalar.wasm'));
  const functions = exportsInterface(readFileSync('build/release.d.ts', 'utf8'));
  write(
    'exports.ts',
    `/** What the kernel exports. */\nexport interface KernelExports {\n${functions}\n}\n\n` +
      `/** The first byte of memory that no build of the kernel uses itself. */\nexport const HEAP_BASE: number = ${base};\n`,
  );
  // Hexadecimal is longer than base64, but keeps the bytes apart, so that it is a fifth shorter once compressed.
  const kernel = readFileSync('build/release.wasm');
  const stamp = createHash('sha256').update(kernel).digest('hex').slice(0, 16);
  write(
    'wasm.ts',
    `/** What \`bloomery/kernel.wasm\` says in its section 'bloomery'. */\nexport const stamp: string = '${stamp}';\n\n` +
      `/** The kernel, compiled with SIMD. */\nexport const hex: string =\n  '${kernel.toString('hex')}';\n`,
  );
  writeFileSync('build/kernel.wasm', Buffer.concat([kernel, stampSection(stamp)]));
  write('scalar.js', await scalarModule());
  write(
    'scalar.d.ts',
    "import type { KernelExports } from './exports.js';\n\n" +
      '/** The kernel as plain JavaScript, over a memory that grows up to `maximum` pages. */\n' +
      'export function instantiate(imports: {\n  env: { memory: { buffer: ArrayBuffer; maximum: number; grow(pages: number): number } };\n' +
      "  'wasm:js-string': { charCodeAt(text: string, index: number): number };\n}): KernelExports;\n",
  );
}

if (process.argv[1] === import.meta.filename) await buildKernel();
