export type { StableBloomFilterOptions } from '../../kinds/stable/filter.ts';
export { StableBloomFilter } from '../../kinds/stable/js.ts';
export { expectedStableErrorRate, optimalStableDecrements, optimalStableSize } from '../../kinds/stable/sizing.ts';
