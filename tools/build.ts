// Makes dist/, which is what the package ships: JavaScript, declarations, source maps, the kernel and the command line.
// Does nothing while it is up to date.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { buildKernel } from './kernel.ts';
import { isStale } from './stale.ts';

const inputs = ['src', 'tsconfig.json', 'tools/build.ts', 'package-lock.json'];
/** Written last. */
const output = 'dist/kernel.wasm';

const commandLine = 'dist/cli/main.js';
const commandLineInputs = ['cli', 'tsconfig.cli.json', ...inputs.filter((input) => input !== 'src')];

function compile(project: string): void {
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', project], { stdio: 'inherit' });
}

await buildKernel();
if (isStale([output], inputs)) {
  rmSync('dist', { recursive: true, force: true });
  compile('tsconfig.json');
  mkdirSync('dist/kernel/generated', { recursive: true });
  // tsc copies neither.
  for (const name of ['scalar.js', 'scalar.d.ts']) {
    copyFileSync(`src/kernel/generated/${name}`, `dist/kernel/generated/${name}`);
  }
  copyFileSync('build/kernel.wasm', output);
}
if (isStale([commandLine], commandLineInputs)) {
  rmSync('dist/cli', { recursive: true, force: true });
  // It imports the package by its name, and so what has just been made.
  compile('tsconfig.cli.json');
}
