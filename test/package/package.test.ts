import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { entries as commonJs } from '../../tools/common-js.ts';
import {
  engineNames,
  entryKinds,
  entryOf,
  foreignFilters,
  importName,
  kinds,
  otherEntries,
  TYPES_ENTRY,
} from '../../tools/entries.ts';
import { inScript, modules } from '../../tools/manifest.ts';
import { linkedModules } from '../../tools/modules.ts';
import { weightOf } from '../../tools/weights.ts';

/** Entries that are no modules of JavaScript. */
const noModules = [TYPES_ENTRY, 'kernel.wasm', ...linkedModules.map(({ name }) => `${name}/kernel.wasm`)];

interface Entry {
  readonly types: string;
  /** Undefined if an entry has types alone. */
  readonly default?: string;
}

/** What package.json says about the entries, to tools that read `exports` and to others. */
interface Listed {
  readonly main: string;
  readonly types: string;
  readonly exports: { readonly '.': Entry } & Readonly<Record<string, Entry>>;
  readonly typesVersions: unknown;
  readonly alias: unknown;
}

/** The files that an entry imports. */
async function inputs(entry: string): Promise<string> {
  const { metafile } = await build({ entryPoints: [entry], bundle: true, format: 'esm', write: false, metafile: true });
  return Object.keys(metafile.inputs).join(' ');
}

