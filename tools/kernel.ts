// Compiles assembly/ and writes the modules that src/kernel imports. Does nothing while they are up to date. For each
// module in modules.ts it writes:
//
//   build/NAME.release.wasm  with SIMD: embedded in the package
//   build/NAME.wasm          the same bytes with a stamp: shipped as a file
//   build/NAME.scalar.wasm   without SIMD or any newer feature but strings: becomes plain JavaScript
//   build/NAME.debug.wasm    with assertions, for the tests
//   src/kernel/generated/NAME/wasm.js, scalar.js
//   src/kernel/generated/NAME/exports.ts, wasm.d.ts, scalar.d.ts: the types, which are in the repository
//
// The module for shared memory has no scalar form.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encode } from './embedded-text.ts';
import { capitalOf } from './entries.ts';
import { hashNumberOf, kernelModule, type Module, modules, sharedModule } from './modules.ts';
import { isStale } from './stale.ts';
import { endOf, heapBase, requireRanges } from './static-data.ts';
import { scalarModule } from './wasm2js.ts';

export const GENERATED = 'src/kernel/generated';
const TARGETS = ['release', 'scalar', 'debug'] as const;
type Target = (typeof TARGETS)[number];

const tools = ['embedded-text', 'entries', 'kernel', 'modules', 'static-data', 'wasm2js'].map(
  (name) => `tools/${name}.ts`,
);
const inputs = ['assembly', 'asconfig.json', 'package-lock.json', ...tools];

/** Memories that threads share may have at most as many pages as are declared. */
const SHARED = ['--enable', 'threads', '--sharedMemory', '--maximumMemory', '65535'];

function fileOf({ name }: Module, target: Target): string {
  return `build/${name}.${target}.wasm`;
}

/** The address of the static data. That of the scalar kernel differs, so that both heaps begin at the same address. */
function memoryBaseOf(module: Module, target: Target): number {
  if (module !== kernelModule || target !== 'scalar') return module.memoryBase;
  return heapBase(fileOf(module, 'release'));
}

/** @throws Error if the code is wrong, or if the static data do not end before those of the next module */
export async function compile(module: Module, target: Target, file = fileOf(module, target)): Promise<void> {
  // Imported only when needed, because loading it takes seconds and usually everything is up to date.
  const { default: asc } = await import('assemblyscript/asc');
  const end = endOf(module);
  const limit = end === undefined ? [] : ['--lowMemoryLimit', String(end)];
  const place = ['--memoryBase', String(memoryBaseOf(module, target)), ...limit, '--outFile', file];
  const { error, stderr } = await asc.main([
    `assembly/${module.entry}`,
    ...['--config', 'asconfig.json', '--target', target],
    ...place,
    // A constant of assembly/hash.ts.
    ...['--use', `HASH=${hashNumberOf(module)}`],
    ...(module.isShared ? SHARED : []),
  ]);
  if (error)
    throw new Error(`assembly/${module.entry} does not compile (${target})\n${stderr.toString()}`, { cause: error });
}

/** Makes a custom section that identifies the version of the module: users may pass a file of another version. */
function stampSection(stamp: string): Buffer {
  const name = 'bloomery';
  const content = Buffer.from(`${String.fromCharCode(name.length)}${name}${stamp}`);
  return Buffer.concat([Buffer.of(0, content.length), content]);
}

/** The signatures of the exported functions, from the declarations that asc writes. There, strings are `unknown`. */
function signaturesOf(module: Module): string {
  const declarations = readFileSync(fileOf(module, 'release').replace('.wasm', '.d.ts'), 'utf8');
  const functions = [...declarations.matchAll(/export function (\w+\([^)]*\): \w+);/g)].map(
    (match) => `  ${match[1]?.replace(': unknown', ': string | null')};`,
  );
  if (functions.length === 0) throw new Error('asc writes its declarations differently');
  return functions.join('\n');
}

function interfaceOf(module: Module): string {
  return `${capitalOf(module.name)}Exports`;
}

function exportsModule(module: Module): string {
  const exported = `/** What the module exports. */\nexport interface ${interfaceOf(module)} {\n${signaturesOf(module)}\n}\n`;
  if (module !== kernelModule && !module.isShared) return exported;
  const base = heapBase(fileOf(module, 'release'), module.isShared);
  if (!module.isShared && heapBase(fileOf(module, 'scalar')) !== base)
    throw new Error('the heaps of both engines must begin alike');
  return `${exported}\n/** The first byte of memory that no module uses itself. */\nexport const HEAP_BASE: number = ${base};\n`;
}

function wasmModule(wasm: Buffer, stamp: string): string {
  return `export const code = {\n  stamp: '${stamp}',\n  text: ${JSON.stringify(encode(wasm))},\n};\n`;
}

const wasmDeclaration =
  "import type { EmbeddedCode } from '../../embedded-module.js';\n\n" +
  '/** The module, compiled with SIMD. */\nexport const code: EmbeddedCode;\n';

function scalarDeclaration(module: Module): string {
  const name = interfaceOf(module);
  return (
    `import type { ScalarImports } from '../../engine-js.js';\nimport type { ${name} } from './exports.js';\n\n` +
    `/** The module as plain JavaScript. */\nexport function instantiate(imports: ScalarImports): ${name};\n`
  );
}

/** Writes the files of a module that is compiled. A process of its own makes the longest one. */
async function writeFiles(module: Module, targets: readonly Target[]): Promise<void> {
  const folder = join(GENERATED, module.name);
  mkdirSync(folder, { recursive: true });
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const wasm = readFileSync(fileOf(module, 'release'));
  const stamp = createHash('sha256').update(wasm).digest('hex').slice(0, 16);
  write('exports.ts', exportsModule(module));
  write('wasm.js', wasmModule(wasm, stamp));
  write('wasm.d.ts', wasmDeclaration);
  if (targets.includes('scalar')) {
    write('scalar.js', await scalarModule(module, fileOf(module, 'scalar')));
    write('scalar.d.ts', scalarDeclaration(module));
  }
  // Written last, because its time tells whether all files are up to date.
  writeFileSync(`build/${module.name}.wasm`, Buffer.concat([wasm, stampSection(stamp)]));
}

/** Compiles modules, and writes their files: of some targets, if the others are up to date. */
export async function buildModules(all: readonly Module[], some?: readonly Target[]): Promise<void> {
  const written: Promise<void>[] = [];
  try {
    for (const module of all) {
      const targets = some ?? (module.isShared ? (['release', 'debug'] as const) : TARGETS);
      for (const target of targets) await compile(module, target);
      // The next module is compiled meanwhile.
      written.push(writeFiles(module, targets));
      // What fails is thrown below.
      written.at(-1)?.catch(() => {});
    }
  } finally {
    await Promise.allSettled(written);
  }
  await Promise.all(written);
}

export async function buildKernel(): Promise<void> {
  requireRanges(modules);
  const outputsOf = ({ name }: Module): string[] => [
    `build/${name}.wasm`,
    ...['wasm.js', 'exports.ts'].map((file) => join(GENERATED, name, file)),
  ];
  await buildModules([...modules, sharedModule].filter((module) => isStale(outputsOf(module), inputs)));
}

if (process.argv[1] === import.meta.filename) await buildKernel();
