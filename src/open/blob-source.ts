import { isObject, mustBe } from '../util/checks/validate.ts';
import { type RangeSource, SourceError } from './source.ts';

/**
 * Makes a source of ranges of a `Blob` or `File`, such as one that the user chose, for `openFilter`.
 *
 * A read rejects with a SourceError if the file has changed since it was chosen, as far as the runtime notices that.
 *
 * @throws TypeError for anything else
 */
export function blobSource(blob: Blob): RangeSource {
  if (!isObject(blob) || !('slice' in blob) || !('arrayBuffer' in blob)) {
    throw new TypeError(mustBe('blob', 'a Blob or File', blob));
  }
  return {
    size: blob.size,
    async read(offset, length) {
      try {
        return new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer());
      } catch (cause) {
        throw new SourceError('CHANGED', 'the file can no longer be read: it was changed or removed', { cause });
      }
    },
  };
}
