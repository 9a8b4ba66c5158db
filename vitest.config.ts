import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', './tools/reporter.ts'],
    testTimeout: 60_000,
  },
});
