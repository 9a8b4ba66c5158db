// Installs what the examples need, from examples/package-lock.json, unless that has been done.

import { execFileSync } from 'node:child_process';
import { isStale } from './stale.ts';

const marker = 'examples/node_modules/.package-lock.json';

if (isStale([marker], ['examples/package.json', 'examples/package-lock.json'])) {
  console.log('Installing what the examples need (27 MB to download) …');
  execFileSync('npm', ['ci', '--prefix', 'examples', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
}
