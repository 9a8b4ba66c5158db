// A project of a user, in a temporary folder: blocks of TypeScript and JavaScript become programs, which are compiled and
// run in it, and shell commands find the files that they read.

import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { BloomFilter } from '../../../src/index.ts';
import { packageName } from '../../../tools/entries.ts';
import type { Block } from './markdown.ts';

const here = import.meta.dirname;

/** Bundlers for Workers compile a module that is imported, as this does. */
const compiledModules: Plugin = {
  name: 'compiled modules',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /\.wasm$/ }, ({ path }) => ({ path, namespace: 'wasm' }));
    onLoad({ filter: /.*/, namespace: 'wasm' }, ({ path }) => ({
      resolveDir: here,
      contents: `import { readFileSync } from 'node:fs';
        import { fileURLToPath } from 'node:url';
        export default new WebAssembly.Module(readFileSync(fileURLToPath(import.meta.resolve('${path}'))));`,
    }));
  },
};

/** Answers in comments: `true`, `2`, `9,585,059`, `'a'`, `['a', 'b']`, `Uint8Array [1, 0]`; more text may follow. */
const ANSWER =
  /^(?:(?:Uint8Array )?\[[^\]]*\]|'[^']*'|true\b|false\b|undefined\b|-?\d+(?:,\d{3})*(?:\.\d+)?)(?=[,:;. ]|$)/;
const STATEMENT = /^(?:(?:const|let) (\w+) = )?(.+?); *\/\/ (.*)$/;
const PRINTED = /^console\.log\((.*)\)$/;

/** `code` with a call of `expectAnswer` wherever a statement of one line is followed by a comment with an answer. */
export function withAnswersChecked(code: string): string {
  const lines = code.split('\n').map((line) => {
    const [, name, expression = '', comment = ''] = STATEMENT.exec(line.trim()) ?? [];
    const answer = ANSWER.exec(comment)?.[0];
    if (answer === undefined) return line;
    const check = (value: string): string => `expectAnswer(${value}, ${JSON.stringify(answer)});`;
    if (name !== undefined) return `const ${name} = ${expression}; ${check(name)}`;
    return check(PRINTED.exec(expression)?.[1] ?? expression);
  });
  return lines.join('\n');
}

/** The code on the lines that it has in its document, so that errors tell them. */
const sourceOf = ({ line }: Block, code: string): string => `${'\n'.repeat(line - 1)}${code}\n`;

/** A program that checks the answers in the comments of a block. The packages that it imports are not contained. */
async function programOf(block: Block): Promise<string> {
  const contents = sourceOf(block, withAnswersChecked(block.code));
  const { outputFiles } = await build({
    stdin: { contents, loader: 'ts', resolveDir: here, sourcefile: block.place },
    inject: [join(here, 'around.ts')],
    plugins: [compiledModules],
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: 'inline',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

const text = (...keys: string[]): string => keys.map((key) => `${key}\n`).join('');
/** Filters that can be merged have the same size. */
const filter = (...keys: string[]): Uint8Array => new BloomFilter({ capacity: 1000 }).addMany(keys).toBytes();

/** What other packages save of a filter of ada, grace and alan, at 1 %. */
const bloomFilters = {
  type: 'BloomFilter',
  _size: 29,
  _nbHashes: 7,
  _filter: { size: 32, content: 'sjVNEg==' },
  _seed: 78187493520,
};

const samples: Readonly<Record<string, string | Uint8Array>> = {
  'bloom-filters.json': JSON.stringify(bloomFilters),
  'buckets.json': '[3591751177]',
  'names.txt': text('ada', 'alan', 'bob', 'edsger', 'grace'),
  'names.secret': '1f8e0c5b7a6d4f3e2b1c9d0a8f7e6d5c\n',
  'filter.secret': Uint8Array.from({ length: 16 }, (_, i) => 17 * i),
  'wanted.txt': text('ada', 'zoe'),
  'blocklist.txt': text('mallory', 'trudy'),
  'mails.txt': text('ada', 'mallory'),
  'mails.gz': gzipSync(text('ada', 'mallory')),
  'urls.txt': text('https://example.org/a', 'https://example.org/b', 'https://example.org/a'),
  'more-names.txt': text('eve'),
  'monday.txt': text('ada', 'bob'),
  'wednesday.txt': text('eve', 'zoe'),
  'users.csv': 'id,name,email\n1,"Countess, Ada",ada@example.org\n',
  'old.csv': 'id,name,email\n2,Bob,bob@example.org\n',
  'events.json': text('{"user":{"id":7}}', '{"user":{"id":7}}'),
  'lists.tsv': text('ads.example\t1', 'scam.example\t7'),
  'log.tsv': text('09:00\tads.example', '09:01\texample.org'),
  'redirects.json': text('{"path":"/old","target":{"id":3}}'),
  'seen.txt': text('https://example.org/a'),
  'seen.bloom': BloomFilter.from(['ada'], { capacity: 1000, errorRate: 1e-6 }).toBytes(),
  'tuesday.txt': text('bob', 'eve'),
  'blocked.bloom': filter('mallory', 'trudy'),
  'monday.bloom': filter('ada'),
  'tuesday.bloom': filter('bob'),
};

const root = resolve(here, '../../..');

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

const nameOf = ({ place }: Block): string => place.replaceAll(/[/:]/g, '-');

export class Project {
  readonly #folder = mkdtempSync(join(tmpdir(), 'bloomery-'));

  /** @param packages what the project has too, of those that are installed in the folder */
  constructor(packages: readonly string[] = [], folder = 'test/redis') {
    const modules = this.#path('node_modules');
    mkdirSync(join(modules, '.bin'), { recursive: true });
    const ofRoot = ['@types/node', 'apache-arrow'].map((name) => [name, join(root, 'node_modules', name)] as const);
    const own = packages.map((name) => [name, join(root, folder, 'node_modules', name)] as const);
    for (const [name, target] of [[packageName, root] as const, ...ofRoot, ...own]) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(target, join(modules, name), 'junction');
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
    const { stderr } = node(join(here, 'all.js'), this.#path(), file, ...folders);
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
