import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { engineNames, entryOf, importName, kinds } from '../../tools/entries.ts';
import { type Bundler, BundlerProject, bundlers } from './bundlers/project.ts';

// On a busy machine, webpack alone takes most of a minute.
vi.setConfig({ testTimeout: 300_000 });

const names = Array.from({ length: 20_000 }, (_, i) => `name-${i + 1}`);
const saved = BinaryFuseFilter.from(names, { errorRate: 1e-3 }).toBytes();
const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

let project: BundlerProject;
const assetPath = (name: string): string => join(project.folder, 'assets', name);

beforeAll(() => {
  project = new BundlerProject();
  writeFileSync(assetPath('names.bloom'), saved);
  writeFileSync(assetPath('names.txt'), `${names.join('\n')}\n`);
  const entries = new Set(kinds.flatMap((kind) => engineNames.map((engine) => importName(entryOf(kind, engine)))));
  const imports = [...entries].map((entry, i) => `import * as entry${i} from '${entry}';\n`);
  const list = imports.map((_, i) => `entry${i}`);
  const app = `${imports.join('')}import { report } from './kinds.js';\nreport([${list}]);\n`;
  writeFileSync(join(project.folder, 'app.js'), app);
}, 300_000);
afterAll(() => project.remove());

const kindsOnEngines = [...kinds.map(({ name }) => name), 'classic'].flatMap((kind) =>
  engineNames.map((engine) => [kind, engine, 'ada\ngrace\n']),
);

/** The apps that get a filter from a file beside the code; and those that have it in the code. */
it.each<[Bundler, string, string[], string[], Record<string, string>?]>([
  ['vite', 'app', ['url', 'suffix', 'list'], []],
  ['vite', 'no app, for a server', [], ['list'], { SERVER: 'true' }],
  ['webpack', 'app', ['url'], ['bytes']],
  ['esbuild', 'app', [], ['bytes']],
  ['rollup', 'app', ['list'], []],
  ['rollup', 'no app, inlined', [], ['list'], { INLINE: 'true' }],
  ['parcel', 'app', ['url'], []],
])('%s builds apps that run: %s, filters in files %j, in code %j', (bundler, app, inFiles, inCode, env) => {
  const assets = [...inFiles, ...inCode].map((name) => `assets/${name}.js`);
  const { out, files, entryOf } = project.build(bundler, [...(app === 'app' ? ['app.js'] : []), ...assets], env);
  const run = (...args: string[]): unknown =>
    JSON.parse(execFileSync(process.execPath, args, { cwd: out, encoding: 'utf8', stdio: 'pipe' }));
  if (app === 'app') expect(run(entryOf('app.js'))).toEqual(kindsOnEngines.sort());
  const preload = pathToFileURL(assetPath('fetch.js')).href;
  for (const asset of assets) {
    const answer = { digest: digestOf(saved), picked: ['name-1', 'name-20000'] };
    expect(run('--import', preload, entryOf(asset)), asset).toEqual(answer);
  }
  const digests = files
    .filter((file) => file.endsWith('.bloom'))
    .map((file) => digestOf(readFileSync(join(out, file))));
  expect(new Set(digests)).toEqual(new Set(inFiles.length > 0 ? [digestOf(saved)] : []));
});

it.each(Object.keys(bundlers) as Bundler[])(
  '%s lets a page load the engine in JavaScript only where it is needed',
  (bundler) => {
    const { out, files, entryOf } = project.build(bundler, ['auto.js']);
    const engineWith = (...options: string[]): string =>
      spawnSync(process.execPath, [...options, entryOf('auto.js')], { cwd: out, encoding: 'utf8' }).stdout;
    expect(engineWith()).toBe('wasm\n');
    // Without WebAssembly.
    expect(engineWith('--jitless')).toBe('js\n');

    const unneeded = files
      .filter((file) => /\.m?js$/.test(file))
      .filter((file) => {
        const [there, away] = [join(out, file), join(out, 'away')];
        renameSync(there, away);
        const engine = engineWith();
        renameSync(away, there);
        return engine === 'wasm\n';
      });
    expect(unneeded).toHaveLength(1);
  },
);
