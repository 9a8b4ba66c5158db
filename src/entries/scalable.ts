export type { ScalableBloomFilterOptions } from '../kinds/scalable/filter.ts';
export { ScalableBloomFilter } from '../kinds/scalable/wasm.ts';
export { FilterFullError, type FilterFullErrorCode } from '../util/checks/errors.ts';
