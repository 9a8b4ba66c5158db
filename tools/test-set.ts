// The test files that `npm test` leaves out, so that it needs only Node and takes a few minutes. `npm run test:all`
// runs everything, and so does `npm test` if CI=true.

/** Patterns of their paths, and what is said of them, after `tests that`. */
export const leftOut: Readonly<Record<string, string>> = {
  'test/redis/*.test.ts': 'need redis-server, and one of them valkey-server',
  '**/*.slow.test.ts': 'install other packages, bundlers, frameworks and older compilers, or take long',
};

/** Commands that only some tests call. A run of everything fails at once if one is missing. */
export const commands: Readonly<Record<string, string>> = {
  'redis-server': 'on Debian: apt-get install redis-server',
  'redis-cli': 'on Debian: apt-get install redis-tools',
  'valkey-server': 'on Debian 12: apt-get install -t bookworm-backports valkey-server',
};

/** Whether a run of vitest in this mode leaves those tests out. */
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
