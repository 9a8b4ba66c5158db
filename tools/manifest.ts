// Which file of src/ and dist/ each import of the package leads to. package.json says the same in patterns.

import { filterEntries, otherEntries, runsInScript } from './entries.ts';

/** The paths of an entry's modules, without the ending. */
interface Entry {
  /** The module in `src/` and `dist/`. */
  readonly module: string;
  /** The module for Cloudflare Workers, if it is another one. The build writes it. */
  readonly workerd?: string;
  /** The module in plain JavaScript, for the conditions of `inScript`. */
  readonly script?: string;
}

/**
 * The conditions of runtimes that run no WebAssembly, or none from bytes: Vercel's and Next's edge, Fastly Compute and
 * React Native. docs/runtimes.md says what was tried.
 */
export const inScript: readonly string[] = ['edge-light', 'fastly', 'react-native'];

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

const twin = (name: string): [string, Entry] => [`${name}/js`, { module: `entries/js/${name}` }];

/** The entries by the path after the package's name, sorted by it. */
export const modules: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  ['', { module: 'index', workerd: 'entries/workerd/index', script: 'entries/js/index' }],
  ...[
    ['js', { module: 'entries/js/index' }] as const,
    ...filterEntries.flatMap(({ name }): [string, Entry][] => [
      [name, { module: `entries/${name}`, workerd: `entries/workerd/${name}`, script: `entries/js/${name}` }],
      twin(name),
    ]),
    ...otherEntries.flatMap((row): [string, Entry][] => {
      const { name, runsKernel, hasTwin } = row;
      const workerd = runsKernel ? { workerd: `entries/workerd/${name}` } : {};
      const script = runsInScript(row) ? { script: `entries/js/${name}` } : {};
      return [[name, { module: `entries/${name}`, ...workerd, ...script }], ...(hasTwin ? [twin(name)] : [])];
    }),
  ].sort(byName),
]);
