// The unit tests of the site, in a process of their own.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Count } from '../../test/runtimes/verdict.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs the unit tests, prints what they print, and counts them. A run that ends without a count is a failure. */
export function runUnitTests(): Count {
  const { status, stdout } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--mode', 'site'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 28,
  });
  process.stdout.write(stdout);
  const [, passed, failed] = /^(\d+) passed, (\d+) failed/.exec(stdout.trimEnd().split('\n').at(-1) ?? '') ?? [];
  if (passed === undefined || failed === undefined) return { passed: 0, failed: 1 };
  return { passed: Number(passed), failed: status === 0 ? 0 : Math.max(Number(failed), 1) };
}
