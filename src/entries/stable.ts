export type { StableBloomFilterOptions } from '../kinds/stable/filter.ts';
export { expectedStableErrorRate, optimalStableDecrements, optimalStableSize } from '../kinds/stable/sizing.ts';
export { StableBloomFilter, useStableKernel } from '../kinds/stable/wasm.ts';
