export type { FingerprintSetOptions } from '../kinds/fingerprint-set/filter.ts';
export { FingerprintSet, useFingerprintSetKernel } from '../kinds/fingerprint-set/wasm.ts';
export { FilterFullError, type FilterFullErrorCode } from '../util/checks/errors.ts';
