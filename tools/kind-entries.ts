// Writes src/entries/: for each kind its entry on WebAssembly, in plain JavaScript and for Cloudflare Workers, and the
// last two of the other entries. Beside them stands `bloomery/auto` for runtimes without a choice.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import {
  type engineNames,
  type FilterRow,
  filterEntries,
  foreignFilters,
  identifierOf,
  importName,
  mainKinds,
  otherEntries,
} from './entries.ts';
import { isStale } from './stale.ts';

const FOLDER = 'src/entries';
const PACKAGE: string = importName('');
const HEAD = '// Written by tools/kind-entries.ts.\n\n';

type EngineName = (typeof engineNames)[number];

const foreignNames = new Set(foreignFilters.map(({ name }) => name));

/** The folder of `src/` that has the class. */
const folderOf = ({ name }: Pick<FilterRow, 'name'>): string => (foreignNames.has(name) ? 'foreign' : 'kinds');

/** The name of an entry as the end of an identifier. */
const capitalized = (name: string): string => `${name.charAt(0).toUpperCase()}${identifierOf(name).slice(1)}`;

/** The name of the module that a kind links to the kernel; undefined if the kernel runs it alone. */
const moduleOf = ({ name, memoryBase, runsModuleOf }: FilterRow): string | undefined =>
  memoryBase === undefined ? runsModuleOf : name;

/** The sentence of a class's doc comment about its engine. */
function engineSentence(entry: string, engine: EngineName): string {
  return engine === 'wasm'
    ? `Runs on WebAssembly; \`${entry}/js\` has the same class in plain JavaScript.`
    : `Runs in plain JavaScript, for runtimes that refuse WebAssembly; \`${entry}\` has the same class on WebAssembly.`;
}

