// The folders of a test file of `buildOnDisk`. After each test, no temporary file may be left.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect } from 'vitest';

export const root: string = mkdtempSync(join(tmpdir(), 'bloomery-test-'));
/** Where the temporary files are. */
export const folder: string = join(root, 'spill');
mkdirSync(folder);
/** What is built. */
export const file: string = join(root, 'out.bloom');

afterEach(() => {
  expect(readdirSync(folder), 'what is left of the temporary file').toEqual([]);
  // Where there is /proc, it shows the files that are open, also those that have been deleted.
  expect(spawnSync('ls', ['-l', `/proc/${process.pid}/fd`], { encoding: 'utf8' }).stdout).not.toContain(folder);
});
afterAll(() => rmSync(root, { recursive: true }));
