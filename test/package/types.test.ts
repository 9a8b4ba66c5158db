import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { importName } from '../../tools/entries.ts';
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
const names = Object.keys(compilers) as Compiler[];

function compile(compiler: Compiler, ...options: string[]): { status: number | null; stdout: string } {
  // The declarations of JavaScript itself are not checked, which is most of the work.
  const args = [`${compilers[compiler]}/bin/tsc`, '--pretty', 'false', '--skipDefaultLibCheck', ...options];
  return spawnSync(process.execPath, args, { encoding: 'utf8' });
}

/** The options of a project for what loads its modules. */
const loaders = {
  Node: ['--module', 'nodenext', '--moduleResolution', 'nodenext'],
  bundlers: ['--module', 'preserve', '--moduleResolution', 'bundler'],
};
const combinations = names.flatMap((name) =>
  Object.entries(loaders).map(([loader, options]): [Compiler, string, string[]] => [name, loader, options]),
);

/** The options of a project for Node that has the types of one version of it. */
function nodeProject(version: number): string[] {
  return ['-p', `${folder}/tsconfig.node.json`, '--typeRoots', `${folder}/node_modules/@types-${version}`];
}

beforeAll(() => {
  const imports = [...modules.keys()].map((name, i) => `export * as entry${i} from '${importName(name)}';\n`);
  writeFileSync(`${folder}/entries.ts`, imports.join(''));
  execFileSync(process.execPath, ['node_modules/tsx/dist/cli.mjs', 'tools/install.ts', folder], { stdio: 'inherit' });
}, 300_000);

describe.each(combinations)('%s, with modules for %s', (compiler, _, options) => {
  it('accepts correct code, and refuses incorrect code with a message that helps', () => {
    // Compiles with the library declarations of 2022 only, as an older project does.
    const { stdout } = compile(compiler, '-p', folder, ...options, '--extendedDiagnostics');
    const errors = [...stdout.matchAll(/^\S*refused\.ts\((\d+),\d+\): error (.*)$/gm)];
    const refused = readFileSync(`${folder}/refused.ts`, 'utf8')
      .split('\n')
      .flatMap((line, i) => {
        const comment = / \/\/ refused(?:: (.*))?$/.exec(line);
        return comment ? [{ line: i + 1, message: comment[1] ?? '' }] : [];
      });
    expect(
      errors.map(([, line]) => Number(line)),
      stdout,
    ).toEqual(refused.map(({ line }) => line));
    for (const [i, { message }] of refused.entries()) expect(errors[i]?.[2]).toContain(message);
    expect(stdout.match(/error TS/g)?.length, stdout).toBe(refused.length);
    // Many types slow down the compiler, and so editors: comparing the classes with `Filter` once made a million of
    // them.
    expect(Number(/^Types: +(\d+)$/m.exec(stdout)?.[1])).toBeLessThan(100_000);
  });

  it.each(['node', 'workerd'])('accepts a program with the condition %s', (condition) => {
    const { status, stdout } = compile(compiler, ...nodeProject(20), ...options, '--customConditions', condition);
    expect(status, stdout).toBe(0);
  });

  it('accepts a CommonJS program', () => {
    const { status, stdout } = compile(compiler, '-p', `${folder}/tsconfig.required.json`, ...options);
    expect(status, stdout).toBe(0);
  });
});

// With this setting, no TypeScript knows that Node can require ES modules.
it.each(names)('%s accepts a CommonJS program with the module setting node16', (compiler) => {
  const { status, stdout } = compile(compiler, '-p', `${folder}/tsconfig.required.json`, '--module', 'node16');
  expect(status, stdout).toBe(0);
});

describe.each([20, 22, 24, 25, 26])('the types of Node %i', (version) => {
  it.each(['es2022', 'es2022,dom'])('fit the declarations, with the library %s', (lib) => {
    const { status, stdout } = compile('TypeScript 7', ...nodeProject(version), '--lib', lib);
    expect(status, stdout).toBe(0);
  });
});

// Of what the declarations name, the web's types are those of browsers or of Node.
describe.each(['es2020', 'es2021', 'es2022', 'esnext'])('a project with the library of %s', (lib) => {
  const program = `${folder}/entries.ts`;
  const compileAll = (libs: string, types: readonly string[]) =>
    compile(
      'TypeScript 7',
      ...[program, '--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', 'false', ...loaders.Node],
      ...['--target', 'es2022', '--lib', libs, ...types],
    );

  it('takes the declarations of all entries, with those of browsers and without those of Node', () => {
    const { status, stdout } = compileAll(`${lib},dom`, ['--types', '']);
    expect(status, stdout).toBe(0);
  });

  it('takes the declarations of all entries, with those of Node and without those of browsers', () => {
    const types = ['--types', 'node', '--typeRoots', `${folder}/node_modules/@types-20`];
    const { status, stdout } = compileAll(lib, types);
    expect(status, stdout).toBe(0);
  });
});

it('an old project finds the declarations of all entries, though it does not read exports', () => {
  const options = ['--module', 'esnext', '--moduleResolution', 'node10'];
  const { status, stdout } = compile('TypeScript 5.7', ...nodeProject(20), ...options);
  expect(status, stdout).toBe(0);
});

// Without the paths of the project's own check, which lead to the sources and their internals.
it('the command line uses nothing of the library that is not declared', () => {
  const { status, stdout } = compile('TypeScript 7', '-p', `${folder}/tsconfig.cli.json`);
  expect(status, stdout).toBe(0);
});

it('the programs import every entry', () => {
  const files = ['assets.ts', 'node.ts', 'streams.ts', 'required.cts', 'refused.ts'].map((file) => `${folder}/${file}`);
  const programs = [...files, 'test/redis/types/clients.ts'].map((file) => readFileSync(file, 'utf8'));
  const imported = new Set([...programs.join().matchAll(/'(bloomery[/\w-]*)'/g)].map(([, name]) => name));
  expect([...modules.keys()].map(importName).filter((name) => !imported.has(name))).toEqual([]);
});
