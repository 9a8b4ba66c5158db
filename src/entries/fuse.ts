export type { BinaryFuseFilterOptions } from '../kinds/fuse/filter.ts';
export type { FuseSize } from '../kinds/fuse/sizing.ts';
export { optimalFuseCells, optimalFuseFingerprintBits } from '../kinds/fuse/sizing.ts';
export { BinaryFuseFilter, useFuseKernel } from '../kinds/fuse/wasm.ts';
