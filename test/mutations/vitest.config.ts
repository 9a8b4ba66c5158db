import { defineConfig } from 'vitest/config';
export default defineConfig({
  test: {
    include: (process.env['MUTATION_TESTS'] ?? 'test/**/*.test.ts').split(','),
    setupFiles: ['test/shared/equality.ts'],
    testTimeout: 60_000,
  },
});
