// Bundles a module with Metro, as an app of React Native does, but without what React Native itself adds to the global
// object: `node bundle.js PROJECT ENTRY OUT`.

import { getDefaultConfig, mergeConfig } from '@react-native/metro-config';
import Metro from 'metro';

const [, , project, entry, out] = process.argv;

const config = mergeConfig(getDefaultConfig(project), {
  maxWorkers: 1,
  reporter: { update() {} },
  resetCache: true,
  // Metro itself is not installed in the project.
  watchFolders: [project, import.meta.dirname],
  serializer: { getModulesRunBeforeMainModule: () => [], getPolyfills: () => [] },
  transformer: { enableBabelRuntime: false },
});
await Metro.runBuild(config, { entry, out, dev: false, minify: false, platform: 'android' });
