// Makes dist/, which is what the package ships: JavaScript, declarations, source maps and the kernel. Does nothing
// while it is up to date.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { buildKernel } from './kernel.ts';
import { isStale } from './stale.ts';

const inputs = ['src', 'tsconfig.json', 'tools/build.ts', 'package-lock.json'];
/** Written last. */
const output = 'dist/kernel.wasm';

await buildKernel();
if (isStale([output], inputs)) {
  rmSync('dist', { recursive: true, force: true });
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'], { stdio: 'inherit' });
  mkdirSync('dist/kernel/generated', { recursive: true });
  // tsc copies neither.
  for (const name of ['scalar.js', 'scalar.d.ts']) {
    copyFileSync(`src/kernel/generated/${name}`, `dist/kernel/generated/${name}`);
  }
  copyFileSync('build/release.wasm', output);
}
