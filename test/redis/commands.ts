// The built command line, in folders with one client each.

import { afterAll } from 'vitest';
import { type Result, run, runIn, temporaryFolder } from '../cli/run.ts';
import { type Library, libraries, makeProject } from './clients.ts';

const { path, remove } = temporaryFolder();

export { path };

for (const library of libraries) makeProject(path(library), library);

/** Runs a command in a process of its own, where one client is installed. */
export function runAlone(library: string, REDIS_URL: string, args: string[], more: object = {}): Promise<Result> {
  return runIn({ cwd: path(library), env: { ...process.env, ...more, REDIS_URL } }, 'redis', ...args);
}

/** Runs a command where one client is installed. */
export function redis(library: Library, url: string, ...args: string[]): Promise<Result> {
  // It may hang in a process in which it has failed to connect before.
  if (library === '@valkey/valkey-glide') return runAlone(library, url, args);
  process.chdir(path(library));
  process.env['REDIS_URL'] = url;
  return run('redis', ...args);
}

const before = process.cwd();
afterAll(() => {
  process.chdir(before);
  remove();
});
