// Builds dist/, which the package ships: JavaScript, declarations, CommonJS, single files for pages, the WebAssembly
// modules and the command line. Does nothing while dist/ is up to date.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { commandLine, writeCommandLine } from './command-line.ts';
import { writeCommonJs } from './common-js.ts';
import { writeDeclarations } from './declarations.ts';
import { writeForms } from './forms.ts';
import { buildKernel, GENERATED } from './kernel.ts';
import { mergeModules } from './merge.ts';
import { modules, sharedModule } from './modules.ts';
import { writeSingleFiles } from './single-files.ts';
import { isStale } from './stale.ts';

const tools = ['build', 'common-js', 'declarations', 'entries', 'forms', 'manifest', 'merge', 'single-files'].map(
  (name) => `tools/${name}.ts`,
);
const inputs = ['src', 'tsconfig.json', ...tools, 'package.json', 'package-lock.json'];
const outputs = modules.map(({ name }) => `dist/${name}.wasm`);

await buildKernel();
if (isStale(outputs, inputs)) {
  rmSync('dist', { recursive: true, force: true });
  for (const project of ['.', 'src/node']) {
    execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', project], { stdio: 'inherit' });
  }
  for (const { name } of [...modules, sharedModule]) {
    const folder = GENERATED.replace('src', 'dist');
    mkdirSync(`${folder}/${name}`, { recursive: true });
    // tsc does not copy these.
    for (const file of readdirSync(`${GENERATED}/${name}`).filter((each) => !each.endsWith('exports.ts'))) {
      copyFileSync(`${GENERATED}/${name}/${file}`, `${folder}/${name}/${file}`);
    }
  }
  writeDeclarations();
  writeForms();
  await writeCommonJs();
  await mergeModules();
  await writeSingleFiles();
  // Written last, because their times tell whether dist/ is up to date.
  for (const { name } of modules) copyFileSync(`build/${name}.wasm`, `dist/${name}.wasm`);
}
// Bundled after the library, which it imports by the package's name.
if (isStale([commandLine], ['cli', 'tools/command-line.ts', ...inputs])) await writeCommandLine();
