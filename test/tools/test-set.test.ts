// What `npm test` leaves out, what it says of it, and what CI takes for a failure.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { filesOf, groups, isShort, isWhole } from '../../tools/test-set.ts';

const FILE = 'test/keys/integers.test.ts';

/** Runs vitest, where CI is `true` or is not set, and returns its exit code and what it prints. */
function vitest(args: readonly string[], isCI: boolean): { status: number | null; lines: string[]; errors: string[] } {
  const { CI: _, ...others } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...args], {
    encoding: 'utf8',
    env: { ...others, NO_COLOR: '1', ...(isCI && { CI: 'true', PATH: '' }) },
  });
  return { status, lines: stdout.trimEnd().split('\n'), errors: stderr.trimEnd().split('\n') };
}

it('the files that npm test leaves out exist', () => {
  expect(groups.flatMap(filesOf).filter((file) => !existsSync(file))).toEqual([]);
});

it.each([
  ['short', undefined, true, false],
  ['short', 'true', false, true],
  ['all', undefined, false, true],
  // `vitest run FILE`
  ['test', 'true', false, false],
])('mode %s where CI is %s: is short %s, must be whole %s', (mode, CI, short, whole) => {
  const before = process.env['CI'];
  if (CI === undefined) delete process.env['CI'];
  else process.env['CI'] = CI;
  try {
    expect([isShort(mode), isWhole(mode)]).toEqual([short, whole]);
  } finally {
    if (before === undefined) delete process.env['CI'];
    else process.env['CI'] = before;
  }
});

it('a short run says at its end what it left out', () => {
  const { status, lines } = vitest(['--mode', 'short', FILE], false);
  const rows = groups.map((group) => `  ${filesOf(group).length} files that ${group.why}`);
  const said = ['Left out:', ...rows, '`npm run test:all` runs them too.'];
  expect([status, ...lines.slice(-1 - said.length)]).toEqual([
    0,
    ...said,
    expect.stringMatching(/^\d+ passed, 0 failed$/),
  ]);
});

it('a skipped test is a failure in CI', () => {
  const { status, lines, errors } = vitest([FILE, '--testNamePattern', 'no such name'], true);
  expect([status, lines.at(-1)]).toEqual([1, expect.stringMatching(/^0 passed, [1-9]\d* failed, [1-9]\d* skipped$/)]);
  expect(errors.filter((line) => line.startsWith(`${FILE}: CI=true, but '`))).not.toEqual([]);
});

it('CI fails at once if a program that tests need is missing', () => {
  const { status, errors } = vitest(['--mode', 'all', FILE], true);
  const missing = 'redis-server is missing (on Debian: apt-get install redis-server)';
  expect([status, errors.at(-1)]).toEqual([1, expect.stringContaining(`Not all tests can run: ${missing}`)]);
});
