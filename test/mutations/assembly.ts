// Applies the patches of assembly/ one at a time, to a copy of the checkout in the folder for temporary files, so that an
// interrupted run changes nothing here. Compiles only the modules that contain the changed file, and runs first the
// tests that are about it.

import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildModules, GENERATED } from '../../tools/kernel.ts';
import { type Module, modules, sharedModule } from '../../tools/modules.ts';
import type { Options } from './main.ts';
import { type Patch, patches } from './patches.ts';
import { type Figures, saveFigures } from './results.ts';
import { type First, firsts, others } from './tests.ts';

/** What the tests and the compiler need. */
const FOLDERS = ['assembly', 'build', 'dist', 'docs', 'src', 'test', 'tools'];
const FILES = ['asconfig.json', 'package.json', 'package-lock.json', 'tsconfig.json', 'vitest.config.ts'];
/** The forms in which a module is compiled. */
const FORMS = ['release', 'scalar', 'debug'] as const;
/** A change may make a loop endless, which is noticed, too. */
const MOST_MINUTES = 15;

const checkout = process.cwd();
const sourceOf = (file: string): string => readFileSync(join(checkout, 'assembly', file), 'utf8');

/** The module and all files that are compiled into it. Of assembly/hash.ts, only the hash of the module is. */
function filesOf({ entry, hash }: Module): Set<string> {
  const files = new Set([entry]);
  for (const file of files) {
    for (const [, name = ''] of sourceOf(file).matchAll(/ from "\.\/([\w-]+)"/g)) {
      if (file !== 'hash.ts' || name.startsWith(hash ?? 'murmur3')) files.add(`${name}.ts`);
    }
  }
  return files;
}

const contents = [...modules, sharedModule].map((module) => ({ module, files: filesOf(module) }));
const modulesWith = (file: string): Module[] =>
  contents.flatMap(({ module, files }) => (files.has(file) ? module : []));

/** @throws Error unless each file has patches and tests, and each patch replaces what occurs once */
export function requirePatches(): void {
  const files = readdirSync(join(checkout, 'assembly')).filter((name) => name.endsWith('.ts'));
  for (const file of new Set([...files, ...Object.keys(patches)])) {
    if (!files.includes(file)) throw new Error(`assembly/${file} has patches, but does not exist`);
    if (!patches[file]?.length) throw new Error(`assembly/${file} has no patch`);
    if (firsts[file] === undefined) throw new Error(`assembly/${file} has no tests in test/mutations/tests.ts`);
    for (const [text, , does] of patches[file]) {
      const count = sourceOf(file).split(text).length - 1;
      if (count !== 1) throw new Error(`assembly/${file}, ${does}: the text occurs ${count} times: ${text}`);
    }
  }
}

