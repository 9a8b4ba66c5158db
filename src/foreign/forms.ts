import { SavedFilterError } from '../util/checks/errors.ts';

/** What bytes may be in place of a filter, by how they begin. */
const FORMS: Readonly<Record<string, string>> = {
  BLMY: "a filter in the package's own format",
  '\x1f\x8b': 'a gzipped file',
  '\xac\xed': 'a serialized Java object, and not what writeTo writes',
  PK: 'a ZIP archive',
  'version ': 'a Git LFS pointer',
  '<': 'HTML or XML',
  '{': 'a JSON object',
  '[': 'a JSON array',
};

/** Reads bytes. If they are refused, the error says what they look like. */
export function readAs<T>(bytes: Uint8Array, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const start = String.fromCharCode(...bytes.subarray(0, 8));
    const found = Object.keys(FORMS).find((beginning) => start.startsWith(beginning));
    if (!(error instanceof SavedFilterError) || found === undefined) throw error;
    throw new SavedFilterError(`${error.reason}; they look like ${FORMS[found]}`, error.code);
  }
}
