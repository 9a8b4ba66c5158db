// Writes the entries of tools/entries.ts into package.json and tsconfig.check.json: `npm run entries`. With --check,
// fails if a file would change.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { filterEntries, importName, otherEntries, runsInScript, TYPES_ENTRY } from './entries.ts';
import { linkedModules } from './modules.ts';

type Json = Record<string, unknown>;

/** The paths of an entry's modules, without the ending. */
interface Entry {
  /** The module in `src/` and `dist/`. */
  readonly module: string;
  /** The module for Cloudflare Workers, if it is another one. */
  readonly workerd?: string;
  /** The module in plain JavaScript, for the conditions of `inScript`. */
  readonly script?: string;
}

/**
 * The conditions of runtimes that run no WebAssembly, or none from bytes: Vercel's and Next's edge, Fastly Compute and
 * React Native. docs/runtimes.md says what was tried.
 */
export const inScript: readonly string[] = ['edge-light', 'fastly', 'react-native'];

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

const twin = (name: string): [string, Entry] => [`${name}/js`, { module: `entries/${name}-js` }];

/** The entries by the path after the package's name, sorted by it. */
export const modules: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  ['', { module: 'index', workerd: 'entries/workerd', script: 'entries/js' }],
  ...[
    ['js', { module: 'entries/js' }] as const,
    ...filterEntries.flatMap(({ name }): [string, Entry][] => [
      [name, { module: `entries/${name}`, workerd: `entries/${name}-workerd`, script: `entries/${name}-js` }],
      twin(name),
    ]),
    ...otherEntries.flatMap((row): [string, Entry][] => {
      const { name, runsKernel, hasTwin } = row;
      const workerd = runsKernel ? { workerd: `entries/${name}-workerd` } : {};
      const script = runsInScript(row) ? { script: `entries/${name}-js` } : {};
      return [[name, { module: name, ...workerd, ...script }], ...(hasTwin ? [twin(name)] : [])];
    }),
  ].sort(byName),
]);

/** The .wasm files that can be imported, by path after the package's name. */
export const wasmFiles: ReadonlyMap<string, string> = new Map([
  ...linkedModules.map(({ name }): [string, string] => [`${name}/kernel.wasm`, `dist/${name}.wasm`]),
  ['kernel.wasm', 'dist/kernel.wasm'],
]);

/**
 * What of an entry is loaded, by condition. Node from 20.19 and 22.12 on knows `module-sync`, bundlers know `module`: so
 * imported or required, a program has each class once. What knows neither, and requires, gets CommonJS: Jest, and older
 * versions of Node.
 */
function exportOf(name: string, { module, workerd, script }: Entry): Json {
  const file = `./dist/${module}.js`;
  const required = `./dist/cjs/${name === '' ? 'index' : name}`;
  const plain = {
    require: `./dist/cjs/${[name, 'js'].filter((part) => part !== '').join('/')}.cjs`,
    default: `./dist/${script}.js`,
  };
  return {
    ...(workerd === undefined ? {} : { workerd: `./dist/${workerd}.js` }),
    ...(script === undefined ? {} : Object.fromEntries(inScript.map((condition) => [condition, plain]))),
    'module-sync': file,
    module: file,
    require: { types: `${required}.d.cts`, default: `${required}.cjs` },
    types: `./dist/${module}.d.ts`,
    default: file,
  };
}

const sorted = (rows: readonly (readonly [string, unknown])[]): Json => Object.fromEntries([...rows].sort(byName));

const typesFile = `./dist/${TYPES_ENTRY}.d.ts`;

/** The parts of package.json that name the entries. */
function manifestParts(): Json {
  const [[, main], ...others] = [...modules] as [[string, Entry], ...[string, Entry][]];
  const wasm = [...wasmFiles];
  return {
    sideEffects: ['./dist/entries/*workerd.js'],
    exports: {
      '.': exportOf('', main),
      ...sorted([
        ...others.map(([name, entry]) => [`./${name}`, exportOf(name, entry)] as const),
        ...wasm.map(([name, file]) => [`./${name}`, { types: `./${file}.d.ts`, default: `./${file}` }] as const),
        [`./${TYPES_ENTRY}`, { types: typesFile }],
      ]),
      './package.json': './package.json',
    },
    // For TypeScript projects that do not read `exports`.
    typesVersions: {
      '*': sorted([
        ...others.map(([name, { module }]) => [name, [`./dist/${module}.d.ts`]] as const),
        ...wasm.map(([name, file]) => [name, [`./${file}.d.ts`]] as const),
        [TYPES_ENTRY, [typesFile]],
      ]),
    },
    // For React Native: its bundler reads `exports` only since version 0.79, and replaces files by this field.
    'react-native': {
      './dist/index.js': './dist/entries/js.js',
      './dist/kernel/runtime.js': './dist/kernel/runtime-native.js',
    },
    // For Parcel, which does not read `exports` either.
    alias: Object.fromEntries(others.map(([name, { module }]) => [`./${name}`, `./dist/${module}.js`])),
  };
}

function paths(): Json {
  return Object.fromEntries([...modules].map(([name, { module }]) => [importName(name), [`./src/${module}.ts`]]));
}

/** Reads a JSON file, changes it and writes it as Biome formats it. */
function update(path: string, change: (json: Json) => Json, check: boolean): void {
  const before = readFileSync(path, 'utf8');
  const changed = JSON.stringify(change(JSON.parse(before)));
  const biome = ['node_modules/@biomejs/biome/bin/biome', 'format', `--stdin-file-path=${path}`];
  const after = execFileSync(process.execPath, biome, { input: changed, encoding: 'utf8' });
  if (after === before) return;
  if (check) throw new Error(`${path} does not list the entries of tools/entries.ts: run npm run entries`);
  writeFileSync(path, after);
}

if (process.argv[1] === import.meta.filename) {
  const check = process.argv.includes('--check');
  update('package.json', (json) => ({ ...json, ...manifestParts() }), check);
  update(
    'tsconfig.check.json',
    (json) => ({ ...json, compilerOptions: { ...(json['compilerOptions'] as Json), paths: paths() } }),
    check,
  );
}
