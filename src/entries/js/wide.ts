export type { WideBlockedBloomFilterOptions } from '../../kinds/wide/filter.ts';
export { WideBlockedBloomFilter } from '../../kinds/wide/js.ts';
export { expectedWideBlockedErrorRate, optimalWideBlocks } from '../../kinds/wide/sizing.ts';
