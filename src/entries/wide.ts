export type { WideBlockedBloomFilterOptions } from '../kinds/wide/filter.ts';
export { expectedWideBlockedErrorRate, optimalWideBlocks } from '../kinds/wide/sizing.ts';
export { useWideKernel, WideBlockedBloomFilter } from '../kinds/wide/wasm.ts';
