import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const folder = 'test/bundlers';
const root = mkdtempSync(join(tmpdir(), 'bloomery-bundlers-'));
const project = join(root, 'project');

/** The arguments with which each bundler writes the app to a folder. */
const builds: Record<string, (out: string) => string[]> = {
  vite: (out) => ['build', '--outDir', out],
  webpack: (out) => ['./app.js', '--mode', 'production', '--output-path', out],
  esbuild: (out) => ['app.js', '--bundle', '--format=esm', `--outdir=${out}`],
  rollup: (out) => ['app.js', '--plugin', 'node-resolve', '--format', 'es', '--dir', out],
  parcel: (out) => ['build', 'app.js', '--no-cache', '--dist-dir', out],
};

function run(command: string, args: string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: 'pipe', shell: process.platform === 'win32' });
}

/** Makes a project that has installed the package from its tarball. */
function makeProject(): void {
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  cpSync(join(folder, 'app.js'), join(project, 'app.js'));
  cpSync(join(folder, 'vite.config.js'), join(project, 'vite.config.js'));
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', root], '.');
  const tarball = readdirSync(root).find((name) => name.endsWith('.tgz'));
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', join('..', tarball as string)], project);
}

beforeAll(() => {
  run(process.execPath, ['node_modules/tsx/dist/cli.mjs', 'tools/install.ts', folder], '.');
  makeProject();
}, 300_000);

afterAll(() => rmSync(root, { recursive: true, force: true }));

it.each(Object.entries(builds))('%s builds an app that runs', (name, build) => {
  // Not in the project, so that a bundle finds no package that it failed to include.
  const out = join(root, name);
  mkdirSync(out);
  writeFileSync(join(out, 'package.json'), '{ "type": "module" }');
  run(resolve(folder, 'node_modules/.bin', name), build(out), project);
  const bundle = readdirSync(out, { recursive: true, encoding: 'utf8' }).find((file) => file.endsWith('.js'));
  const answers: unknown = JSON.parse(run(process.execPath, [bundle as string], out));
  const picked = 'ada\ngrace\n';
  expect(answers).toEqual([
    { kind: 'classic', engine: 'wasm', picked },
    { kind: 'classic', engine: 'js', picked },
    { kind: 'wide', engine: 'wasm', picked },
    { kind: 'wide', engine: 'js', picked },
    { kind: 'wide', engine: 'wasm', picked },
  ]);
});
