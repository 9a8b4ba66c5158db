import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { foldersOf, isShort, isWhole, leftOut } from './tools/test-set.ts';

export default defineConfig(({ mode }) => {
  const absent = isShort(mode) ? leftOut : {};
  const onlyNode20 = process.version.startsWith('v20.') ? [] : ['test/filters/deoptimize.slow.test.ts'];
  return {
    test: {
      include: foldersOf(mode).map((folder) => `${folder}/**/*.test.ts`),
      exclude: [...configDefaults.exclude, ...Object.keys(absent), ...onlyNode20],
      globalSetup: isWhole(mode) ? ['test/everything.ts'] : [],
      setupFiles: ['test/shared/equality.ts'],
      // Mocks and stubs are undone before each test, so that tests need not do it, and one that fails leaves none.
      restoreMocks: true,
      unstubGlobals: true,
      unstubEnvs: true,
      reporters: [['./tools/reporter.ts', { leftOut: Object.values(absent) }]],
      testTimeout: 60_000,
      // One more than there are processors, because many tests wait for servers and other programs.
      maxWorkers: availableParallelism() + 1,
    },
  };
});
