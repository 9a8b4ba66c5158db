export type { CuckooFilterOptions } from '../kinds/cuckoo/filter.ts';
export { expectedCuckooErrorRate, optimalCuckooBuckets, optimalCuckooFingerprintBits } from '../kinds/cuckoo/sizing.ts';
export { CuckooFilter, useCuckooKernel } from '../kinds/cuckoo/wasm.ts';
export { FilterFullError, type FilterFullErrorCode } from '../util/checks/errors.ts';
