// The built command line, in folders with one client each.

import { fork } from 'node:child_process';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { type Result, runIn, temporaryFolder } from '../cli/run.ts';
import { type Library, libraries, makeProject } from './clients.ts';

const { path, remove } = temporaryFolder();

export { path };

for (const library of libraries) makeProject(path(library), library);

const child = fork(join(import.meta.dirname, 'command-process.mjs'), { serialization: 'advanced', execArgv: [] });
let last: Promise<unknown> = Promise.resolve();

/** Runs a command in a process of its own, where one client is installed. */
export function runAlone(library: string, REDIS_URL: string, args: string[], more: object = {}): Promise<Result> {
  return runIn({ cwd: path(library), env: { ...process.env, ...more, REDIS_URL } }, 'redis', ...args);
}

/** Runs a command where one client is installed, after those that run already. */
export function redis(library: Library, url: string, ...args: string[]): Promise<Result> {
  // It may hang in a process in which it has failed to connect before.
  if (library === '@valkey/valkey-glide') return runAlone(library, url, args);
  const run = (): Promise<Result> =>
    new Promise((resolve, reject) => {
      child.removeAllListeners().once('message', resolve).once('exit', reject);
      child.send({ cwd: path(library), url, args: ['redis', ...args] });
    });
  const result = last.then(run);
  last = result.catch(() => {});
  return result;
}

afterAll(() => {
  child.kill();
  remove();
});
