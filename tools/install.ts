// Installs the dependencies of each folder given as an argument, from its own package-lock.json, unless they are
// already installed. Users of the package need none of them.

import { execFileSync } from 'node:child_process';
import { isStale } from './stale.ts';

export function install(folder: string): void {
  const marker = `${folder}/node_modules/.package-lock.json`;
  if (!isStale([marker], [`${folder}/package.json`, `${folder}/package-lock.json`])) return;
  console.error(`Installing what ${folder}/ needs …`);
  execFileSync('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
}

if (process.argv[1] === import.meta.filename) for (const folder of process.argv.slice(2)) install(folder);
