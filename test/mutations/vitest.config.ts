import { configDefaults, defineConfig } from 'vitest/config';

/** What StrykerJS runs for each mutant: the tests that `stryker.ts` names. */
export default defineConfig({
  test: {
    include: (process.env['MUTATION_TESTS'] ?? '').split('\n'),
    // They are about documents, which are not in the copy.
    exclude: [...configDefaults.exclude, '**/snippets.test.ts', '**/milvus.test.ts'],
    setupFiles: ['test/shared/equality.ts'],
    testTimeout: 60_000,
  },
});
