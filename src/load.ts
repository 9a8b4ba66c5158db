export { SavedFilterError, type SavedFilterErrorCode } from './checks/errors.ts';
export { type LoadableClass, loadAny } from './filters/load.ts';