/** Breaks a paragraph into lines of a doc comment. */
function wrapped(paragraph: string): string[] {
  const lines: string[] = [];
  let line = ' *';
  for (const word of paragraph.split(' ')) {
    if (line.length + 1 + word.length > 120) {
      lines.push(line);
      line = ' *';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}

/** The doc comment of a kind's class, with a sentence about the engine at the end of its first paragraph. */
function docOf(row: FilterRow, sentence: string): string {
  const { name, className } = row;
  const path = `src/${folderOf(row)}/${name}.ts`;
  const source = readFileSync(path, 'utf8');
  const comment = new RegExp(`/\\*\\*\\n((?: \\*.*\\n)+) \\*/\\nexport class ${className} `).exec(source)?.[1];
  if (comment === undefined) throw new Error(`${path} has no documented class ${className}`);
  const lines = comment.trimEnd().split('\n');
  const end = lines.indexOf(' *');
  const first = end < 0 ? lines : lines.slice(0, end);
  const rest = end < 0 ? [] : lines.slice(end);
  const paragraph = first.map((line) => line.slice(' * '.length)).join(' ');
  return ['/**', ...wrapped(`${paragraph} ${sentence}`), ...rest, ' */'].join('\n');
}

function classText(kind: FilterRow, engine: EngineName, entry: string, value: string): string {
  const { name, className, classes = {} } = kind;
  const others = Object.entries(classes).map(
    ([property, other]) => `  static override readonly ${property}: typeof ${other} = ${other};\n`,
  );
  return (
    `${docOf(kind, engineSentence(entry, engine))}\n` +
    `export class ${className} extends ${identifierOf(name)}.${className} {\n` +
    `  /** The name of the kind of all filters of this class. */\n  declare static readonly kind: '${name}';\n` +
    `  static override readonly engine: Engine = ${value};\n${others.join('')}}\n`
  );
}

/** The classes of the main entry on one engine. */
function mainText(engine: EngineName): string {
  const imports = mainKinds.map(({ name }) => `import * as ${name} from '../kinds/${name}.ts';`).sort();
  return [
    // The engine comes first, because its code compresses better there.
    `${HEAD}import { ${engine} } from '../kernel/engine-${engine}.ts';\n`,
    `${imports.join('\n')}\nimport type { Engine } from '../kernel/region.ts';\n`,
    ...mainKinds.map((kind) => classText(kind, engine, PACKAGE, engine)),
  ].join('\n');
}

function exportsOf(row: FilterRow): string {
  const { name, className, sizing, types = [], refusesKeys, wraps } = row;
  const folder = folderOf(row);
  const error = refusesKeys ? "export { FilterFullError, type FilterFullErrorCode } from '../checks/errors.ts';\n" : '';
  const functions = sizing.length > 0 ? `export { ${sizing.join(', ')} } from '../${folder}/${name}-sizing.ts';\n` : '';
  const options = wraps
    ? "export type { LoadableClass } from '../filters/load.ts';\n"
    : `export type { ${[`${className}Options`, ...types].join(', ')} } from '../${folder}/${name}.ts';\n`;
  return `${error}${options}${functions}`;
}

/** The function that takes the compiled module of a kind. */
function useKernelText(name: string, module: string): string {
  return `/**
 * Makes filters of this entry run on a module that is already compiled. Pass the kernel to \`useKernel\` of \`${PACKAGE}\`
 * as well, and call both before making the first filter.
 *
 * @param module the WebAssembly.Module of \`${PACKAGE}/${module}/kernel.wasm\`, of exactly this version
 * @throws TypeError for anything else
 */
export function use${capitalized(name)}Kernel(module: object): void {
  supply(embedded, module, '${PACKAGE}/${module}/kernel.wasm');
}
`;
}

/** The entry of a kind whose loops are a module of their own, linked to the kernel. */
function linkedText(kind: FilterRow, module: string, engine: EngineName): string {
  const { name } = kind;
  const typeImports = "import type { Engine } from '../kernel/region.ts';\n";
  const kindImport = `import * as ${identifierOf(name)} from '../${folderOf(kind)}/${name}.ts';\n`;
  const cls = classText(kind, engine, `${PACKAGE}/${name}`, 'engine');
  if (engine === 'js') {
    return [
      `${HEAD}${kindImport}import { jsWith } from '../kernel/engine-js.ts';\n` +
        `import { instantiate } from '../kernel/generated/${module}/scalar.js';\n${typeImports}`,
      exportsOf(kind),
      `const engine: Engine = /* @__PURE__ */ jsWith(instantiate);\n`,
      cls,
    ].join('\n');
  }
  return [
    `${HEAD}${kindImport}import { EmbeddedModule, supply } from '../kernel/embedded-module.ts';\n` +
      "import { wasmWith } from '../kernel/engine-wasm.ts';\n" +
      `import { code } from '../kernel/generated/${module}/wasm.ts';\n${typeImports}`,
    exportsOf(kind),
    'const embedded: EmbeddedModule = /* @__PURE__ */ new EmbeddedModule(code);\n' +
      `const engine: Engine = /* @__PURE__ */ wasmWith(embedded, '${PACKAGE}/${name}/js');\n`,
    useKernelText(name, module),
    cls,
  ].join('\n');
}

/** The entry of a kind that the kernel runs alone. */
function plainText(kind: FilterRow, engine: EngineName): string {
  const { name } = kind;
  const [imported, made] =
    engine === 'js' ? ['js', 'js'] : ['wasmElse', `/* @__PURE__ */ wasmElse("import from '${PACKAGE}/${name}/js'")`];
  return [
    `${HEAD}import * as ${name} from '../kinds/${name}.ts';\n` +
      `import { ${imported} } from '../kernel/engine-${engine}.ts';\n` +
      "import type { Engine } from '../kernel/region.ts';\n",
    exportsOf(kind),
    `const engine: Engine = ${made};\n`,
    classText(kind, engine, `${PACKAGE}/${name}`, 'engine'),
  ].join('\n');
}

function kindText(kind: FilterRow, engine: EngineName): string {
  const module = moduleOf(kind);
  return module === undefined ? plainText(kind, engine) : linkedText(kind, module, engine);
}

/**
 * The text of an entry for Cloudflare Workers, which refuse to compile WebAssembly but can import it.
 *
 * @param name the name of the entry
 * @param ownModule that of the module that it links to the kernel
 */
function workerdText(source: string, name = '', ownModule?: string): string {
  const [importOwn, useOwn] =
    ownModule === undefined
      ? ['', '']
      : [
          `import { use${capitalized(name)}Kernel } from '${source}';\nimport own from '../${ownModule}.wasm';\n`,
          `use${capitalized(name)}Kernel(own);\n`,
        ];
  return (
    `${HEAD}import { useKernel } from '../kernel/engine-wasm.ts';\nimport kernel from '../kernel.wasm';\n${importOwn}\n` +
    `useKernel(kernel);\n${useOwn}\nexport * from '${source}';\n`
  );
}

/** Turns the text of an entry on WebAssembly into its copy in src/entries/ on the other engine. */
function twinText(source: string): string {
  const text = readFileSync(source, 'utf8')
    // Comments on lines of their own are about the text on WebAssembly.
    .replaceAll(/^\/\/.*\n\n?/gm, '')
    .replaceAll(/^export \{ use\w*Kernel \}.*\n/gm, '')
    .replaceAll("'./entries/main.ts'", "'./main-js.ts'")
    .replaceAll(/'\.\/(?!main)/g, "'../")
    .replaceAll('engine-wasm.ts', 'engine-js.ts')
    .replaceAll(/(?:\/\* @__PURE__ \*\/ )?\bwasmElse\(.*?\)|\bwasmElse\b/g, 'js')
    .replaceAll(/Runs on\s+(?:\* )?WebAssembly;[^.]*\./g, 'Runs in plain JavaScript.');
  if (/WebAssembly/.test(text)) throw new Error(`the text of ${source} in plain JavaScript speaks of WebAssembly`);
  return HEAD + text;
}

/** The text of `bloomery/auto` for runtimes where there is no choice. */
function autoText(): string {
  const comment = /(\/\*\*\n \* Loads the engine[\s\S]*?\*\/)\nexport async/.exec(
    readFileSync('src/auto.ts', 'utf8'),
  )?.[1];
  if (comment === undefined) throw new Error('src/auto.ts has no documented chooseEngine');
  return (
    `${HEAD}import * as js from './js.ts';\n\n` +
    `${comment}\n` +
    'export async function chooseEngine<E extends object>(load: () => Promise<E>, loadJs: () => Promise<E>): Promise<E>;\n' +
    'export async function chooseEngine(): Promise<typeof js>;\n' +
    'export async function chooseEngine(_load?: unknown, loadJs: () => Promise<object> = async () => js): Promise<object> {\n' +
    '  return loadJs();\n}\n'
  );
}

/** The texts of all files of src/entries/, by name without the ending. */
function texts(): Record<string, string> {
  return Object.fromEntries([
    ['main', mainText('wasm')],
    ['main-js', mainText('js')],
    ['js', twinText('src/index.ts')],
    ['workerd', workerdText('../index.ts')],
    ['auto-js', autoText()],
    ...filterEntries.flatMap((kind) => [
      [kind.name, kindText(kind, 'wasm')],
      [`${kind.name}-js`, kindText(kind, 'js')],
      [`${kind.name}-workerd`, workerdText(`./${kind.name}.ts`, kind.name, moduleOf(kind))],
    ]),
    ...otherEntries.flatMap(({ name, runsKernel, memoryBase, hasTwin }) => [
      ...(runsKernel
        ? [[`${name}-workerd`, workerdText(`../${name}.ts`, name, memoryBase === undefined ? undefined : name)]]
        : []),
      ...(hasTwin ? [[`${name}-js`, twinText(`src/${name}.ts`)]] : []),
    ]),
  ]);
}

const inputs = [
  'package.json',
  'tools/entries.ts',
  'tools/kind-entries.ts',
  'src/kinds',
  'src/foreign',
  'src/index.ts',
].concat(otherEntries.map(({ name }) => `src/${name}.ts`));

/** Writes all files, unless they are up to date. */
export function writeKindEntries(): void {
  if (!isStale([`${FOLDER}/main.ts`], inputs)) return;
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER);
  const { main, ...others } = texts();
  for (const [name, text] of Object.entries(others)) writeFileSync(`${FOLDER}/${name}.ts`, text);
  // Written last, because `isStale` compares its time only.
  writeFileSync(`${FOLDER}/main.ts`, main as string);
}

if (process.argv[1] === import.meta.filename) writeKindEntries();