describe('the package', () => {
  it('weighs less than 22.6 KB', async () => {
    expect(await weightOf('dist/index.js')).toBeLessThan(22_600);
  });

  it('weighs less than 27.9 KB in plain JavaScript', async () => {
    expect(await weightOf('dist/entries/js.js')).toBeLessThan(27_900);
  });

  it('weighs less than 18.6 KB in a page that uses only BloomFilter', async () => {
    const contents = "export { BloomFilter } from './dist/index.js';";
    expect(await weightOf({ contents, resolveDir: '.' })).toBeLessThan(18_600);
  });

  // A kind that runs the module of another has its code besides, and a cuckoo filter what finds duplicates.
  const ownKinds = entryKinds.filter(({ name, runsModuleOf }) => runsModuleOf === undefined && name !== 'cuckoo');

  it.each(ownKinds.flatMap(({ name }) => [name, `${name}-js`]))(
    'has entries of one kind that weigh less than the main entry: %s',
    async (entry) => {
      const main = entry.endsWith('-js') ? 'entries/js' : 'index';
      expect(await weightOf(`dist/entries/${entry}.js`)).toBeLessThan(await weightOf(`dist/${main}.js`));
    },
  );

  it('weighs less than 22.4 KB with only the cuckoo filter, and 28.5 KB in plain JavaScript', async () => {
    expect(await weightOf('dist/entries/cuckoo.js')).toBeLessThan(22_400);
    expect(await weightOf('dist/entries/cuckoo-js.js')).toBeLessThan(28_500);
  });

  it('weighs less than 27 KB in plain JavaScript with only the fuse filter', async () => {
    expect(await weightOf('dist/entries/fuse-js.js')).toBeLessThan(27_000);
  });

  it('weighs less than 22.8 KB with only the sharded fuse filter, and 29 KB in plain JavaScript', async () => {
    expect(await weightOf('dist/entries/sharded-fuse.js')).toBeLessThan(22_800);
    expect(await weightOf('dist/entries/sharded-fuse-js.js')).toBeLessThan(29_000);
  });

  it('weighs less than 21 KB with only the rotating filter, and 26.4 KB in plain JavaScript', async () => {
    expect(await weightOf('dist/entries/rotating.js')).toBeLessThan(21_000);
    expect(await weightOf('dist/entries/rotating-js.js')).toBeLessThan(26_400);
  });

  it('weighs less than 25.6 KB with only the filter of Parquet, and 34.5 KB in plain JavaScript', async () => {
    expect(await weightOf('dist/entries/parquet.js')).toBeLessThan(25_600);
    expect(await weightOf('dist/entries/parquet-js.js')).toBeLessThan(34_500);
  });

  it('weighs less than 4 KB with only lookups in a file', async () => {
    expect(await weightOf('dist/lookup.js')).toBeLessThan(4000);
  });

  it.each(entryKinds)('weighs little more with a kind from another entry: $name', async ({ name: entry }) => {
    const most = { wide: 2000, cuckoo: 4800, scalable: 3000, tombstone: 4300, 'sharded-fuse': 6200 }[entry] ?? 4200;
    const contents = `export * from './dist/index.js'; export * from './dist/entries/${entry}.js';`;
    expect(await weightOf({ contents, resolveDir: '.' })).toBeLessThan((await weightOf('dist/index.js')) + most);
  });

  it.each([
    ['WebAssembly', 'index', 'keyed', 6000],
    ['plain JavaScript', 'entries/js', 'entries/keyed-js', 9500],
  ])('weighs little more with a secret in a page that uses only BloomFilter: %s', async (_, main, entry, most) => {
    const page = `export { BloomFilter } from './dist/${main}.js';`;
    const contents = `${page} export * from './dist/${entry}.js';`;
    const without = await weightOf({ contents: page, resolveDir: '.' });
    expect((await weightOf({ contents, resolveDir: '.' })) - without).toBeLessThan(most);
  });

  it('keeps each engine out of the entries of the other', async () => {
    expect(await inputs('dist/index.js')).not.toMatch(/scalar|kernel\/js/);
    expect(await inputs('dist/entries/js.js')).not.toMatch(/wasm|loader/);
    expect(await inputs('dist/entries/wide.js')).not.toMatch(/scalar|kernel\/js/);
    expect(await inputs('dist/entries/wide-js.js')).not.toMatch(/wasm|loader/);
    for (const entry of ['dist/index.js', 'dist/entries/js.js', 'dist/entries/wide.js']) {
      expect(await inputs(entry)).not.toMatch(/cli|commander|redis/);
    }
    expect(await inputs('dist/redis.js')).not.toMatch(/scalar|kernel\/js|node_modules/);
  });

  it('imports nothing but what it needs of Node to save a file, and to read ranges of one', async () => {
    const entryPoints = ['dist/file.js'];
    const { metafile } = await build({ entryPoints, bundle: true, platform: 'node', write: false, metafile: true });
    const files = ['checks/validate.js', 'file/replace.js', 'file/source.js', 'file.js', 'open/source.js'];
    expect(Object.keys(metafile.inputs).sort()).toEqual(files.map((file) => `dist/${file}`).sort());
  });

  it('keeps kinds of other entries out of the main entries', async () => {
    const names = linkedModules.map(({ name }) => name).join('|');
    for (const entry of ['dist/index.js', 'dist/entries/js.js']) {
      expect(await inputs(entry)).not.toMatch(new RegExp(`\\b(${names})\\b`));
    }
    expect(await inputs('dist/entries/wide.js')).toMatch(/kinds\/wide\.js/);
  });

  const sizingFunctions = [
    ...['index', 'entries/js'].map((module) => [module, 'optimalBits']),
    ...entryKinds.flatMap(({ name, sizing }) =>
      [name, `${name}-js`].flatMap((entry) => sizing.map((each) => [`entries/${entry}`, each])),
    ),
  ] as const;

  it.each(sizingFunctions)('lets a bundle leave out what is not used: %s, %s', async (entry, name) => {
    const contents = `import { ${name} } from './dist/${entry}.js'; console.log(${name}(1, 0.5))`;
    const stdin = { contents, resolveDir: '.' };
    const { outputFiles } = await build({ stdin, bundle: true, minify: true, format: 'esm', write: false });
    expect(outputFiles[0]?.contents.length).toBeLessThan(2000);
  });

  it('ships what it runs, declarations and documentation, nothing else', () => {
    const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8' });
    const [{ files }] = JSON.parse(listed) as [{ files: { path: string }[] }];
    const paths = files.map((file) => file.path);
    const expected = /^(dist\/.*\.(js|cjs|d\.ts|d\.cts|wasm|1)|docs\/.*\.(md|svg)|package\.json|README\.md|LICENSE)$/;
    expect(paths.filter((path) => !expected.test(path))).toEqual([]);
    // What is shipped is the source without its types, so maps would tell little more, and double its size.
    const code = paths.filter((path) => /\.c?js$/.test(path));
    expect(code.filter((path) => readFileSync(path, 'utf8').includes('sourceMappingURL'))).toEqual([]);
    const built = [...modules.values()].flatMap(({ module, workerd, script }) => [
      ...['js', 'd.ts'].map((ending) => `dist/${module}.${ending}`),
      ...(workerd === undefined ? [] : [`dist/${workerd}.js`]),
      ...(script === undefined ? [] : [`dist/${script}.js`]),
    ]);
    const required = [...commonJs.keys()].flatMap((name) => [`dist/cjs/${name}.cjs`, `dist/cjs/${name}.d.cts`]);
    const compiled = ['kernel', ...linkedModules.map(({ name }) => name)].flatMap((name) => [
      `dist/${name}.wasm`,
      `dist/${name}.wasm.d.ts`,
    ]);
    const others = ['assets.d.ts', 'bloomery.min.js', 'bloomery.iife.js', 'file/replace.js', 'cli/main.js'];
    const shipped = [...built, ...required, ...compiled, ...others.map((name) => `dist/${name}`), 'docs/benchmark.svg'];
    expect([...shipped, 'docs/kinds.md'].filter((path) => !paths.includes(path))).toEqual([]);
  });

  it('names the same entries for tools that do not read exports', () => {
    const { main, types, exports, typesVersions, alias } = JSON.parse(readFileSync('package.json', 'utf8')) as Listed;
    const { '.': first, './package.json': _, ...others } = exports;
    expect({ types, default: main }).toEqual({ types: first.types, default: first.default });
    const entries = Object.entries(others);
    const declarations = entries.map(([name, entry]) => [name.slice('./'.length), [entry.types]]);
    expect(typesVersions).toEqual({ '*': Object.fromEntries(declarations) });
    const code = entries.filter(([, entry]) => entry.default?.endsWith('.js'));
    expect(alias).toEqual(Object.fromEntries(code.map(([name, entry]) => [name, entry.default])));
  });

  const onKernel: readonly (readonly [entry: string, files: readonly string[]])[] = [
    [importName(''), ['kernel.wasm']],
    ...entryKinds.map(({ name, memoryBase, runsModuleOf }) => {
      const module = memoryBase === undefined ? runsModuleOf : name;
      return [importName(name), module === undefined ? ['kernel.wasm'] : ['kernel.wasm', `${module}.wasm`]] as const;
    }),
    ...otherEntries
      .filter(({ runsKernel }) => runsKernel)
      .map(
        ({ name, memoryBase }) =>
          [importName(name), memoryBase === undefined ? ['kernel.wasm'] : ['kernel.wasm', `${name}.wasm`]] as const,
      ),
  ];

  it.each(onKernel)('lets workerd import the compiled modules: %s', async (entry, files) => {
    const contents = `import * as all from '${entry}'; console.log(all);`;
    const { metafile } = await build({
      stdin: { contents, resolveDir: '.' },
      bundle: true,
      format: 'esm',
      // As Cloudflare's Wrangler does.
      conditions: ['workerd', 'worker', 'browser'],
      loader: { '.wasm': 'copy' },
      outdir: 'out',
      write: false,
      metafile: true,
    });
    const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
    expect(new Set(imported.map((path) => path.replace(/^.*\/(\w+)-\w+(\.wasm)$/, '$1$2')))).toEqual(new Set(files));
  });

  const inScriptOnly = [...modules].flatMap(([name, { script }]) =>
    script === undefined
      ? []
      : [[importName(name), `dist/${script}.js`, `dist/cjs/${name === '' ? 'js' : `${name}/js`}.cjs`] as const],
  );

  it('has every entry that runs the kernel in plain JavaScript too, but for the one that needs sockets', () => {
    const entries = onKernel.map(([entry]) => entry).filter((entry) => entry !== importName('redis'));
    const keyed = [importName('keyed'), ...foreignFilters.map(({ name }) => importName(name))];
    expect(inScriptOnly.map(([entry]) => entry).sort()).toEqual([...new Set([...entries, ...keyed])].sort());
  });

  it.each(inScriptOnly)(
    'gives plain JavaScript where WebAssembly is refused: %s',
    async (entry, imported, required) => {
      for (const condition of inScript) {
        for (const [use, file] of [
          [`import * as all from '${entry}'`, imported],
          [`const all = require('${entry}')`, required],
        ] as const) {
          const { metafile, outputFiles } = await build({
            stdin: { contents: `${use}; console.log(all);`, resolveDir: '.' },
            bundle: true,
            format: 'esm',
            conditions: [condition, 'worker', 'browser'],
            write: false,
            metafile: true,
          });
          expect(Object.keys(metafile.inputs)).toContain(file);
          // Next.js refuses to build code that names these, whether it runs or not.
          expect(outputFiles[0]?.text).not.toMatch(/WebAssembly\.(compile|instantiate|Module|Instance)/);
        }
      }
    },
  );

  it('replaces files for React Native by files that export the same', async () => {
    const { 'react-native': replaced } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      'react-native': Record<string, string>;
    };
    const namesOf = async (file: string): Promise<string[]> =>
      Object.keys(await import(new URL(`../../${file}`, import.meta.url).href)).sort();
    for (const [file, replacement] of Object.entries(replaced)) {
      const names = (await namesOf(file)).filter((name) => name !== 'useKernel');
      expect(await namesOf(replacement)).toEqual(expect.arrayContaining(names));
    }
  });

  it.each([
    ['publint', ['--strict']],
    ['attw', ['--pack', '.', '--exclude-entrypoints', ...noModules]],
  ])(
    'passes %s',
    (tool, args) => {
      const { status, stdout, stderr } = spawnSync(`node_modules/.bin/${tool}`, args, {
        encoding: 'utf8',
        shell: process.platform === 'win32',
        env: { ...process.env, npm_config_ignore_scripts: 'true' },
      });
      expect(status, stdout + stderr).toBe(0);
      // attw reads the types of all entries in four ways.
    },
    300_000,
  );

  it.each([
    ['wasm', 'runs', []],
    ['js', 'is refused', ['--jitless']],
  ])('bloomery/auto, imported and required, gives the engine %s where WebAssembly %s', (engine, _, options) => {
    for (const entry of ["import('bloomery/auto')", "Promise.resolve(require('bloomery/auto'))"]) {
      const program = `${entry}.then((auto) => auto.chooseEngine())
        .then(({ BloomFilter }) => console.log(BloomFilter.from(['a']).engine))`;
      const { stdout, stderr } = spawnSync(process.execPath, [...options, '-e', program], { encoding: 'utf8' });
      expect(stdout, stderr).toBe(`${engine}\n`);
    }
  });

  it.each([
    ['wasm', 'runs', []],
    ['js', 'is refused', ['--jitless']],
    ['js', 'is not used', ['--conditions', 'edge-light']],
  ])('bloomery/auto gives every entry with two forms on the engine %s where WebAssembly %s', (engine, _, options) => {
    const twins = [...modules.keys()].filter((entry) => entry !== '' && modules.has(`${entry}/js`));
    expect(twins.length).toBeGreaterThan(entryKinds.length);
    const program = `import('bloomery/auto').then(async ({ chooseEngine }) => {
      for (const entry of ${JSON.stringify(twins.map(importName))}) {
        const form = (name) => () => import(name).then((module) => ({ name, ...module }));
        const { name, ...module } = await chooseEngine(form(entry), form(entry + '/js'));
        const [Class = { engine: { name: name === entry ? 'wasm' : 'js' } }] =
          Object.values(module).filter((value) => 'engine' in value);
        console.log(entry, Class.engine.name);
      }
    })`;
    const { stdout, stderr } = spawnSync(process.execPath, [...options, '-e', program], { encoding: 'utf8' });
    expect(stdout.trim().split('\n'), stderr).toEqual(twins.map((entry) => `${importName(entry)} ${engine}`));
  });

  it.runIf(process.platform === 'linux')(
    'bloomery/auto gives plain JavaScript where WebAssembly gets no memory',
    () => {
      const program = `import('bloomery/auto').then((auto) => auto.chooseEngine())
      .then(({ BloomFilter }) => console.log(BloomFilter.from(['a']).engine))`;
      // WebAssembly sets aside 8 GiB of addresses and more for each memory.
      const { stdout, stderr } = spawnSync('sh', ['-c', 'ulimit -v 3000000; "$0" -e "$1"', process.execPath, program], {
        encoding: 'utf8',
      });
      expect(stdout, stderr).toBe('js\n');
    },
  );

  const importable = kinds.flatMap((kind) =>
    engineNames.map((engine) => {
      const use = kind.wraps
        ? 'Filter.traits.removes'
        : `Filter.from("labelOf" in Filter.prototype ? [[1, ["a"]]] : ["a"]).has("a")`;
      return [importName(entryOf(kind, engine)), kind.className, use] as const;
    }),
  );

  it.each(importable)('can be imported and required: %s, %s', (entry, name, answer) => {
    const use = `({ ${name}: Filter }) => console.log(${answer})`;
    const imported = execFileSync(process.execPath, ['-e', `import('${entry}').then(${use})`], { encoding: 'utf8' });
    expect(imported).toBe('true\n');
    const required = spawnSync(process.execPath, ['-e', `(${use})(require('${entry}'))`], { encoding: 'utf8' });
    expect(required.stdout, required.stderr).toBe('true\n');
  });

  it.each([...commonJs])('exports the same in CommonJS: %s', async (name, module) => {
    const { default: required } = await import(new URL(`../../dist/cjs/${name}.cjs`, import.meta.url).href);
    const imported = await import(new URL(`../../dist/${module}.js`, import.meta.url).href);
    expect(Object.keys(required as object).sort()).toEqual(Object.keys(imported).sort());
  });

  it('has each class once, required or imported, where Node can require ES modules', () => {
    const program = `import('bloomery').then((imported) =>
      console.log(imported.BloomFilter === require('bloomery').BloomFilter, process.features.require_module))`;
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
    expect(stdout, stderr).toMatch(/^true true\n$|^false (false|undefined)\n$/);
  });

  it('lets a bundle have each class once, required or imported', async () => {
    const contents = `import { BloomFilter } from 'bloomery'; console.log(BloomFilter, require('bloomery/open'))`;
    const stdin = { contents, resolveDir: '.' };
    const { metafile } = await build({ stdin, bundle: true, write: false, format: 'esm', metafile: true });
    expect(Object.keys(metafile.inputs).filter((path) => path.endsWith('.cjs'))).toEqual([]);
  });

  it('runs in Node where ES modules cannot be required', () => {
    const use = `const { BloomFilter } = require('bloomery'); console.log(BloomFilter.from(['a']).has('a'),
      require('bloomery/cuckoo').FilterFullError === require('bloomery').FilterFullError)`;
    const args = ['--no-experimental-require-module', '-e', use];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stdout, stderr).toBe('true true\n');
  });

  it('can be imported and required: bloomery/file', () => {
    for (const entry of ["import('bloomery/file')", "Promise.resolve(require('bloomery/file'))"]) {
      const program = `${entry}.then(({ saveFile }) => saveFile({})).catch(({ message }) => console.log(message))`;
      const { stdout, stderr } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
      expect(stdout, stderr).toBe('path must be a string or a URL, got undefined\n');
    }
  });
});
