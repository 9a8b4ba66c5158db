import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installIn } from '../package/published.ts';

let made: string | undefined;

/**
 * The folder of a project that has installed the package from its tarball. It is made on the first call, from `dist/` as
 * it is then, and removed at the end of the process.
 */
export function project(): string {
  if (made !== undefined) return made;
  const folder = mkdtempSync(join(tmpdir(), 'bloomery-runtimes-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  installIn(folder);
  made = folder;
  return folder;
}
