// A project of a user, in a temporary folder: what snippets are compiled and run in.

import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { packageName } from '../../../tools/entries.ts';
import type { Block } from './markdown.ts';
import { programOf, sourceOf } from './program.ts';
import { samples } from './samples.ts';

const root = resolve(import.meta.dirname, '../../..');

const config = {
  compilerOptions: {
    target: 'es2022',
    module: 'nodenext',
    moduleDetection: 'force',
    lib: ['es2023', 'esnext.disposable'],
    types: ['node'],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  },
};

function node(program: string, cwd: string, ...args: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, ['--enable-source-maps', program, ...args], { cwd, encoding: 'utf8' });
}

/** The place of a block, as a name for a file. */
function nameOf({ place }: Block): string {
  return place.replaceAll(/[/:]/g, '-');
}

export class Project {
  readonly #folder = mkdtempSync(join(tmpdir(), 'bloomery-'));

  /**
   * @param packages what the project has too
   * @param folder where they are installed
   */
  constructor(packages: readonly string[] = [], folder = 'test/redis') {
    const modules = this.#path('node_modules');
    mkdirSync(join(modules, '@types'), { recursive: true });
    mkdirSync(join(modules, '.bin'));
    const name = packageName;
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(root, join(modules, name), 'junction');
    for (const other of ['@types/node', 'apache-arrow']) {
      symlinkSync(join(root, 'node_modules', other), join(modules, other), 'junction');
    }
    for (const each of packages) {
      mkdirSync(dirname(join(modules, each)), { recursive: true });
      symlinkSync(join(root, folder, 'node_modules', each), join(modules, each), 'junction');
    }
    writeFileSync(join(modules, '.bin/bloomery'), `#!/bin/sh\nexec node '${root}/dist/cli/main.js' "$@"\n`, {
      mode: 0o755,
    });
    mkdirSync(this.#path('samples'));
    for (const [name, content] of Object.entries(samples)) writeFileSync(this.#path('samples', name), content);
    writeFileSync(this.#path('package.json'), '{ "type": "module" }');
    writeFileSync(this.#path('tsconfig.json'), JSON.stringify(config));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }

  /** What the compiler says of each block that is TypeScript. */
  compile(blocks: readonly Block[]): Map<Block, string[]> {
    const files = new Map(blocks.map((block) => [`${nameOf(block)}.ts`, block]));
    for (const [name, block] of files) writeFileSync(this.#path(name), sourceOf(block, block.code));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [tsc, '--pretty', 'false'], { cwd: this.#folder, encoding: 'utf8' });
    const errors = new Map(blocks.map((block): [Block, string[]] => [block, []]));
    // The lines that continue a message are indented.
    for (const message of stdout.match(/^\S.*(?:\n +.*)*/gm) ?? []) {
      const block = files.get(/^[^(]*/.exec(message)?.[0] ?? '');
      if (block === undefined) throw new Error(message);
      errors.get(block)?.push(message);
    }
    return errors;
  }

  /** Runs a block as a program, in a folder with the samples. Addresses that it contains can be replaced. */
  async run(block: Block, addresses: Readonly<Record<string, string>> = {}): Promise<SpawnSyncReturns<string>> {
    return node('snippet.js', await this.#write(block, addresses));
  }

  /** Runs blocks as programs of one process, one after another. Returns the errors of each, empty if there is none. */
  async runAll(blocks: readonly Block[]): Promise<Map<Block, string | undefined>> {
    const folders = await Promise.all(blocks.map((block) => this.#write(block)));
    const file = this.#path('errors.json');
    const { stderr } = node(join(import.meta.dirname, 'all.js'), this.#path(), file, ...folders);
    if (!existsSync(file)) throw new Error(stderr);
    const errors = JSON.parse(readFileSync(file, 'utf8')) as string[];
    return new Map(blocks.map((block, i) => [block, errors[i]]));
  }

  /** Runs shell commands in a folder with the samples. `npx bloomery` and `bloomery` are the built command line. */
  shell(block: Block, commands: readonly string[], variables: NodeJS.ProcessEnv = {}): SpawnSyncReturns<string> {
    const PATH = [this.#path('node_modules/.bin'), process.env['PATH']].join(delimiter);
    const script = commands.join('\n').replaceAll(`npx ${packageName}`, 'bloomery');
    return spawnSync('bash', ['-eo', 'pipefail', '-c', script], {
      cwd: this.#newFolder(block),
      encoding: 'utf8',
      env: { ...process.env, ...variables, PATH },
    });
  }

  #path(...names: string[]): string {
    return join(this.#folder, ...names);
  }

  /** Writes a block as `snippet.js` to a new folder, and returns that. */
  async #write(block: Block, addresses: Readonly<Record<string, string>> = {}): Promise<string> {
    const folder = this.#newFolder(block);
    let code = await programOf(block);
    for (const [address, other] of Object.entries(addresses)) code = code.replaceAll(address, other);
    writeFileSync(join(folder, 'snippet.js'), code);
    return folder;
  }

  #newFolder(block: Block): string {
    const folder = this.#path(nameOf(block));
    cpSync(this.#path('samples'), folder, { recursive: true });
    return folder;
  }
}
