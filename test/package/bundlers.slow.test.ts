// A project that has installed the package from its tarball, and what bundlers make of its apps.

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { engineNames, entryOf, importName, kinds } from '../../tools/entries.ts';
import { install } from '../../tools/install.ts';
import { installIn } from './published.ts';

// On a busy machine, webpack alone takes most of a minute.
vi.setConfig({ testTimeout: 300_000 });

const FOLDER = 'test/package/bundlers';
const root = mkdtempSync(join(tmpdir(), 'bloomery-bundlers-'));
const project = join(root, 'project');

/** The arguments with which a bundler writes apps for a page to a folder, as modules. */
type Args = (apps: readonly string[], out: string) => readonly string[];

// The configurations of Vite, webpack and Rollup read the apps and the folder from the environment.
const bundlers = {
  vite: (_, out) => ['build', '--outDir', out],
  webpack: () => [],
  // Without a target, esbuild relies on `Uint8Array.fromBase64`, which few browsers have.
  esbuild: (apps, out) => [...apps, '--bundle', '--splitting', '--format=esm', '--target=es2022', `--outdir=${out}`],
  rollup: () => ['--config', 'rollup.config.js', '--plugin', 'node-resolve={ browser: true }'],
  parcel: (apps, out) => ['build', ...apps, '--no-cache', '--target', 'page', '--dist-dir', out],
} satisfies Readonly<Record<string, Args>>;

type Bundler = keyof typeof bundlers;

/** Builds apps together, each given as its path in the project, and gives the files in the folder of the result. */
function build(bundler: Bundler, apps: readonly string[], env: Readonly<Record<string, string>> = {}) {
  // Not in the project, so that a bundle finds no package that it failed to include.
  const out = mkdtempSync(join(root, `${bundler}-`));
  writeFileSync(join(out, 'package.json'), '{ "type": "module" }');
  execFileSync(resolve(FOLDER, 'node_modules/.bin', bundler), bundlers[bundler](apps, out), {
    cwd: project,
    env: { ...process.env, APPS: apps.join(' '), OUT: out, ...env },
    stdio: 'pipe',
    shell: process.platform === 'win32',
  });
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' });
  /** The file that a page would load for an app. */
  const fileOf = (app: string): string => {
    const name = new RegExp(`^${basename(app, '.js')}\\b.*\\.m?js$`);
    return files.find((file) => name.test(basename(file))) as string;
  };
  return { out, files, fileOf };
}

const names = Array.from({ length: 20_000 }, (_, i) => `name-${i + 1}`);
const saved = BinaryFuseFilter.from(names, { errorRate: 1e-3 }).toBytes();
const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const fetched = 'const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());';

/** How apps get a filter from a file beside their code, or in it. */
const assets = {
  url: `const url = new URL('./names.bloom', import.meta.url);\n${fetched}`,
  suffix: `import url from './names.bloom?url';\n${fetched}`,
  bytes: "import bytes from './names.bloom' with { type: 'bytes' };",
  list: `import loadNames from './names.txt?bloom&errorRate=1e-3&kind=fuse';
    const [names, again] = await Promise.all([loadNames(), loadNames()]);
    if (names !== again) throw new Error('it was loaded twice');
    const bytes = names.toBytes();`,
};

beforeAll(() => {
  install(FOLDER);
  cpSync(join(FOLDER, 'project'), project, { recursive: true });
  cpSync('test/package/filter-of.js', join(project, 'filter-of.js'));
  installIn(project);
  mkdirSync(join(project, 'assets'));
  writeFileSync(join(project, 'assets/names.bloom'), saved);
  writeFileSync(join(project, 'assets/names.txt'), `${names.join('\n')}\n`);
  for (const [name, code] of Object.entries(assets)) {
    const app = `import { report } from '../report.js';\n${code}\nreport(bytes);\n`;
    writeFileSync(join(project, `assets/${name}.js`), app);
  }
  const entries = new Set(kinds.flatMap((kind) => engineNames.map((engine) => importName(entryOf(kind, engine)))));
  const imports = [...entries].map((entry, i) => `import * as entry${i} from '${entry}';\n`);
  const list = imports.map((_, i) => `entry${i}`);
  const app = `${imports.join('')}import { report } from './kinds.js';\nreport([${list}]);\n`;
  writeFileSync(join(project, 'app.js'), app);
}, 300_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const kindsOnEngines = [...kinds.map(({ name }) => name), 'classic'].flatMap((kind) =>
  engineNames.map((engine) => [kind, engine, 'ada\ngrace\n']),
);

type Asset = keyof typeof assets;

/** The apps that get a filter from a file beside the code; and those that have it in the code. */
it.each<[Bundler, string, Asset[], Asset[], Record<string, string>?]>([
  ['vite', 'app', ['url', 'suffix', 'list'], []],
  ['vite', 'no app, for a server', [], ['list'], { SERVER: 'true' }],
  ['webpack', 'app', ['url'], ['bytes']],
  ['esbuild', 'app', [], ['bytes']],
  ['rollup', 'app', ['list'], []],
  ['rollup', 'no app, inlined', [], ['list'], { INLINE: 'true' }],
  ['parcel', 'app', ['url'], []],
])('%s builds apps that run: %s, filters in files %j, in code %j', (bundler, app, inFiles, inCode, env) => {
  const apps = [...inFiles, ...inCode].map((name) => `assets/${name}.js`);
  const { out, files, fileOf } = build(bundler, [...(app === 'app' ? ['app.js'] : []), ...apps], env);
  const run = (...args: string[]): unknown =>
    JSON.parse(execFileSync(process.execPath, args, { cwd: out, encoding: 'utf8', stdio: 'pipe' }));
  if (app === 'app') expect(run(fileOf('app.js'))).toEqual(kindsOnEngines.sort());
  const preload = pathToFileURL(join(project, 'fetch.js')).href;
  for (const asset of apps) {
    const answer = { digest: digestOf(saved), picked: ['name-1', 'name-20000'] };
    expect(run('--import', preload, fileOf(asset)), asset).toEqual(answer);
  }
  const digests = files
    .filter((file) => file.endsWith('.bloom'))
    .map((file) => digestOf(readFileSync(join(out, file))));
  expect(new Set(digests)).toEqual(new Set(inFiles.length > 0 ? [digestOf(saved)] : []));
});

const all = Object.keys(bundlers) as Bundler[];
it.each(all)('%s lets a page load the engine in JavaScript only where it is needed', (bundler) => {
  const { out, files, fileOf } = build(bundler, ['auto.js']);
  const engineWith = (...options: string[]): string =>
    spawnSync(process.execPath, [...options, fileOf('auto.js')], { cwd: out, encoding: 'utf8' }).stdout;
  expect(engineWith()).toBe('wasm\n');
  // Without WebAssembly.
  expect(engineWith('--jitless')).toBe('js\n');

  const unneeded = files
    .filter((file) => /\.m?js$/.test(file))
    .filter((file) => {
      const [there, away] = [join(out, file), join(out, 'away')];
      renameSync(there, away);
      const engine = engineWith();
      renameSync(away, there);
      return engine === 'wasm\n';
    });
  expect(unneeded).toHaveLength(1);
});
