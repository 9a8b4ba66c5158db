import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, it, vi } from 'vitest';
import { importName } from '../../tools/entries.ts';
import { install } from '../../tools/install.ts';
import { modules } from '../../tools/manifest.ts';

// On a busy machine, a compiler takes most of a minute.
vi.setConfig({ testTimeout: 300_000 });

const folder = 'test/package/types';
const compilers = {
  'TypeScript 7': 'node_modules/typescript',
  'TypeScript 6': `${folder}/node_modules/typescript-6`,
  'TypeScript 5.7': `${folder}/node_modules/typescript-5.7`,
};
type Compiler = keyof typeof compilers;

/** Compiles, and returns what the compiler says. The declarations of JavaScript itself, most of the work, are left out. */
function compile(compiler: Compiler, ...options: string[]): string {
  const args = [`${compilers[compiler]}/bin/tsc`, '--pretty', 'false', '--skipDefaultLibCheck', ...options];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return status === 0 ? '' : stdout;
}

const loaders = {
  Node: ['--module', 'nodenext', '--moduleResolution', 'nodenext'],
  bundlers: ['--module', 'preserve', '--moduleResolution', 'bundler'],
  'old Node': ['--module', 'node16'],
};
type Loader = keyof typeof loaders;

beforeAll(() => {
  const imports = [...modules.keys()].map((name, i) => `export * as entry${i} from '${importName(name)}';\n`);
  writeFileSync(`${folder}/entries.ts`, imports.join(''));
  install(folder);
}, 300_000);

// A module, and a program in CommonJS. For old Node, no TypeScript knows that Node can require ES modules.
it.each<[Compiler, Loader]>([
  ['TypeScript 7', 'Node'],
  ['TypeScript 7', 'bundlers'],
  ['TypeScript 7', 'old Node'],
  ['TypeScript 6', 'bundlers'],
  ['TypeScript 5.7', 'old Node'],
])('%s, with modules for %s, accepts correct code, and refuses other code with a message', (compiler, loader) => {
  // Compiles with the library declarations of 2022 only, as an older project does.
  const said = compile(compiler, '-p', folder, ...loaders[loader], '--extendedDiagnostics');
  const errors = [...said.matchAll(/^\S*refused\.ts\((\d+),\d+\): error (.*)$/gm)];
  const refused = readFileSync(`${folder}/refused.ts`, 'utf8')
    .split('\n')
    .flatMap((line, i) => {
      const comment = / \/\/ refused(?:: (.*))?$/.exec(line);
      return comment ? [{ line: i + 1, message: comment[1] ?? '' }] : [];
    });
  const lines = errors.map(([, line]) => Number(line));
  expect(lines, said).toEqual(refused.map(({ line }) => line));
  for (const [i, { message }] of refused.entries()) expect(errors[i]?.[2]).toContain(message);
  expect(said.match(/error TS/g)?.length, said).toBe(refused.length);
  // Many types slow down the compiler, and so editors: comparing the classes with `Filter` once made a million of them.
  expect(Number(/^Types: +(\d+)$/m.exec(said)?.[1])).toBeLessThan(100_000);
});

it.each<[Compiler, version: number, ...options: string[]]>([
  ['TypeScript 7', 20, ...loaders.Node, '--customConditions', 'node'],
  ['TypeScript 7', 20, ...loaders.bundlers, '--customConditions', 'workerd'],
  ['TypeScript 5.7', 20, ...loaders.bundlers, '--customConditions', 'workerd'],
  ['TypeScript 7', 20, '--lib', 'es2022,dom'],
  ['TypeScript 7', 22, '--lib', 'es2022'],
  ['TypeScript 7', 24, '--lib', 'es2022,dom'],
  ['TypeScript 7', 26, '--lib', 'es2022'],
])('%s accepts a program with the types of Node %i: %s %s %s %s %s %s', (compiler, version, ...options) => {
  const typeRoots = `${folder}/node_modules/@types-${version}`;
  expect(compile(compiler, '-p', `${folder}/tsconfig.node.json`, '--typeRoots', typeRoots, ...options)).toBe('');
});

const ofNode = ['--types', 'node', '--typeRoots', `${folder}/node_modules/@types-20`];

// Of what the declarations name, the web's types are those of browsers or of Node. What the oldest library and the
// newest have is in those between. An old project does not read `exports`.
it.each<[string, string, Compiler, string[]]>([
  ['es2020', 'Node', 'TypeScript 7', [...ofNode, ...loaders.Node]],
  ['es2020,dom', 'browsers', 'TypeScript 7', ['--types', '', ...loaders.Node]],
  ['esnext', 'Node', 'TypeScript 7', [...ofNode, ...loaders.Node]],
  ['esnext,dom', 'browsers', 'TypeScript 7', ['--types', '', ...loaders.Node]],
  ['es2022,dom', 'Node', 'TypeScript 5.7', [...ofNode, '--module', 'esnext', '--moduleResolution', 'node10']],
])('with the library %s and the types of %s, a project finds all declarations: %s', (lib, _, compiler, more) => {
  const options = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022', '--lib', lib];
  const ignoring = compiler === 'TypeScript 7' ? ['--ignoreConfig'] : [];
  expect(compile(compiler, `${folder}/entries.ts`, ...ignoring, ...options, ...more)).toBe('');
});

// Without the paths of the project's own check, which lead to the sources and their internals.
it('the command line uses nothing of the library that is not declared', () =>
  expect(compile('TypeScript 7', '-p', `${folder}/tsconfig.cli.json`)).toBe(''));
