import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/equality.ts'],
    reporters: './tools/reporter.ts',
    testTimeout: 60_000,
    // By default, vitest leaves one processor to others, of two.
    maxWorkers: '100%',
  },
});
