export type { DLeftCountingBloomFilterOptions } from '../../kinds/dleft/filter.ts';
export { DLeftCountingBloomFilter } from '../../kinds/dleft/js.ts';
export { expectedDLeftErrorRate, optimalDLeftBuckets, optimalDLeftRemainderBits } from '../../kinds/dleft/sizing.ts';
export { FilterFullError, type FilterFullErrorCode } from '../../util/checks/errors.ts';
