import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    reporters: './tools/reporter.ts',
    testTimeout: 60_000,
    // One more than there are processors, because some tests wait for servers or for time to pass.
    maxWorkers: availableParallelism() + 1,
  },
});
