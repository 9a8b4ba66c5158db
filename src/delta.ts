export { SavedFilterError, type SavedFilterErrorCode } from './checks/errors.ts';
export { diff, patch } from './delta/delta.ts';
