import { resolve } from 'node:path';
import { configDefaults, defineConfig, type Plugin } from 'vitest/config';

const src = resolve('src');

/** Threads run what was built, also those that the code in `src` starts. */
const builtThreads: Plugin = {
  name: 'built-threads',
  transform: (code, id) =>
    id.includes('/src/node/parallel/')
      ? code.replaceAll(/\.(?=\/(?:shard-)?worker\.js\b)/g, '../../../dist/node/parallel')
      : undefined,
};

/** What StrykerJS runs for each mutant: the tests that `stryker.ts` names. */
export default defineConfig({
  plugins: [builtThreads],
  // Tests of threads import the package by its name. Here, they get the code that is mutated.
  resolve: {
    alias: [
      { find: /^bloomery$/, replacement: `${src}/index.ts` },
      { find: /^bloomery\/js$/, replacement: `${src}/entries/js/index.ts` },
      { find: /^bloomery\/([\w-]+)$/, replacement: `${src}/entries/$1.ts` },
    ],
  },
  test: {
    include: (process.env['MUTATION_TESTS'] ?? '').split('\n'),
    // They are about documents, which are not in the copy.
    exclude: [...configDefaults.exclude, '**/snippets?(.slow).test.ts', '**/milvus.test.ts'],
    setupFiles: ['test/shared/equality.ts'],
    restoreMocks: true,
    unstubGlobals: true,
    unstubEnvs: true,
    testTimeout: 60_000,
  },
});
