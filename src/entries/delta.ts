export { diff, patch } from '../delta/delta.ts';
export { SavedFilterError, type SavedFilterErrorCode } from '../util/checks/errors.ts';
