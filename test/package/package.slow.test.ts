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
} from '../../tools/entries.ts';
import { inScript, modules } from '../../tools/manifest.ts';
import { linkedModules } from '../../tools/modules.ts';
import { weightOf } from '../../tools/weights.ts';
import { publishedFiles, tarball } from './published.ts';

/** What esbuild makes of some code: its text, and the files that it contains. */
async function bundled(contents: string, conditions?: string[]): Promise<{ text: string; files: string[] }> {
  const stdin = { contents, resolveDir: '.' };
  const output = { bundle: true, minify: true, format: 'esm', write: false, metafile: true } as const;
  const { outputFiles, metafile } = await build({ stdin, ...output, ...(conditions && { conditions }) });
  return { text: outputFiles[0]?.text ?? '', files: Object.keys(metafile.inputs) };
}

const inputs = async (...files: readonly string[]): Promise<string> =>
  (await bundled(files.map((file) => `export * from './dist/${file}.js';`).join('\n'))).files.join(' ');

function printed(program: string, ...options: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...options, '-e', program], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return stdout;
}

// docs/weight.md has the weights of all entries, and test/docs/figures.test.ts compares them.
describe('the package weighs', () => {
  const all = (file: string): string => `export * from './dist/${file}.js';`;
  const alone = (file: string): string => `export { BloomFilter } from './dist/${file}.js';`;

  it.each([
    ['main entry', all('index'), 22_799],
    ['main entry in plain JavaScript', all('entries/js/index'), 27_899],
    ['BloomFilter alone', alone('index'), 18_799],
    ['lookups in a file alone', `export { FuseLookup } from './dist/entries/lookup.js';`, 4080],
  ])('not too much: %s', async (_, contents, most) => expect(await weightOf(contents)).toBeLessThan(most));

  const sizing = entryKinds.flatMap(({ name }) => {
    const code = readFileSync(`src/entries/${name}.ts`, 'utf8');
    const functions = code.match(/(?<=^export \{[^}]*)\w+(?=[^}]*\} from '.*\/sizing\.ts';)/gm) ?? [];
    return [name, `js/${name}`].flatMap((entry) => functions.map((each) => [`entries/${entry}`, each] as const));
  });
  it('finds functions for sizes', () => expect(sizing).toContainEqual(['entries/js/wide', 'optimalWideBlocks']));

  const used = [...['index', 'entries/js/index'].map((entry) => [entry, 'optimalBits'] as const), ...sizing];
  it.each(used)('nothing in a bundle for what is not used: %s, %s', async (entry, name) => {
    const { text } = await bundled(`import { ${name} } from './dist/${entry}.js'; console.log(${name}(1, 0.5))`);
    expect(text.length).toBeLessThan(2000);
  });
});

