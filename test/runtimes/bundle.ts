import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import {
  engineNames,
  entryOf,
  type FilterRow,
  foreignFilters,
  identifierOf,
  importName,
  kinds,
} from '../../tools/entries.ts';
import { project } from './project.ts';

const PROGRAM = fileURLToPath(new URL('checks/index.ts', import.meta.url));
const GOLDEN = fileURLToPath(new URL('../golden', import.meta.url));

/** What the program finds in its bundle instead of on a disk. See `checks/golden-files.d.ts`. */
function goldenFiles(): string {
  const index = JSON.parse(readFileSync(join(GOLDEN, 'index.json'), 'utf8')) as { file: string }[];
  return JSON.stringify(index.map((row) => ({ ...row, base64: readFileSync(join(GOLDEN, row.file), 'base64') })));
}

/** The program's module of classes. See `checks/filter-classes.d.ts`. */
function filterClasses(): string {
  const rows = [...kinds, ...foreignFilters];
  const imports = rows.flatMap((row) =>
    engineNames.map((engine) => {
      const entry = importName(entryOf(row, engine));
      return `import { ${row.className} as ${identifierOf(row.name)}_${engine} } from '${entry}';\n`;
    }),
  );
  const list = (all: readonly FilterRow[]): string =>
    all
      .map(({ name, className }) => {
        const [wasm, js] = engineNames.map((engine) => `${identifierOf(name)}_${engine}`);
        return `{ kind: '${name}', className: '${className}', wasm: ${wasm}, js: ${js} }`;
      })
      .join(', ');
  return `${imports.join('')}export default [${list(kinds)}];\nexport const formats = [${list(foreignFilters)}];\n`;
}

/** Takes `bloomery` from the packed tarball, by its exports, and gives the program its classes and golden files. */
const plugin: Plugin = {
  name: 'bloomery-runtimes',
  setup({ initialOptions, onLoad, onResolve, resolve: resolveIn }) {
    onResolve({ filter: /^golden-files$/ }, ({ path }) => ({ path, namespace: 'golden' }));
    onLoad({ filter: /.*/, namespace: 'golden' }, () => ({ contents: goldenFiles(), loader: 'json' }));
    onResolve({ filter: /^filter-classes$/ }, ({ path }) => ({ path, namespace: 'classes' }));
    onLoad({ filter: /.*/, namespace: 'classes' }, () => ({ contents: filterClasses(), loader: 'js' }));
    onResolve({ filter: /^bloomery(\/|$)/ }, ({ path, kind, pluginData }) => {
      if (initialOptions.packages === 'external') return { path, external: true };
      if (pluginData === plugin) return undefined;
      return resolveIn(path, { kind, resolveDir: project(), pluginData: plugin });
    });
  },
};

export interface BundleOptions {
  /** The module to bundle. Default: the conformance program, which exports `runAll(): Promise<Outcome[]>`. */
  readonly entry?: string;
  /** An IIFE puts the exports of its entry into the global variable `conformance`. */
  readonly format: 'esm' | 'iife';
  readonly platform?: 'browser' | 'neutral';
  /** Conditions of `exports`, such as `workerd`. */
  readonly conditions?: readonly string[];
  /** Whether `bloomery` is left to the runtime, which finds it in the project's `node_modules`. Default: false. */
  readonly external?: boolean;
}

/**
 * Bundles a module, with `bloomery` as a project that installed the tarball would get it, into a folder of its own in
 * that project. WebAssembly files that it imports are put beside it.
 *
 * @returns the path of the bundle
 */
export async function bundle(options: BundleOptions): Promise<string> {
  const { entry = PROGRAM, format, platform = 'browser', conditions = [], external = false } = options;
  const folder = [format, platform, ...conditions, ...(external ? ['external'] : [])].join('-');
  const outfile = join(project(), 'bundles', folder, basename(resolve(entry)).replace(/\.ts$/, '.js'));
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format,
    ...(format === 'iife' && { globalName: 'conformance' }),
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
