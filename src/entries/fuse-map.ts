export type { ShardedSize } from '../kinds/fuse/sizing.ts';
export type { FuseMapOptions } from '../kinds/fuse-map/filter.ts';
export type { MapValues } from '../kinds/fuse-map/values.ts';
export { FuseMap, useFuseMapKernel } from '../kinds/fuse-map/wasm.ts';