describe('the package', () => {
  // SECURITY.md says that it depends on no other.
  it('has no dependencies that are not optional, and no scripts that run when it is installed', () => {
    const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, Record<string, unknown>>;
    for (const name of ['dependencies', 'optionalDependencies', 'bundleDependencies', 'bundledDependencies']) {
      expect(manifest).not.toHaveProperty(name);
    }
    const { scripts = {}, peerDependencies = {}, peerDependenciesMeta } = manifest;
    expect(Object.keys(scripts).filter((name) => /^(pre|post)?(install|prepare)$/.test(name))).toEqual([]);
    const optional = Object.keys(peerDependencies).map((name) => [name, { optional: true }]);
    expect(peerDependenciesMeta).toEqual(Object.fromEntries(optional));
    const [, named = ''] = /`npm (sbom [^`]+)`/.exec(readFileSync('SECURITY.md', 'utf8')) ?? [];
    const args = named.split(/\s+/);
    expect(args).toContain('--sbom-format=cyclonedx');
    const shell = process.platform === 'win32';
    expect(JSON.parse(execFileSync('npm', args, { encoding: 'utf8', shell }))).toMatchObject({ components: [] });
  });

  it('keeps each engine, and what has entries of its own, out of the others', async () => {
    const linked = linkedModules.map(({ name }) => name).join('|');
    for (const entry of ['index', 'entries/js/index'])
      expect(await inputs(entry)).not.toMatch(new RegExp(`\\b(${linked})\\b`));
    expect(await inputs('index', 'entries/wide', 'entries/redis')).not.toMatch(/scalar|kernel\/js|node_modules/);
    expect(await inputs('entries/js/index', 'entries/js/wide')).not.toMatch(/wasm|loader/);
    expect(await inputs('index', 'entries/js/index', 'entries/wide')).not.toMatch(/cli|commander|redis/);
    expect(await inputs('entries/wide')).toMatch(/kinds\/wide\/filter\.js/);
  });

  it('imports nothing but what it needs of Node to save a file, and to read ranges of one', async () => {
    const entryPoints = ['dist/entries/file.js'];
    const { metafile } = await build({ entryPoints, bundle: true, platform: 'node', write: false, metafile: true });
    const own = ['file.js', 'replace.js', 'source.js'].map((file) => `node/file/${file}`);
    const files = ['entries/file.js', ...own, 'open/source.js', 'util/checks/validate.js'];
    expect(Object.keys(metafile.inputs).sort()).toEqual(files.map((file) => `dist/${file}`).sort());
  });

  it('ships what it runs, declarations and documentation, nothing else', () => {
    const paths = publishedFiles();
    const expected =
      /^(dist\/.*\.(js|cjs|d\.ts|d\.cts|wasm|1)|docs\/.*\.md|package\.json|README\.md|LICENSE|llms\.txt)$/;
    expect(paths.filter((path) => !expected.test(path))).toEqual([]);
    // What is shipped is the source without its types, so maps would tell little more, and double its size.
    const code = paths.filter((path) => /\.c?js$/.test(path));
    expect(code.filter((path) => readFileSync(path, 'utf8').includes('sourceMappingURL'))).toEqual([]);
    // The declarations have the comments.
    expect(code.filter((path) => /^\s*(\/\*\*|\/\/)/m.test(readFileSync(path, 'utf8')))).toEqual([]);
    const built = [...modules.values()].flatMap(({ module, workerd, script }) => [
      ...[`${module}.js`, `${module}.d.ts`],
      ...[workerd, script].flatMap((file) => (file === undefined ? [] : `${file}.js`)),
    ]);
    const required = [...commonJs.keys()].flatMap((name) => [`cjs/${name}.cjs`, `cjs/${name}.d.cts`]);
    const compiled = ['kernel', ...linkedModules.map(({ name }) => name)].flatMap((name) => [`${name}.wasm`]);
    const others = ['entries/assets.d.ts', 'kernel.wasm.d.ts', 'bloomery.min.js', 'bloomery.iife.js', 'cli/main.js'];
    const shipped = [...built, ...required, ...compiled, ...others].map((name) => `dist/${name}`);
    expect([...shipped, 'llms.txt', 'docs/kinds.md'].filter((path) => !paths.includes(path))).toEqual([]);
  });

  /** The entries that run the kernel, and the compiled modules that they need. */
  const onKernel = new Map<string, readonly string[]>([
    ['', ['kernel.wasm']],
    ...[...entryKinds, ...otherEntries.filter(({ runsKernel }) => runsKernel)].map((row): [string, string[]] => {
      const own = row.memoryBase === undefined ? row.runsModuleOf : row.name;
      return [row.name, own ? ['kernel.wasm', `${own}.wasm`] : ['kernel.wasm']];
    }),
  ]);

  it.each([...onKernel])('lets workerd import the compiled modules: %s', async (entry, files) => {
    const { metafile } = await build({
      stdin: { contents: `export * from '${importName(entry)}';`, resolveDir: '.' },
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
    expect(new Set(imported.map((path) => path.replace(/^.*\/([\w-]+)-\w+(\.wasm)$/, '$1$2')))).toEqual(new Set(files));
  });

  const inScriptOnly = [...modules].flatMap(([name, { script }]) =>
    script === undefined ? [] : [[name, script] as const],
  );

  it('has every entry that runs the kernel in plain JavaScript too, but for the one that needs sockets', () => {
    const entries = [...onKernel.keys(), 'keyed', ...foreignFilters.map(({ name }) => name)];
    const expected = new Set(entries.filter((name) => name !== 'redis'));
    expect(inScriptOnly.map(([entry]) => entry).sort()).toEqual([...expected].sort());
  });

  it.each(inScript)('gives plain JavaScript where WebAssembly is refused: %s', async (condition) => {
    const conditions = [condition, 'worker', 'browser'];
    const importing = inScriptOnly.map(([name], i) => `export * as entry${i} from '${importName(name)}';`);
    const requiring = inScriptOnly.map(([name]) => `console.log(require('${importName(name)}'));`);
    const required = (name: string): string => `dist/cjs/${name === '' ? 'js' : `${name}/js`}.cjs`;
    for (const [code, expected] of [
      [importing, inScriptOnly.map(([, script]) => `dist/${script}.js`)],
      [requiring, inScriptOnly.map(([name]) => required(name))],
    ] as const) {
      const { text, files } = await bundled(code.join('\n'), conditions);
      expect(expected.filter((file) => !files.includes(file))).toEqual([]);
      // Next.js refuses to build code that names these, whether it runs or not.
      expect(text).not.toMatch(/WebAssembly\.(compile|instantiate|Module|Instance)/);
    }
  });

  it.each([
    ['publint', [tarball(), '--strict']],
    // One entry of each form: attw takes half a minute for all.
    ['attw', [tarball(), '--entrypoints', '.', ...['js', 'auto', 'fuse', 'fuse/js', 'keyed/js', 'load', 'file']]],
  ])('passes %s', { timeout: 300_000 }, (tool, args) => {
    const shell = process.platform === 'win32';
    const { status, stdout, stderr } = spawnSync(`node_modules/.bin/${tool}`, args, { encoding: 'utf8', shell });
    expect(status, stdout + stderr).toBe(0);
  });

  const auto = ["import('bloomery/auto')", "Promise.resolve(require('bloomery/auto'))"];

  it.each([
    ['wasm', 'runs', []],
    ['js', 'is refused', ['--jitless']],
    ['js', 'is not used', ['--conditions', 'edge-light']],
  ])('bloomery/auto gives every entry with two forms on the engine %s where WebAssembly %s', (engine, _, options) => {
    const twins = [...modules.keys()].filter((entry) => entry !== '' && modules.has(`${entry}/js`));
    expect(twins.length).toBeGreaterThan(entryKinds.length);
    const program = `import('bloomery/auto').then(async ({ chooseEngine }) => {
      for (const each of [${auto}]) console.log('', (await (await each).chooseEngine()).BloomFilter.from(['a']).engine);
      for (const entry of ${JSON.stringify(twins.map(importName))}) {
        const form = (name) => () => import(name).then((module) => ({ name, ...module }));
        const { name, ...module } = await chooseEngine(form(entry), form(entry + '/js'));
        const [Class = { engine: { name: name === entry ? 'wasm' : 'js' } }] =
          Object.values(module).filter((value) => 'engine' in value);
        console.log(entry, Class.engine.name);
      }
    })`;
    const expected = ['', '', ...twins.map(importName)].map((entry) => `${entry} ${engine}\n`);
    expect(printed(program, ...options)).toBe(expected.join(''));
  });

  it.runIf(process.platform === 'linux')('bloomery/auto gives plain JavaScript where WebAssembly has no memory', () => {
    const program = `const gets = () => { try { return !!new WebAssembly.Memory({ initial: 1 }); } catch {} };
      ${auto[0]}.then((auto) => auto.chooseEngine())
      .then(({ BloomFilter }) => console.log(BloomFilter.from(['a']).engine, gets() ? 'wasm' : 'js'))`;
    // WebAssembly sets aside 8 GiB of addresses and more for each memory, but Node 24 does with less where there are none.
    const { stdout, stderr } = spawnSync('sh', ['-c', 'ulimit -v 3000000; "$0" -e "$1"', process.execPath, program], {
      encoding: 'utf8',
    });
    expect(process.version.startsWith('v20.') ? ['js js\n'] : ['js js\n', 'wasm wasm\n'], stderr).toContain(stdout);
  });

  it.each([
    ['imported', 'import', []],
    ['required', 'require', []],
    ['required where Node cannot require ES modules', 'require', ['--no-experimental-require-module']],
  ])('has filters of all kinds that work, %s', (_, load, options) => {
    const rows = kinds.flatMap((kind) =>
      engineNames.map((engine) => [importName(entryOf(kind, engine)), kind.className]),
    );
    const program = `(async () => {
      const { filterOf } = await import('./test/package/filter-of.js');
      const { BloomFilter, FilterFullError } = await ${load}('bloomery');
      console.log((await ${load}('bloomery/cuckoo')).FilterFullError === FilterFullError);
      for (const [entry, name] of ${JSON.stringify(rows)}) {
        const Filter = (await ${load}(entry))[name];
        console.log(filterOf(Filter, ['a'], BloomFilter).has('a'));
      }
    })()`;
    expect(printed(program, ...options)).toBe('true\n'.repeat(1 + rows.length));
  });

  it('keeps the name of a class in minified code', async () => {
    const { text } = await bundled(`
      import { BloomFilter } from './dist/entries/js/index.js';
      class Seen extends BloomFilter {}
      const filter = new Seen({ capacity: 10 });
      report(Object.prototype.toString.call(filter), filter.constructor.name);`);
    let reported: string[] = [];
    new Function('report', text)((...names: string[]) => {
      reported = names;
    });
    expect(reported[0]).toBe('[object BloomFilter]');
    expect(reported[1]).not.toBe('Seen');
  });

  it('lets a server import every entry, which then neither makes nor changes anything', () => {
    const program = `
      const names = () => [globalThis, Object, Symbol, Array, Uint8Array, Promise].map((each) => Reflect.ownKeys(each).length);
      const before = names().join();
      const refuse = { get(_, name) { throw new Error('used WebAssembly.' + String(name)); } };
      globalThis.WebAssembly = new Proxy({}, refuse);
      for (const entry of ${JSON.stringify([...modules.keys()].map(importName))}) {
        await import(entry).catch((error) => console.log(entry, error));
        if (names().join() !== before) console.log(entry, 'changes what is global');
      }`;
    expect(printed(program, '--input-type=module')).toBe('');
  });

  it.each([...commonJs])('exports the same in CommonJS: %s', async (name, module) => {
    const { default: required } = await import(new URL(`../../dist/cjs/${name}.cjs`, import.meta.url).href);
    const imported = await import(new URL(`../../dist/${module}.js`, import.meta.url).href);
    expect(Object.keys(required as object).sort()).toEqual(Object.keys(imported).sort());
  });

  it('has each class once, required or imported, in a bundle and where Node can require ES modules', async () => {
    const program = `import('bloomery').then((imported) =>
      console.log(imported.BloomFilter === require('bloomery').BloomFilter, process.features.require_module))`;
    expect(printed(program)).toMatch(/^true true\n$|^false (false|undefined)\n$/);
    const { files } = await bundled("import { lines } from 'bloomery'; console.log(lines, require('bloomery/open'))");
    expect(files.filter((path) => path.endsWith('.cjs'))).toEqual([]);
  });
});
