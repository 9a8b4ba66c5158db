// The package in the frameworks and the runners of tests that programs use, installed as they have it.

import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { engineNames, entryOf, importName, kinds } from '../../tools/entries.ts';
import { install } from '../../tools/install.ts';
import { installIn } from './published.ts';

const frameworks = 'test/package/frameworks';
const folder = 'test/package/runners';
const modules = resolve(folder, 'node_modules');

beforeAll(() => {
  for (const each of [frameworks, folder]) install(each);
  // A copy: runners treat files differently in node_modules, and follow links out of there.
  installIn(folder);
}, 300_000);

it('filters work with Vue, React, Immer and Svelte, whose code is that for browsers', () => {
  const entries = new Set(kinds.flatMap((kind) => engineNames.map((engine) => importName(entryOf(kind, engine)))));
  const args = ['--conditions=browser', '--test-reporter=tap', `${frameworks}/states.js`];
  const env = { ...process.env, ENTRIES: [...entries].join(' ') };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  expect(status, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/^# pass 4$/m);
});

/** The arguments with which Jest runs each file in its environment. */
function jest(version: number, ...files: readonly (readonly [environment: string, file: string])[]): string[] {
  const projects = files.map(([environment, file]) => ({
    displayName: file,
    testMatch: [`**/${file}`],
    testEnvironment: environment === 'node' ? 'node' : resolve(modules, `jest-environment-jsdom-${version}`),
    ...(file.endsWith('.ts') && { transform: { '\\.ts$': join(modules, 'ts-jest') } }),
  }));
  return [`${modules}/jest-${version}/bin/jest.js`, '--ci', '--runInBand', '--config', JSON.stringify({ projects })];
}

const required = 'required.test.js';
const imported = 'imported.test.mjs';
const esm = '--experimental-vm-modules';

// Each version of Jest meets each environment, and each form of modules; so do the environments and the forms.
it.each<[string, RegExp, string[]]>([
  ['Jest 29', /Suites: +1 passed/, jest(29, ['jsdom', required])],
  ['Jest 29, ES modules', /Suites: +1 passed/, [esm, ...jest(29, ['node', imported])]],
  ['Jest 30, and ts-jest', /Suites: +2 passed/, jest(30, ['node', required], ['node', 'typed.ts'])],
  ['Jest 30, ES modules', /Suites: +1 passed/, [esm, ...jest(30, ['jsdom', imported])]],
  ['Vitest in Node, jsdom and happy-dom', /Files +3 passed/, [`${modules}/vitest/vitest.mjs`, 'run']],
  ['Mocha', /1\d passing/, [`${modules}/mocha/bin/mocha.js`, '--timeout', '60000', required, imported]],
  ['node:test', /pass 1\d/, ['--test', required, imported]],
  // On a busy machine, the first run of Jest takes long.
])('%s runs the package', { timeout: 300_000 }, (_, passes, args) => {
  const { VITEST: _1, NODE_ENV: _2, ...env } = process.env;
  const options = { cwd: `${folder}/project`, encoding: 'utf8', env: { ...env, NO_COLOR: '1' } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  expect(status, stdout + stderr).toBe(0);
  expect(stdout + stderr).toMatch(passes);
});
