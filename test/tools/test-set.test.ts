// What `npm test` leaves out, and what the reporter says of a run.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { filesOf, foldersOf, groups, isShort, isWhole } from '../../tools/test-set.ts';
import setup from '../everything.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it('the files that npm test leaves out exist', () => {
  expect(groups.flatMap(filesOf).filter((file) => !existsSync(file))).toEqual([]);
});

it.each([
  ['short', undefined, true, false, ['test']],
  ['short', 'true', false, true, ['test']],
  ['all', undefined, false, true, ['test']],
  ['site', 'true', false, false, ['site/test']],
  // `vitest run FILE`
  ['test', 'true', false, false, ['test', 'site/test']],
])('mode %s where CI is %s: is short %s, must be whole %s, in %j', (mode, CI, short, whole, folders) => {
  vi.stubEnv('CI', CI);
  expect([isShort(mode), isWhole(mode), foldersOf(mode)]).toEqual([short, whole, folders]);
});

it('a run of everything fails at once if a program that tests need is missing', () => {
  vi.stubEnv('PATH', '');
  const error = vi.spyOn(console, 'error').mockReturnValue();
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => expect.unreachable('exit'));
  expect(setup).toThrow('exit');
  const missing = 'redis-server is missing (on Debian: apt-get install redis-server), redis-cli is missing (';
  expect(error.mock.calls.join()).toContain(`Not all tests can run: ${missing}`);
  expect(exit).toHaveBeenCalledExactlyOnceWith(1);
});

it('the reporter counts as failed what has not run, and what has the name of another', () => {
  mkdirSync('build', { recursive: true });
  // In the checkout, so that the files find vitest.
  const folder = mkdtempSync('build/reporter-');
  const reporters = [[resolve('tools/reporter.ts'), { leftOut: [{ why: 'are left out', paths: ['a.test.ts'] }] }]];
  const head = "import { beforeAll, describe, it } from 'vitest';\n";
  const files = {
    'vitest.config.js': `export default { test: { reporters: ${JSON.stringify(reporters)} } };`,
    'passes.test.js': `${head}it('passes', () => {}); describe('suite', () => it('passes', () => {}));`,
    'fails.test.js': `${head}it('fails', () => { throw new Error('as it should'); });`,
    'skips.test.js': `${head}it.skip('is skipped', () => {});`,
    'repeats.test.js': `${head}it('twice', () => {}); it('twice', () => {}); describe('suite', () => it('passes', () => {}));`,
    'hooks.test.js': `${head}describe('hooked', () => { beforeAll(() => { throw new Error('as it should'); }); it('x', () => {}); });`,
    'throws.test.js': "throw new Error('not loaded');",
    'imports.test.js': "import './missing.js';",
    'empty.test.js': '',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const args = [resolve('node_modules/vitest/vitest.mjs'), 'run', '--root', folder];
  const env = { ...process.env, NO_COLOR: '1', CI: 'true' };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  rmSync(folder, { recursive: true });
  expect(status).toBe(1);
  const errors = stderr.split('\n').filter((line) => /two (?:tests|suites)|CI=true/.test(line));
  expect(errors.sort()).toEqual([
    "hooks.test.js: CI=true, but 'hooked > x' was skipped",
    expect.stringMatching(/^(passes|repeats)\.test\.js and (passes|repeats)\.test\.js: two suites are named 'suite'$/),
    "repeats.test.js: two tests are named 'twice'",
    "skips.test.js: CI=true, but 'is skipped' was skipped",
  ]);
  const lines = stdout.trimEnd().split('\n').slice(-10);
  const failed = [
    'empty.test.js',
    'fails.test.js: fails',
    'hooks.test.js: hooked',
    'imports.test.js',
    'throws.test.js',
  ];
  expect(lines.slice(0, 6).sort()).toEqual([...failed.map((each) => `  ${each}`), 'Failed:']);
  expect(lines.slice(6)).toEqual([
    ...['Left out:', '  1 files that are left out', '`npm run test:all` runs them too.'],
    // These five, and the four lines above.
    '5 passed, 9 failed, 2 skipped',
  ]);
});
