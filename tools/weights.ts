// How much each entry adds to a page: the table of docs/weight.md. `npm run weights` writes it.

import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { tableOf } from '../bench/shared/figures.ts';
import { abouts, engineNames, entryKinds, entryOf, foreignFilters, importName, mainKinds } from './entries.ts';
import { modules } from './manifest.ts';
import { readSection, writeSection } from './sections.ts';

export const DOCUMENT = 'docs/weight.md';
const SECTION = 'weights';

/** Entries that import Node, or that are used with a client of Redis: no page has them. */
const NOT_FOR_PAGES: readonly string[] = ['disk', 'file', 'parallel', 'redis', 'vite'];

/** Entries that run on WebAssembly, and have no form in plain JavaScript. */
const ONLY_WASM: readonly string[] = ['auto', 'shared'];

/** The size in bytes of code with everything it imports, minified and gzipped as for a browser. */
export async function weightOf(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: '.' },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
}

/** What a page may import: by which code, on each engine that has it. */
interface Row {
  readonly label: string;
  readonly code: Readonly<Partial<Record<(typeof engineNames)[number], string>>>;
}

const everythingOf = (entry: string): string => `export * from './dist/${modules.get(entry)?.module}.js';`;

const kindRows: readonly Row[] = mainKinds.map((kind) => ({
  label: `\`${kind.className}\` alone, of \`${importName('')}\``,
  code: Object.fromEntries(
    engineNames.map((engine) => {
      const module = modules.get(entryOf(kind, engine))?.module;
      return [engine, `export { ${kind.className} } from './dist/${module}.js';`];
    }),
  ),
}));

/** An entry on each engine. One without an engine weighs the same beside either. */
function rowOf(entry: string): Row {
  const twin = [entry, 'js'].filter((part) => part !== '').join('/');
  const script = ONLY_WASM.includes(entry) ? {} : { js: everythingOf(modules.has(twin) ? twin : entry) };
  return { label: `\`${importName(entry)}\``, code: { wasm: everythingOf(entry), ...script } };
}

const others = [...abouts.keys()].filter(
  (entry) =>
    entry !== '' &&
    !NOT_FOR_PAGES.includes(entry) &&
    ![...entryKinds, ...foreignFilters].some(({ name }) => name === entry),
);

export const rows: readonly Row[] = [
  ...kindRows,
  rowOf(''),
  ...[...entryKinds, ...foreignFilters].map(({ name }) => rowOf(name)),
  ...others.map(rowOf),
];

/** A number of bytes as the table has it. */
export function shown(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}

/** The weights of a row on each engine, in bytes; undefined where there is no such engine. */
export async function weightsOf({ code }: Row): Promise<(number | undefined)[]> {
  return Promise.all(
    engineNames.map((engine) => {
      const contents = code[engine];
      return contents === undefined ? undefined : weightOf(contents);
    }),
  );
}

/** The rows of the table in the document, as cells. */
export function savedCells(): string[][] {
  const lines = readSection(DOCUMENT, SECTION).split('\n');
  const cellsOf = (line: string): string[] => line.split('|').map((cell) => cell.trim());
  return lines.filter((line) => line.startsWith('| `')).map((line) => cellsOf(line).slice(1, -1));
}

async function writeTable(): Promise<void> {
  const cellOf = (weight: number | undefined): string => (weight === undefined ? '–' : shown(weight));
  const cells = await Promise.all(rows.map(async (row) => [row.label, ...(await weightsOf(row)).map(cellOf)]));
  const table = tableOf(['what a page imports', 'WebAssembly', 'plain JavaScript'], cells, ['what a page imports']);
  writeSection(DOCUMENT, SECTION, table);
}

if (process.argv[1] === import.meta.filename) await writeTable();
