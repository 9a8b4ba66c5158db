export {
  type BloomAssetsContext,
  type BloomAssetsOptions,
  type BloomAssetsPlugin,
  bloomAssets,
} from '../node/vite/plugin.ts';
