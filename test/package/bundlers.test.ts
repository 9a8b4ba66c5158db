import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { type Build, BundlerProject, bundlers } from './bundlers/project.ts';

// On a busy machine, webpack alone takes most of a minute.
vi.setConfig({ testTimeout: 300_000 });

const rows: [string, Build['args']][] = Object.entries(bundlers);

const names = Array.from({ length: 20_000 }, (_, i) => `name-${i + 1}`);
const saved = BinaryFuseFilter.from(names, { errorRate: 1e-3 }).toBytes();

let project: BundlerProject;
const assetPath = (name: string): string => join(project.folder, 'assets', name);

beforeAll(() => {
  project = new BundlerProject();
  writeFileSync(assetPath('names.bloom'), saved);
  writeFileSync(assetPath('names.txt'), `${names.join('\n')}\n`);
}, 300_000);
afterAll(() => project.remove());

it.each(rows)('%s builds an app that runs', (bundler, args) => {
  const { out, entry } = project.build({ bundler, app: 'app.js', args });
  const answers: unknown = JSON.parse(project.run(process.execPath, [entry], out));
  const picked = 'ada\ngrace\n';
  expect(answers).toEqual([
    { kind: 'classic', engine: 'wasm', picked },
    { kind: 'classic', engine: 'js', picked },
    { kind: 'wide', engine: 'wasm', picked },
    { kind: 'wide', engine: 'js', picked },
    { kind: 'fuse', engine: 'wasm', picked },
    { kind: 'fuse', engine: 'js', picked },
    { kind: 'sharded-fuse', engine: 'wasm', picked },
    { kind: 'sharded-fuse', engine: 'js', picked },
    { kind: 'dleft', engine: 'wasm', picked },
    { kind: 'dleft', engine: 'js', picked },
    { kind: 'tombstone', engine: 'wasm', picked },
    { kind: 'tombstone', engine: 'js', picked },
    { kind: 'rotating', engine: 'wasm', picked },
    { kind: 'rotating', engine: 'js', picked },
    { kind: 'scalable', engine: 'wasm', picked },
    { kind: 'scalable', engine: 'js', picked },
    { kind: 'spatial', engine: 'wasm', picked },
    { kind: 'spatial', engine: 'js', picked },
    { kind: 'stable', engine: 'wasm', picked },
    { kind: 'stable', engine: 'js', picked },
    { kind: 'dleft', engine: 'wasm', picked },
    { kind: 'dleft', engine: 'js', picked },
    { kind: 'wide', engine: 'wasm', picked },
  ]);
});

it.each(rows)('%s lets a page load the engine in JavaScript only where it is needed', (bundler, args) => {
  const { out, files, entry } = project.build({ bundler, app: 'auto.js', args });
  expect(project.run(process.execPath, [entry], out)).toBe('wasm\n');
  // Without WebAssembly.
  expect(project.run(process.execPath, ['--jitless', entry], out)).toBe('js\n');

  const unneeded = files.filter((file) => {
    const [there, away] = [join(out, file), join(out, 'away')];
    renameSync(there, away);
    const { stdout } = spawnSync(process.execPath, [entry], { cwd: out, encoding: 'utf8' });
    renameSync(away, there);
    return stdout === 'wasm\n';
  });
  expect(unneeded).toHaveLength(1);
});

/** Whether the filter is a file beside the code, or is in the code. */
const FILE = true;
const CODE = false;

const { vite, webpack, parcel } = bundlers;
// Without a target, esbuild relies on `Uint8Array.fromBase64`, which few browsers have.
const esbuild: Build['args'] = (app, out) => [app, '--bundle', '--format=esm', '--target=es2022', `--outdir=${out}`];
const forServer: Build['args'] = (app, out) => ['build', '--ssr', app, '--outDir', out];
const rollup: Build['args'] = () => ['--config', 'rollup.config.js', '--plugin', 'node-resolve={ browser: true }'];

const assets: readonly [name: string, app: string, args: Build['args'], isFile: boolean, env?: Build['env']][] = [
  ["webpack, with { type: 'bytes' }", 'bytes', webpack, CODE],
  ["esbuild, with { type: 'bytes' }", 'bytes', esbuild, CODE],
  ['webpack, by new URL()', 'url', webpack, FILE],
  ['vite, by new URL()', 'url', vite, FILE],
  ['parcel, by new URL()', 'url', parcel, FILE],
  ['vite, by ?url', 'suffix', vite, FILE],
  ['vite, of a list', 'list', vite, FILE],
  ['vite, of a list, for a server', 'list', forServer, CODE],
  ['rollup, of a list', 'list', rollup, FILE],
  ['rollup, of a list, inlined', 'list', rollup, CODE, { INLINE: 'true' }],
];

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

it.each(assets)('the file of a filter is the same in each bundle: %s', (name, app, args, isFile, env = {}) => {
  const [bundler = ''] = name.split(',');
  const { out, entry } = project.build({ bundler, app: `assets/${app}.js`, args, env });
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((file) => /\.bloom$/.test(file));
  expect(files.map((file) => digestOf(readFileSync(join(out, file))))).toEqual(isFile ? [digestOf(saved)] : []);
  const preload = pathToFileURL(assetPath('fetch.js')).href;
  const answer: unknown = JSON.parse(project.run(process.execPath, ['--import', preload, entry], out));
  expect(answer).toEqual({ digest: digestOf(saved), picked: ['name-1', 'name-20000'] });
});
