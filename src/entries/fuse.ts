export type { BinaryFuseFilterOptions } from '../kinds/fuse/filter.ts';
export { optimalFuseCells, optimalFuseFingerprintBits } from '../kinds/fuse/sizing.ts';
export { BinaryFuseFilter, useFuseKernel } from '../kinds/fuse/wasm.ts';
