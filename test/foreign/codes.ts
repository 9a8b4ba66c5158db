import { SavedFilterError } from '../../src/index.ts';

/** The code of the error for bytes that are refused; undefined if they are not. */
export function codeOf(load: () => unknown): string | undefined {
  try {
    load();
  } catch (error) {
    if (error instanceof SavedFilterError) return error.code;
    throw error;
  }
  return undefined;
}
