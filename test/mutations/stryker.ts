// Runs StrykerJS on a folder of `src` or `cli`, with the tests of that folder. StrykerJS needs Node 22: where this is
// Node 20, Node 24 comes from npm.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { install } from '../../tools/install.ts';
import { equivalents } from './equivalents.ts';
import { saveFigures } from './results.ts';

/** What StrykerJS reports, as far as it is read here: the schema of mutation-testing-elements. */
interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly Mutant[] }>>;
}

interface Mutant {
  readonly status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'Ignored' | 'RuntimeError' | 'CompileError';
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly location: { readonly start: { readonly line: number } };
}

const HERE = 'test/mutations';
const PACKAGES = `${HERE}/node_modules`;
const CONFIGURATION = 'build/mutations.config.json';
const REPORT = 'build/mutations.json';

/** Folders whose tests need nothing of them: copying them for each run would take longer than the run. */
const IGNORED = ['/bench', '/site', '/test/runtimes', '**/node_modules'];

/** Other folders and files of `test` that prove a folder of `src`, besides the folder with its name. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  auto: ['kernel/prepare'],
  filters: ['kinds', 'format', 'keys', 'open/every-kind', 'open/fuse'],
  format: ['filters'],
  hash: ['keys', 'kinds/fuse-map', 'filters/combinable'],
  kernel: ['keys', 'filters', 'kinds/bits'],
  keyed: ['filters/keyed', 'format/keyed', 'kernel/prepare'],
  keys: ['kernel/hash-forms', 'kinds/fuse-map', 'foreign/redisbloom', 'foreign/every-format'],
  kinds: ['filters', 'format', 'open/every-kind', 'keys/strings'],
  node: ['open/sources'],
  streams: ['format/chunks', 'node/vite/imports', 'util'],
  util: ['filters', 'format', 'keys', 'lookup', 'migrate', 'open', 'threads'],
  views: ['filters/views', 'guard'],
};

/** The patterns of the tests of a folder or file. A file without tests of its own has those of its folder. */
function testsOf(path: string): string[] {
  if (path.startsWith('cli')) return ['test/cli/**/*.test.ts'];
  const own = path.replace(/^(?:src\/)?/, 'test/').replace(/\.ts$/, '');
  const mirrored =
    path.endsWith('.ts') && !['', '.slow'].some((kind) => existsSync(`${own}${kind}.test.ts`)) ? dirname(own) : own;
  const [, folder = ''] = /^src\/(\w+)/.exec(path) ?? [];
  const others = (ALSO[folder] ?? []).map((other) => `test/${other}`);
  return [mirrored, ...others].flatMap((each) => [`${each}?(.slow).test.ts`, `${each}/**/*.test.ts`]);
}

/** The lines of a file that a sample takes: every n-th, counted through all files. */
function sampledLines(files: readonly string[], every: number): string[] {
  let at = 0;
  return files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((_, line) => (at++ % every === 0 ? [`${file}:${line + 1}-${line + 1}`] : [])),
  );
}

/** The code of a folder that the tests run where StrykerJS can change it: threads run what was built. */
function sourcesIn(folder: string): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', folder], {
    encoding: 'utf8',
  });
  return listed.split('\n').filter((file) => file.endsWith('.ts') && !/(?:\.d|\/worker)\.ts$/.test(file));
}

interface StrykerOptions {
  readonly tests: readonly string[];
  /** Mutates only every so many-th line, for folders that would take hours. */
  readonly every: number;
  readonly save: boolean;
}

/** Mutates a file, or a folder without the written code in it, and returns how many mutants no test noticed. */
export function runStryker(folder: string, { tests, every, save }: StrykerOptions): number {
  install(HERE);
  const begun = performance.now();
  const files = sourcesIn(folder);
  if (files.length === 0) throw new RangeError(`there is no code in ${folder}`);
  const configuration = {
    mutate: every === 1 ? files : sampledLines(files, every),
    // Tests of the command line run what was built, most of them in the process of the test.
    ...(folder.startsWith('cli') && { buildCommand: `node --import tsx ${HERE}/command-line.ts` }),
    testRunner: 'vitest',
    plugins: [resolve(PACKAGES, '@stryker-mutator/vitest-runner/dist/src/index.js')],
    // Some tests change the working directory, which threads cannot.
    vitest: { configFile: `${HERE}/vitest.config.ts`, related: false, pool: 'forks' },
    // TypeScript 7 lacks a function that is called where there is such a file.
    tsconfigFile: 'none',
    // What runs once, when a module is loaded, would need all tests again for each mutant.
    ignoreStatic: true,
    concurrency: availableParallelism(),
    tempDirName: 'build/mutations',
    ignorePatterns: IGNORED,
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: REPORT },
    allowConsoleColors: false,
  };
  writeFileSync(CONFIGURATION, JSON.stringify(configuration));
  const [major = 0] = process.versions.node.split('.').map(Number);
  const node = major >= 22 ? process.execPath : `${PACKAGES}/node24/bin/node`;
  const program = `${PACKAGES}/@stryker-mutator/core/bin/stryker.js`;
  const patterns = tests.length > 0 ? tests : testsOf(folder);
  const { status } = spawnSync(node, [program, 'run', CONFIGURATION], {
    stdio: ['ignore', 2, 2],
    env: { ...process.env, MUTATION_TESTS: patterns.join('\n') },
  });
  if (status !== 0) throw new Error(`StrykerJS ended with ${status}`);
  const { caught, survived, same } = printReport(JSON.parse(readFileSync(REPORT, 'utf8')) as Report);
  const seconds = Math.round((performance.now() - begun) / 1000);
  const part = every === 1 ? 'all' : `1 line in ${every}`;
  if (save) saveFigures('src', folder, { part, caught, all: caught + survived, same, seconds }, existsSync);
  return survived;
}

/** Prints and counts mutants that were caught, and that were not. Those left on a line of `equivalents` are neither. */
function printReport({ files }: Report): Record<'caught' | 'survived' | 'same', number> {
  let caught = 0;
  let survived = 0;
  let same = 0;
  for (const [file, { mutants }] of Object.entries(files)) {
    const lines = readFileSync(file, 'utf8').split('\n');
    const known = equivalents[file] ?? {};
    const killed = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
    const uncaught = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
    const gone = Object.keys(known).filter((text) => !lines.some((each) => each.trim() === text));
    if (gone.length > 0) throw new Error(`equivalents.ts has lines that ${file} lacks: ${gone.join(' ')}`);
    const left = uncaught.filter(({ location, replacement = '' }) => {
      const [, ...replacements] = known[(lines[location.start.line - 1] ?? '').trim()] ?? [];
      return !replacements.includes(replacement);
    });
    for (const { location, mutatorName, replacement, status } of left) {
      const note = status === 'NoCoverage' ? ' (no test runs it)' : '';
      console.log(`${file}:${location.start.line}: ${mutatorName}: ${replacement ?? ''}${note}`);
    }
    if (killed + left.length > 0) console.log(`${file}: ${killed} of ${killed + left.length} caught`);
    caught += killed;
    survived += left.length;
    same += uncaught.length - left.length;
  }
  const share = (100 * caught) / (caught + survived);
  console.log(`${caught} of ${caught + survived} mutants caught, ${share.toFixed(0)} %; ${same} survivors set aside`);
  return { caught, survived, same };
}
