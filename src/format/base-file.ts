import { SavedFilterError, type SavedFilterErrorCode } from '../checks/errors.ts';
import { PIECE_BYTES } from './checksum.ts';
import type { BaseFile } from './header.ts';
import { type Choose, Loader } from './load.ts';

/** What is wrong with the file of a base, whoever wrote it. Other codes say that the file around it is damaged. */
const KEPT: readonly SavedFilterErrorCode[] = ['KIND', 'VERSION'];

/** Runs a step of loading a base. Its errors say so. */
function ofBase<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof SavedFilterError)) throw error;
    const { reason, code, kind } = error;
    throw new SavedFilterError(`its base cannot be loaded: ${reason}`, KEPT.includes(code) ? code : 'DAMAGED', kind);
  }
}

/**
 * Takes the file of a filter in the body of another, and loads it.
 *
 * @param choose how to read the file
 * @param length its byte length
 * @param isWhole whether all of it is at hand
 */
export function openBaseFile(choose: Choose<unknown>, length: number, isWhole: boolean): BaseFile {
  const loader = new Loader(choose, isWhole ? length : undefined);
  const piece = new Uint8Array(Math.min(PIECE_BYTES, length));
  let [start, end] = [0, 0];
  const load = (): void => ofBase(() => loader.push(piece.subarray(0, end - start)));
  return {
    byteLength: length,
    commit(next) {
      if (next === end) return;
      load();
      [start, end] = [end, next];
    },
    view: (from, to) => piece.subarray(from - start, to - start),
    end() {
      load();
      return ofBase(() => loader.end());
    },
    close: () => loader.close(),
  };
}
