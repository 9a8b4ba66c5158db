// What a saved fuse filter consists of: its parameters, written, read and checked.

import { type FileKind, requireSaved, requireZeros } from '../../format/header.ts';
import { cellsIn, type FuseLayout, MAX_BITS, MAX_CELLS, MAX_EXPONENT, MIN_EXPONENT } from './sizing.ts';

/** The most attempts at building a filter. */
export const MAX_ATTEMPTS = 64;

/** The kind's own parameters. */
export interface FuseParameters extends FuseLayout {
  /** The number of the attempt at building that succeeded, from 0. */
  readonly attempt: number;
  /** The number of distinct keys. */
  readonly count: number;
}

/** The bytes of the kind's own parameters in a file. */
export const FUSE_BYTES = 24;
/** The number of cells that a key has. */
export const CELLS_PER_KEY = 3;

/** The share of absent keys that look present, in a filter of `count` keys. */
export function errorRateOf(count: number, bits: number): number {
  return count && 2 ** -bits;
}

/** Whether these parameters are valid. If so, no key has a cell beyond the last one. */
function areValid({ exponent, segments, attempt, count }: FuseParameters): boolean {
  const cellCount = cellsIn({ exponent, segments });
  return (
    exponent >= MIN_EXPONENT &&
    exponent <= MAX_EXPONENT &&
    segments > 0 &&
    cellCount <= MAX_CELLS &&
    attempt < MAX_ATTEMPTS &&
    count <= cellCount
  );
}

/** Writes the parameters of a filter at an offset. */
export function writeFuse(view: DataView, at: number, { exponent, segments, attempt, count }: FuseParameters): void {
  view.setUint32(at, exponent, true);
  view.setUint32(at + 4, segments, true);
  view.setUint32(at + 8, attempt, true);
  view.setBigUint64(at + 16, BigInt(count), true);
}

/**
 * Reads the parameters of a filter at an offset.
 *
 * @param isRight whether valid ones are right for the file
 * @throws SavedFilterError if they are not valid, or not right
 */
export function readFuse(view: DataView, at: number, isRight: (own: FuseParameters) => boolean): FuseParameters {
  const own = {
    exponent: view.getUint32(at, true),
    segments: view.getUint32(at + 4, true),
    attempt: view.getUint32(at + 8, true),
    count: Number(view.getBigUint64(at + 16, true)),
  };
  const holds = areValid(own) && view.getUint32(at + 12, true) === 0 && isRight(own);
  requireSaved(holds, `its parameters are ${Object.values(own)}`);
  return own;
}

export const FUSE_FILE: FileKind<FuseParameters> = {
  id: 10,
  name: 'fuse',
  cellName: 'cells',
  cellBits: [1, MAX_BITS],
  allows: ({ hashes }) => hashes === CELLS_PER_KEY,
  own: {
    maxSegments: 1,
    byteLength: () => FUSE_BYTES,
    write: (view, own: FuseParameters) => writeFuse(view, 0, own),
    read(view, { parameters: { cellCount, capacity, errorRate }, cellBits }) {
      requireZeros(view, FUSE_BYTES);
      return readFuse(
        view,
        0,
        (own) => cellCount === cellsIn(own) && capacity === own.count && errorRate === errorRateOf(own.count, cellBits),
      );
    },
  },
};
