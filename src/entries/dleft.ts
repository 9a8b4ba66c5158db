export type { DLeftCountingBloomFilterOptions } from '../kinds/dleft/filter.ts';
export { expectedDLeftErrorRate, optimalDLeftBuckets, optimalDLeftRemainderBits } from '../kinds/dleft/sizing.ts';
export { DLeftCountingBloomFilter, useDleftKernel } from '../kinds/dleft/wasm.ts';
export { FilterFullError, type FilterFullErrorCode } from '../util/checks/errors.ts';
