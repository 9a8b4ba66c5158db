export type { CuckooFilterOptions } from '../../kinds/cuckoo/filter.ts';
export { CuckooFilter } from '../../kinds/cuckoo/js.ts';
export {
  expectedCuckooErrorRate,
  optimalCuckooBuckets,
  optimalCuckooFingerprintBits,
} from '../../kinds/cuckoo/sizing.ts';
export { FilterFullError, type FilterFullErrorCode } from '../../util/checks/errors.ts';
