import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { build, type StdinOptions } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { linkedModules } from '../tools/modules.ts';

/** Entries that are no modules of JavaScript. */
const wasmFiles = ['kernel.wasm', ...linkedModules.map(({ name }) => `${name}/kernel.wasm`)];

interface Entry {
  readonly types: string;
  readonly default: string;
}

/** What package.json says about the entries, to tools that read `exports` and to others. */
interface Listed {
  readonly main: string;
  readonly types: string;
  readonly exports: { readonly '.': Entry } & Readonly<Record<string, Entry>>;
  readonly typesVersions: unknown;
  readonly alias: unknown;
}

/** The size in bytes of an entry with everything it imports, minified and gzipped as for a browser. */
async function weightOf(entry: string | StdinOptions): Promise<number> {
  const { outputFiles } = await build({
    ...(typeof entry === 'string' ? { entryPoints: [entry] } : { stdin: entry }),
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
}

/** The files that an entry imports. */
async function inputs(entry: string): Promise<string> {
  const { metafile } = await build({ entryPoints: [entry], bundle: true, format: 'esm', write: false, metafile: true });
  return Object.keys(metafile.inputs).join(' ');
}

describe('the package', () => {
  it('weighs less than 21 KB', async () => {
    expect(await weightOf('dist/index.js')).toBeLessThan(21_000);
  });

  it('weighs less than 26.2 KB in plain JavaScript', async () => {
    expect(await weightOf('dist/js.js')).toBeLessThan(26_200);
  });

  it('weighs less than 17 KB in a page that uses only BloomFilter', async () => {
    const contents = "export { BloomFilter } from './dist/index.js';";
    expect(await weightOf({ contents, resolveDir: '.' })).toBeLessThan(17_000);
  });

  it.each(['wide', 'wide-js', 'cuckoo', 'fuse', 'scalable', 'scalable-js'])(
    'has entries of one kind that weigh less than the main entry: %s',
    async (entry) => {
      const main = entry.endsWith('-js') ? 'js' : 'index';
      expect(await weightOf(`dist/entries/${entry}.js`)).toBeLessThan(await weightOf(`dist/${main}.js`));
    },
  );

  it('weighs less than 27 KB in plain JavaScript with only the fuse filter', async () => {
    expect(await weightOf('dist/entries/fuse-js.js')).toBeLessThan(27_000);
  });

  it('weighs less than 20.7 KB with only the rotating filter, and 26.4 KB in plain JavaScript', async () => {
    expect(await weightOf('dist/entries/rotating.js')).toBeLessThan(20_700);
    expect(await weightOf('dist/entries/rotating-js.js')).toBeLessThan(26_400);
  });

  it.each([
    ['wide', 2000],
    ['cuckoo', 4000],
    ['fuse', 4000],
    ['rotating', 4000],
    ['scalable', 3000],
  ])('weighs little more with a kind from another entry: %s, less than %i bytes', async (entry, most) => {
    const contents = `export * from './dist/index.js'; export * from './dist/entries/${entry}.js';`;
    expect(await weightOf({ contents, resolveDir: '.' })).toBeLessThan((await weightOf('dist/index.js')) + most);
  });

  it('keeps each engine out of the entries of the other', async () => {
    expect(await inputs('dist/index.js')).not.toMatch(/scalar|kernel\/js/);
    expect(await inputs('dist/js.js')).not.toMatch(/wasm|loader/);
    expect(await inputs('dist/entries/wide.js')).not.toMatch(/scalar|kernel\/js/);
    expect(await inputs('dist/entries/wide-js.js')).not.toMatch(/wasm|loader/);
    for (const entry of ['dist/index.js', 'dist/js.js', 'dist/entries/wide.js']) {
      expect(await inputs(entry)).not.toMatch(/cli|commander|redis/);
    }
    expect(await inputs('dist/entries/redis.js')).not.toMatch(/scalar|kernel\/js|node_modules/);
  });

  it('keeps kinds of other entries out of the main entries', async () => {
    const names = linkedModules.map(({ name }) => name).join('|');
    for (const entry of ['dist/index.js', 'dist/js.js']) {
      expect(await inputs(entry)).not.toMatch(new RegExp(`\\b(${names})\\b|format/own`));
    }
    expect(await inputs('dist/entries/wide.js')).toMatch(/filters\/wide\.js/);
  });

  it.each([
    ['index', 'optimalBits'],
    ['js', 'optimalBits'],
    ['entries/cuckoo', 'optimalFingerprintBits'],
    ['entries/cuckoo-js', 'optimalFingerprintBits'],
    ['entries/wide', 'optimalWideBlocks'],
    ['entries/wide-js', 'optimalWideBlocks'],
    ['entries/fuse', 'fuseCells'],
    ['entries/fuse-js', 'fuseCells'],
  ])('lets a bundle leave out what is not used: %s', async (entry, name) => {
    const contents = `import { ${name} } from './dist/${entry}.js'; console.log(${name}(1, 0.5))`;
    const stdin = { contents, resolveDir: '.' };
    const { outputFiles } = await build({ stdin, bundle: true, minify: true, format: 'esm', write: false });
    expect(outputFiles[0]?.contents.length).toBeLessThan(2000);
  });

  it('ships what it runs, declarations, source maps and documentation, nothing else', () => {
    const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8' });
    const [{ files }] = JSON.parse(listed) as [{ files: { path: string }[] }];
    const paths = files.map((file) => file.path);
    const expected =
      /^(dist\/.*\.(js|cjs|d\.ts|d\.cts|js\.map|wasm)|docs\/.*\.(md|svg)|package\.json|README\.md|LICENSE)$/;
    expect(paths.filter((path) => !expected.test(path))).toEqual([]);
    expect(paths).toEqual(
      expect.arrayContaining([
        'dist/index.js',
        'dist/index.d.ts',
        'dist/index.cjs',
        'dist/index.d.cts',
        'dist/js.js',
        'dist/bloomery.min.js',
        'dist/bloomery.iife.js',
        'dist/workerd.js',
        'dist/kernel.wasm',
        'dist/kernel.wasm.d.ts',
        'dist/cuckoo.wasm',
        'dist/wide.wasm',
        'dist/fuse.wasm',
        'dist/rotating.wasm',
        'dist/entries/auto.js',
        'dist/entries/cuckoo.js',
        'dist/entries/cuckoo-js.d.ts',
        'dist/entries/wide.js',
        'dist/entries/wide-js.d.ts',
        'dist/entries/fuse.js',
        'dist/entries/fuse-js.d.ts',
        'dist/entries/hash.js',
        'dist/entries/hash-js.d.ts',
        'dist/entries/rotating.js',
        'dist/entries/scalable-js.d.ts',
        'dist/cli/main.js',
        'docs/benchmark.svg',
        'docs/kinds.md',
      ]),
    );
  });

  it('names the same entries for tools that do not read exports', () => {
    const { main, types, exports, typesVersions, alias } = JSON.parse(readFileSync('package.json', 'utf8')) as Listed;
    const { '.': first, './package.json': _, ...others } = exports;
    expect({ types, default: main }).toEqual({ types: first.types, default: first.default });
    const entries = Object.entries(others);
    const declarations = entries.map(([name, entry]) => [name.slice('./'.length), [entry.types]]);
    expect(typesVersions).toEqual({ '*': Object.fromEntries(declarations) });
    const code = entries.filter(([, entry]) => entry.default.endsWith('.js'));
    expect(alias).toEqual(Object.fromEntries(code.map(([name, entry]) => [name, entry.default])));
  });

  it.each([
    ['bloomery', 'BloomFilter', ['kernel.wasm']],
    ['bloomery/cuckoo', 'CuckooFilter', ['cuckoo.wasm', 'kernel.wasm']],
    ['bloomery/wide', 'WideBlockedBloomFilter', ['kernel.wasm', 'wide.wasm']],
    ['bloomery/fuse', 'BinaryFuseFilter', ['kernel.wasm', 'fuse.wasm']],
    ['bloomery/rotating', 'RotatingBloomFilter', ['kernel.wasm', 'rotating.wasm']],
    ['bloomery/scalable', 'ScalableBloomFilter', ['kernel.wasm']],
    ['bloomery/auto', 'chooseEngine', ['kernel.wasm']],
    ['bloomery/hash', 'hashKeys', ['kernel.wasm']],
    ['bloomery/redis', 'RedisBloomFilter', ['kernel.wasm']],
  ])('lets workerd import the compiled modules: %s', async (entry, name, files) => {
    const contents = `import { ${name} } from '${entry}'; console.log(${name});`;
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

  it.each([
    ['publint', ['--strict']],
    ['attw', ['--pack', '.', '--exclude-entrypoints', ...wasmFiles]],
  ])('passes %s', (tool, args) => {
    const { status, stdout, stderr } = spawnSync(`node_modules/.bin/${tool}`, args, {
      encoding: 'utf8',
      shell: process.platform === 'win32',
      env: { ...process.env, npm_config_ignore_scripts: 'true' },
    });
    expect(status, stdout + stderr).toBe(0);
  });

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
    ['bloomery', 'BloomFilter'],
    ['bloomery/js', 'BloomFilter'],
    ['bloomery/cuckoo', 'CuckooFilter'],
    ['bloomery/cuckoo/js', 'CuckooFilter'],
    ['bloomery/wide', 'WideBlockedBloomFilter'],
    ['bloomery/wide/js', 'WideBlockedBloomFilter'],
    ['bloomery/fuse', 'BinaryFuseFilter'],
    ['bloomery/fuse/js', 'BinaryFuseFilter'],
    ['bloomery/rotating', 'RotatingBloomFilter'],
    ['bloomery/rotating/js', 'RotatingBloomFilter'],
    ['bloomery/scalable', 'ScalableBloomFilter'],
    ['bloomery/scalable/js', 'ScalableBloomFilter'],
  ])('can be imported and required: %s', (entry, name) => {
    const use = `({ ${name}: Filter }) => console.log(Filter.from(["a"]).has("a"))`;
    const imported = execFileSync(process.execPath, ['-e', `import('${entry}').then(${use})`], { encoding: 'utf8' });
    expect(imported).toBe('true\n');
    const required = spawnSync(process.execPath, ['-e', `(${use})(require('${entry}'))`], { encoding: 'utf8' });
    // Node can require ES modules from 20.19 and 22.12 on.
    expect(required.stdout, required.stderr).toBe('true\n');
  });
});
