// The test files that `npm test` leaves out, so that it needs only Node and takes a few minutes. `npm run test:all`
// runs everything, and so does `npm test` if CI=true.

import { readdirSync } from 'node:fs';

export interface Group {
  /** Completes the last lines of `npm test`, after the number of files. */
  readonly why: string;
  /** Paths of files, and of folders with all files directly in them. */
  readonly paths: readonly string[];
}

export const groups: readonly Group[] = [
  { why: 'need redis-server, and one of them valkey-server', paths: ['test/redis'] },
  {
    why: 'install other packages, bundlers, frameworks and older compilers, or take long',
    paths: [
      'test/cli/interrupted.test.ts',
      'test/cli/threads.test.ts',
      'test/docs/api-index.test.ts',
      'test/docs/examples.test.ts',
      'test/docs/snippets.test.ts',
      'test/filters/deoptimize.test.ts',
      'test/filters/memory-refused.test.ts',
      'test/filters/memory.test.ts',
      'test/foreign/guava.test.ts',
      'test/foreign/spark.test.ts',
      'test/format/changed.test.ts',
      'test/format/own-parameters.test.ts',
      'test/format/tombstone.test.ts',
      'test/fuzz/fuzz.test.ts',
      'test/guard/model.test.ts',
      'test/kinds/bits.test.ts',
      'test/kinds/rates.test.ts',
      'test/migrate/snippets.test.ts',
      'test/node/disk/build-on-disk.test.ts',
      'test/node/parallel/build-parallel.test.ts',
      'test/node/vite/plugin.test.ts',
      'test/open/every-kind.test.ts',
      'test/package/bundlers.test.ts',
      'test/package/package.test.ts',
      'test/package/runners.test.ts',
      'test/package/types.test.ts',
    ],
  },
];

/** Commands that only some tests call. A run of everything fails at once if one is missing. */
export const commands: Readonly<Record<string, string>> = {
  'redis-server': 'on Debian: apt-get install redis-server',
  'redis-cli': 'on Debian: apt-get install redis-tools',
  'valkey-server': 'on Debian 12: apt-get install -t bookworm-backports valkey-server',
};

/** Whether a run of vitest in this mode leaves these groups out. */
export function isShort(mode: string): boolean {
  return mode === 'short' && process.env['CI'] !== 'true';
}

/** Whether a run of vitest in this mode must run everything, not only the files that were asked for. */
export function isWhole(mode: string): boolean {
  return mode === 'all' || (mode === 'short' && !isShort(mode));
}

/** The folders with the tests of a run of vitest in this mode. Those of the site need its packages. */
export function foldersOf(mode: string): string[] {
  if (mode === 'site') return ['site/test'];
  return isShort(mode) || isWhole(mode) ? ['test'] : ['test', 'site/test'];
}

/** The test files of a group. */
export function filesOf({ paths }: Group): string[] {
  return paths.flatMap((path) =>
    path.endsWith('.test.ts')
      ? [path]
      : readdirSync(path)
          .filter((name) => name.endsWith('.test.ts'))
          .map((name) => `${path}/${name}`),
  );
}
