import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { filesOf, groups } from '../../tools/test-set.ts';

function vitest(args: readonly string[], environment: NodeJS.ProcessEnv): { status: number | null; output: string } {
  const { CI: _, ...others } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', ...args], {
    encoding: 'utf8',
    env: { ...others, NO_COLOR: '1', ...environment },
  });
  return { status, output: stdout + stderr };
}

const leftOut = groups.flatMap(filesOf).sort();

/** The files that `vitest list` names, of those that `npm test` leaves out. */
function listed(mode: string, environment: NodeJS.ProcessEnv): string[] {
  const { output } = vitest(['list', '--filesOnly', '--mode', mode], environment);
  expect(output).toContain('test/keys/integers.test.ts');
  return leftOut.filter((file) => output.includes(`${file}\n`));
}

describe('the tests that need more than Node, or minutes', () => {
  it('are files that exist', () => {
    expect(leftOut.length).toBeGreaterThan(10);
    expect(leftOut.filter((file) => !existsSync(file))).toEqual([]);
  });

  it.each([
    ['left out of npm test', 'short', {}, []],
    ['in npm run test:all', 'all', {}, leftOut],
    ['in npm test where CI=true', 'short', { CI: 'true' }, leftOut],
    ['found by their names, whatever else is there', 'test', {}, leftOut],
  ])('are %s', (_, mode, environment, files) => {
    expect(listed(mode, environment)).toEqual(files);
  });

  it('are counted at the end of npm test, before the line of results', () => {
    const { status, output } = vitest(['run', '--mode', 'short', 'test/keys/integers.test.ts'], {});
    expect(status, output).toBe(0);
    const rows = groups.map((group) => `  ${filesOf(group).length} files that ${group.why}`);
    const last = output
      .trimEnd()
      .split('\n')
      .slice(-3 - rows.length);
    const command = '`npm run test:all` runs them too.';
    expect(last).toEqual(['', 'Left out:', ...rows, command, expect.stringMatching(/^\d+ passed, 0 failed$/)].slice(1));
  });

  it('are failures where CI=true and they are skipped', () => {
    // Of a file, only tests with this name are run: the others are skipped.
    const args = ['run', 'test/keys/integers.test.ts', '--testNamePattern', 'no such name'];
    expect(vitest(args, {}).output).toMatch(/^0 passed, 0 failed, [1-9]\d* skipped$/m);
    const { status, output } = vitest(args, { CI: 'true' });
    expect(status).toBe(1);
    expect(output).toMatch(/^test\/keys\/integers\.test\.ts: CI=true, but '.*' was skipped$/m);
    expect(output).toMatch(/^0 passed, [1-9]\d* failed/m);
  });

  it.each([
    ['npm run test:all', 'all', {}],
    ['npm test where CI=true', 'short', { CI: 'true' }],
  ])('make %s fail if something that they need is missing', (_, mode, environment) => {
    const { status, output } = vitest(['run', '--mode', mode, 'test/keys/integers.test.ts'], {
      ...environment,
      PATH: '',
    });
    expect(status).toBe(1);
    const missing = 'redis-server is missing (on Debian: apt-get install redis-server)';
    expect(output.trimEnd().split('\n').at(-1)).toContain(`Not all tests can run: ${missing}`);
  });
});
