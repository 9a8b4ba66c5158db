export type { BinaryFuseFilterOptions } from '../../kinds/fuse/filter.ts';
export { BinaryFuseFilter } from '../../kinds/fuse/js.ts';
export { optimalFuseCells, optimalFuseFingerprintBits } from '../../kinds/fuse/sizing.ts';
