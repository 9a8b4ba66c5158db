import { defineConfig } from 'vitest/config';

/** What StrykerJS runs for each mutant: the tests that `stryker.ts` names. */
export default defineConfig({
  test: {
    include: (process.env['MUTATION_TESTS'] ?? '').split('\n'),
    setupFiles: ['test/shared/equality.ts'],
    testTimeout: 60_000,
  },
});
