// The package in the runners of tests that programs use, installed as they have it.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';

// On a busy machine, the first run of Jest takes long.
vi.setConfig({ testTimeout: 300_000 });

const folder = 'test/package/runners';
const modules = resolve(folder, 'node_modules');

beforeAll(() => {
  execFileSync(process.execPath, ['node_modules/tsx/dist/cli.mjs', 'tools/install.ts', folder], { stdio: 'inherit' });
  // A copy of what is published: runners treat files differently in node_modules, and follow links out of there.
  const root = mkdtempSync(join(tmpdir(), 'bloomery-runners-'));
  const shell = process.platform === 'win32';
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', root], { stdio: 'pipe', shell });
  const installed = join(modules, 'bloomery');
  rmSync(installed, { recursive: true, force: true });
  mkdirSync(installed);
  const tarball = join(root, readdirSync(root)[0] as string);
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
  rmSync(root, { recursive: true });
}, 300_000);

function jest(version: number, environment: string, file: string, settings = {}): string[] {
  const testEnvironment = resolve(modules, environment === 'jsdom' ? `jest-environment-jsdom-${version}` : '.', '.');
  const config = {
    testMatch: [`**/${file}`],
    testEnvironment: environment === 'jsdom' ? testEnvironment : 'node',
    ...settings,
  };
  return [`${modules}/jest-${version}/bin/jest.js`, '--ci', '--runInBand', '--config', JSON.stringify(config)];
}

const vitest = (environment: string): string[] => [
  `${modules}/vitest/vitest.mjs`,
  ...['run', '--globals', '--environment', environment, 'imported.test.mjs'],
];

const esm = '--experimental-vm-modules';
const tsJest = { transform: { '\\.ts$': join(modules, 'ts-jest') } };
const runs: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    [29, 30].flatMap((version) =>
      ['node', 'jsdom'].flatMap((environment) => [
        [`Jest ${version}, ${environment}`, jest(version, environment, 'required.test.js')],
        [`Jest ${version}, ${environment}, ES modules`, [esm, ...jest(version, environment, 'imported.test.mjs')]],
      ]),
    ),
  ),
  'ts-jest': jest(30, 'node', 'typed.ts', tsJest),
  ...Object.fromEntries(['node', 'jsdom', 'happy-dom'].map((name) => [`Vitest, ${name}`, vitest(name)])),
  Mocha: [`${modules}/mocha/bin/mocha.js`, '--timeout', '60000', 'required.test.js'],
  'Mocha, ES modules': [`${modules}/mocha/bin/mocha.js`, '--timeout', '60000', 'imported.test.mjs'],
  'node:test': ['--test', 'required.test.js'],
  'node:test, ES modules': ['--test', 'imported.test.mjs'],
};

it.each(Object.entries(runs))('%s runs the package', (_, args) => {
  const { VITEST: _1, NODE_ENV: _2, ...env } = process.env;
  const options = { cwd: `${folder}/project`, encoding: 'utf8', env: { ...env, NO_COLOR: '1' } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  expect(status, stdout + stderr).toBe(0);
  // A runner that finds no test passes too.
  expect(stdout + stderr).toMatch(/[1-9] pass|pass [1-9]/);
});
