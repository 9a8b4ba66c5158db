import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

// On a busy machine, webpack alone takes most of a minute.
vi.setConfig({ testTimeout: 300_000 });

const folder = 'test/package/bundlers';
const root = mkdtempSync(join(tmpdir(), 'bloomery-bundlers-'));
const project = join(root, 'project');

/** The arguments with which each bundler writes an app for a page, as modules, to a folder. */
const builds: Record<string, (app: string, out: string) => string[]> = {
  vite: (_, out) => ['build', '--outDir', out],
  webpack: (app, out) => [
    ...[`./${app}`, '--mode', 'production', '--output-path', out],
    ...['--target', 'web', '--target', 'es2022', '--output-module', '--experiments-output-module'],
  ],
  esbuild: (app, out) => [app, '--bundle', '--splitting', '--format=esm', `--outdir=${out}`],
  rollup: (app, out) => [app, '--plugin', 'node-resolve={ browser: true }', '--format', 'es', '--dir', out],
  parcel: (app, out) => ['build', app, '--no-cache', '--target', 'page', '--dist-dir', out],
};

function run(command: string, args: string[], cwd: string, app = ''): string {
  const env = { ...process.env, APP: app };
  const shell = process.platform === 'win32';
  return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: 'pipe', shell });
}

/** Makes a project that has installed the package from its tarball. */
function makeProject(): void {
  mkdirSync(project);
  copyFileSync(join(folder, 'project.json'), join(project, 'package.json'));
  for (const file of ['app.js', 'auto.js', 'vite.config.js']) copyFileSync(join(folder, file), join(project, file));
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', root], '.');
  const tarball = readdirSync(root).find((name) => name.endsWith('.tgz'));
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', join('..', tarball as string)], project);
}

beforeAll(() => {
  run(process.execPath, ['node_modules/tsx/dist/cli.mjs', 'tools/install.ts', folder], '.');
  makeProject();
}, 300_000);

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Builds an app. Gives the folder and its files of JavaScript. */
function build(bundler: string, app: string): { out: string; files: string[] } {
  // Not in the project, so that a bundle finds no package that it failed to include.
  const out = join(root, bundler, app);
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'package.json'), '{ "type": "module" }');
  run(resolve(folder, 'node_modules/.bin', bundler), builds[bundler]?.(app, out) ?? [], project, app);
  return { out, files: readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((file) => /\.m?js$/.test(file)) };
}

/** The file that a page would load. */
function entryOf(files: string[]): string {
  return files.find((file) => /^(app|auto|main)\b/.test(basename(file))) as string;
}

it.each(Object.keys(builds))('%s builds an app that runs', (bundler) => {
  const { out, files } = build(bundler, 'app.js');
  const answers: unknown = JSON.parse(run(process.execPath, [entryOf(files)], out));
  const picked = 'ada\ngrace\n';
  expect(answers).toEqual([
    { kind: 'classic', engine: 'wasm', picked },
    { kind: 'classic', engine: 'js', picked },
    { kind: 'wide', engine: 'wasm', picked },
    { kind: 'wide', engine: 'js', picked },
    { kind: 'fuse', engine: 'wasm', picked },
    { kind: 'fuse', engine: 'js', picked },
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

it.each(Object.keys(builds))('%s lets a page load the engine in JavaScript only where it is needed', (bundler) => {
  const { out, files } = build(bundler, 'auto.js');
  const entry = entryOf(files);
  expect(run(process.execPath, [entry], out)).toBe('wasm\n');
  // Without WebAssembly.
  expect(run(process.execPath, ['--jitless', entry], out)).toBe('js\n');

  const unneeded = files.filter((file) => {
    const [there, away] = [join(out, file), join(out, 'away')];
    renameSync(there, away);
    const { stdout } = spawnSync(process.execPath, [entry], { cwd: out, encoding: 'utf8' });
    renameSync(away, there);
    return stdout === 'wasm\n';
  });
  expect(unneeded).toHaveLength(1);
});
