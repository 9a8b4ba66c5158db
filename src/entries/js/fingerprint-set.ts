export type { FingerprintSetOptions } from '../../kinds/fingerprint-set/filter.ts';
export { FingerprintSet } from '../../kinds/fingerprint-set/js.ts';
export { FilterFullError, type FilterFullErrorCode } from '../../util/checks/errors.ts';
