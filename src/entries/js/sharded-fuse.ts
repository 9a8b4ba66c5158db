export type { ShardedFuseFilterOptions } from '../../kinds/fuse/sharded/filter.ts';
export { ShardedFuseFilter } from '../../kinds/fuse/sharded/js.ts';
export { optimalFuseShards } from '../../kinds/fuse/sharded/sizing.ts';
