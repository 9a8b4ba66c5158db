// The package as it is published: `npm pack` runs once for all tests, until something in it changes.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isStale } from '../../tools/stale.ts';

export function tarball(): string {
  const path = 'build/published.tgz';
  if (isStale([path], ['dist', 'docs', 'package.json', 'README.md', 'LICENSE', 'llms.txt'])) {
    const folder = mkdtempSync(join('build', 'pack-'));
    const args = ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
    execFileSync('npm', args, { stdio: 'pipe', shell: process.platform === 'win32' });
    // At once, because several test files may come to this.
    renameSync(join(folder, readdirSync(folder)[0] as string), path);
    rmSync(folder, { recursive: true });
  }
  return path;
}

export function publishedFiles(): string[] {
  return execFileSync('tar', ['-tzf', tarball()], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')
    .map((path) => path.slice('package/'.length));
}

/** Installs it in a project, in place of what was installed before. */
export function installIn(project: string): void {
  const folder = join(project, 'node_modules/bloomery');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', tarball(), '--strip-components=1', '-C', folder]);
}
