export type { ShardedFuseFilterOptions } from '../kinds/fuse/sharded/filter.ts';
export { optimalFuseShards } from '../kinds/fuse/sharded/sizing.ts';
export { ShardedFuseFilter, useShardedFuseKernel } from '../kinds/fuse/sharded/wasm.ts';
export type { ShardedSize } from '../kinds/fuse/sizing.ts';
