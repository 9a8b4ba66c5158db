// The folders of a test file of `buildOnDisk`. After each test, no temporary file may be left.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { afterAll, afterEach, expect } from 'vitest';
import { temporaryFolder } from '../../cli/run.ts';

const { folder: root, path, remove } = temporaryFolder();
afterAll(remove);

export { root };
/** Where the temporary files are. */
export const folder: string = path('spill');
mkdirSync(folder);
/** What is built. */
export const file: string = path('out.bloom');

afterEach(() => {
  expect(readdirSync(folder), 'what is left of the temporary file').toEqual([]);
  // Where there is /proc, it shows the files that are open, also those that have been deleted.
  expect(spawnSync('ls', ['-l', `/proc/${process.pid}/fd`], { encoding: 'utf8' }).stdout).not.toContain(folder);
});