function enterCopy(): void {
  const copy = mkdtempSync(join(tmpdir(), 'bloomery-mutations-'));
  process.on('exit', () => {
    process.chdir(checkout);
    rmSync(copy, { recursive: true, force: true });
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
  for (const name of [...FOLDERS, ...FILES]) {
    const isOwn = (path: string): boolean => !path.includes('node_modules');
    cpSync(join(checkout, name), join(copy, name), { recursive: true, preserveTimestamps: true, filter: isOwn });
  }
  symlinkSync(join(checkout, 'node_modules'), join(copy, 'node_modules'), 'junction');
  process.chdir(copy);
}

function compiledOf({ name, isShared }: Module): string[] {
  return FORMS.filter((form) => form !== 'scalar' || !isShared).map((form) => `build/${name}.${form}.wasm`);
}

/** Takes back a change, and what was compiled with it. */
function restore(file: string): void {
  writeFileSync(join('assembly', file), sourceOf(file));
  for (const module of modulesWith(file)) {
    for (const path of [...compiledOf(module), `build/${module.name}.wasm`, join(GENERATED, module.name)]) {
      cpSync(join(checkout, path), path, { recursive: true });
    }
  }
}

/** Whether a module differs from that of the checkout, in any form. */
function isChanged(module: Module): boolean {
  return compiledOf(module).some((path) => !readFileSync(path).equals(readFileSync(join(checkout, path))));
}

interface Outcome {
  readonly testResults: {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: { readonly fullName: string; readonly status: string }[];
  }[];
}

/** Runs tests until one fails, and returns its name; undefined if all pass. */
function failing(tests: readonly string[], onlyRelease = false): string | undefined {
  if (tests.length === 0) return undefined;
  rmSync('outcome.json', { force: true });
  // In threads, which end with the process. The test of Milvus runs the package, which is not in the copy.
  const options = ['--bail', '1', '--pool', 'threads', '--reporter', 'json', '--outputFile', 'outcome.json'];
  const env = onlyRelease ? { ...process.env, ONLY_RELEASE: '1' } : process.env;
  const { status, error, stderr } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', ...options, '--exclude', '**/milvus.test.ts', ...tests],
    { encoding: 'utf8', env, timeout: 60_000 * MOST_MINUTES, killSignal: 'SIGKILL' },
  );
  if (error) return `a test that has not ended after ${MOST_MINUTES} minutes`;
  if (status === 0) return undefined;
  const outcome: Outcome | undefined = existsSync('outcome.json')
    ? JSON.parse(readFileSync('outcome.json', 'utf8'))
    : undefined;
  const failed = outcome?.testResults.find((result) => result.status === 'failed');
  if (failed === undefined) throw new Error(`the tests did not run: ${stderr}`);
  const test = failed.assertionResults.find((result) => result.status === 'failed');
  return `${failed.name.slice(resolve('.').length + 1)}: ${test?.fullName ?? 'is not loaded'}`;
}

const filesNamed = (names: string): string[] => (names.match(/\S+/g) ?? []).map((name) => `test/${name}.`);

/** Applies a patch, and returns the name of the test that noticed it; undefined if none did. */
async function tryPatch(file: string, [text, replacement, does]: Patch): Promise<string | undefined> {
  writeFileSync(
    join('assembly', file),
    sourceOf(file).replace(text, () => replacement),
  );
  const { modules: names, release, tests = '' } = firsts[file] as First;
  const all = modulesWith(file);
  const first = all.filter(({ name }) => names?.split(' ').includes(name) ?? true);
  if (release) {
    await buildModules(first, ['release']);
    const soon = first.some(isChanged) ? failing(filesNamed(release), true) : undefined;
    if (soon !== undefined) return soon;
  }
  await buildModules(first);
  const soon = failing(filesNamed(tests));
  if (soon !== undefined) return soon;
  await buildModules(all.filter((module) => !first.includes(module)));
  if (!all.some(isChanged)) throw new Error(`assembly/${file}, ${does}: no module is other code with this change`);
  return failing(others);
}

/** The files with tests that have noticed a change, and pass without one. */
const sound = new Set<string>();

/** @throws Error if a test that seems to have noticed a change fails without it, too */
function requireSound(test: string): void {
  const [file = ''] = test.split(': ');
  if (sound.has(file) || !file.endsWith('.test.ts')) return;
  const alone = failing([file]);
  if (alone !== undefined) throw new Error(`without a change, this test fails: ${alone}`);
  sound.add(file);
}

async function tryFile(file: string): Promise<Figures> {
  const begun = performance.now();
  const tried = patches[file] ?? [];
  let caught = 0;
  for (const patch of tried) {
    const test = await tryPatch(file, patch);
    restore(file);
    if (test !== undefined) {
      requireSound(test);
      caught++;
    }
    console.log(test === undefined ? `  SURVIVED: ${patch[2]}` : `  caught: ${patch[2]}\n    by ${test}`);
  }
  const seconds = Math.round((performance.now() - begun) / 1000);
  console.log(`${file}: ${caught} of ${tried.length} caught, ${seconds} s`);
  return { part: 'all', caught, all: tried.length, same: 0, seconds };
}

export async function mutateAssembly(options: Options): Promise<number> {
  requirePatches();
  const unknown = options.only.find((file) => patches[file] === undefined);
  if (unknown !== undefined) throw new RangeError(`there is no file assembly/${unknown}`);
  const files = options.only.length > 0 ? options.only : Object.keys(patches);
  enterCopy();
  let [caught, all] = [0, 0];
  for (const file of files) {
    const figures = await tryFile(file);
    if (options.save) saveFigures('assembly', file, figures, (name) => patches[name] !== undefined);
    caught += figures.caught;
    all += figures.all;
  }
  console.log(`${caught} of ${all} mutations of assembly/ caught, ${all - caught} survived`);
  return all - caught;
}
