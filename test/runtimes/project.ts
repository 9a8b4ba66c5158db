import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let made: string | undefined;

/**
 * The folder of a project that has installed the package from its tarball, as a user would. It is made on the first
 * call, from `dist/` as it is then, and removed at the end of the process.
 */
export function project(): string {
  made ??= makeProject();
  return made;
}

function makeProject(): string {
  const root = mkdtempSync(join(tmpdir(), 'bloomery-runtimes-'));
  process.on('exit', () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const folder = join(root, 'project');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const npm = (args: string[], cwd: string): void => {
    execFileSync('npm', [...args, '--loglevel=error'], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  };
  npm(['pack', '--ignore-scripts', '--pack-destination', root], '.');
  const tarball = readdirSync(root).find((name) => name.endsWith('.tgz'));
  npm(['install', '--prefer-offline', '--no-audit', '--no-fund', join('..', tarball as string)], folder);
  return folder;
}
