// The project in which the conformance program runs, and bundles of its modules.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import type { FilterRow } from '../../tools/entries.ts';
import { engineNames, entryOf, foreignFilters, identifierOf, importName, kinds } from '../../tools/entries.ts';
import { installIn } from '../package/published.ts';

let made: string | undefined;

/** The folder of a project that has installed the package from its tarball, made of `dist/` on the first call. */
export function project(): string {
  if (made !== undefined) return made;
  const folder = mkdtempSync(join(tmpdir(), 'bloomery-runtimes-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  installIn(folder);
  made = folder;
  return folder;
}

const GOLDEN = fileURLToPath(new URL('../golden', import.meta.url));

/** What the program finds in its bundle instead of on a disk. See `checks/bundled.d.ts`. */
function goldenFiles(): string {
  const index = JSON.parse(readFileSync(join(GOLDEN, 'index.json'), 'utf8')) as { file: string }[];
  return JSON.stringify(index.map((row) => ({ ...row, hex: readFileSync(join(GOLDEN, row.file), 'hex') })));
}

/** The program's module of classes. See `checks/bundled.d.ts`. */
function filterClasses(): string {
  const imports: string[] = [];
  const [ofKinds, ofFormats] = [kinds, foreignFilters].map((filters: readonly FilterRow[]) =>
    filters.map((row) => {
      const [wasm, js] = engineNames.map((engine) => {
        const own = `${identifierOf(row.name)}_${engine}`;
        imports.push(`import { ${row.className} as ${own} } from '${importName(entryOf(row, engine))}';\n`);
        return own;
      });
      return `{ kind: '${row.name}', wasm: ${wasm}, js: ${js} }`;
    }),
  );
  return `${imports.join('')}export default [${ofKinds}];\nexport const formats = [${ofFormats}];\n`;
}

/** Takes `bloomery` from the packed tarball, by its exports, and gives the program its classes and golden files. */
const plugin: Plugin = {
  name: 'bloomery-runtimes',
  setup({ initialOptions, onLoad, onResolve, resolve: resolveIn }) {
    onResolve({ filter: /^(golden-files|filter-classes)$/ }, ({ path }) => ({ path, namespace: path }));
    onLoad({ filter: /.*/, namespace: 'golden-files' }, () => ({ contents: goldenFiles(), loader: 'json' }));
    onLoad({ filter: /.*/, namespace: 'filter-classes' }, () => ({ contents: filterClasses(), loader: 'js' }));
    onResolve({ filter: /^bloomery(\/|$)/ }, ({ path, kind, pluginData }) => {
      if (initialOptions.packages === 'external') return { path, external: true };
      if (pluginData === plugin) return undefined;
      return resolveIn(path, { kind, resolveDir: project(), pluginData: plugin });
    });
  },
};

export interface BundleOptions {
  readonly entry: string;
  readonly format: 'esm' | 'iife';
  readonly platform?: 'browser' | 'neutral';
  /** Conditions of `exports`, such as `workerd`. */
  readonly conditions?: readonly string[];
  /** Whether `bloomery` is left to the runtime, which finds it in the project's `node_modules`. Default: false. */
  readonly external?: boolean;
}

/** Bundles a module in the project, with WebAssembly files that it imports beside it. Gives the path of the bundle. */
export async function bundle(options: BundleOptions): Promise<string> {
  const { entry, format, platform = 'browser', conditions = [], external = false } = options;
  const folder = [format, platform, ...conditions, ...(external ? ['external'] : [])].join('-');
  const outfile = join(project(), 'bundles', folder, basename(resolve(entry)).replace(/\.ts$/, '.js'));
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format,
    platform,
    conditions: [...conditions],
    ...(external && { packages: 'external' }),
    loader: { '.wasm': 'copy' },
    target: 'es2022',
    plugins: [plugin],
    logLevel: 'warning',
  });
  return outfile;
}
