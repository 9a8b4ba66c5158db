export { type LoadableClass, loadAny } from '../filters/load.ts';
export { SavedFilterError, type SavedFilterErrorCode } from '../util/checks/errors.ts';
