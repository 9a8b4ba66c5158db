// What a saved fuse filter consists of: its parameters, written, read and checked.

import { type FileKind, type Head, requireSaved, requireZeros } from '../format/header.ts';
import { cellsIn, type FuseLayout, MAX_BITS, MAX_CELLS, MAX_EXPONENT, MIN_EXPONENT } from './fuse-sizing.ts';

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
const OWN_BYTES = 24;
/** The number of cells that a key has. */
export const CELLS_PER_KEY = 3;

/** The share of absent keys that look present, in a filter of `count` keys. */
export function errorRateOf(count: number, bits: number): number {
  return count && 2 ** -bits;
}

/** Whether these parameters are valid. If so, no key has a cell behind the last one. */
function isValid({ parameters, cellBits }: Head, { exponent, segments, attempt, count }: FuseParameters): boolean {
  const { cellCount, capacity, errorRate } = parameters;
  return (
    exponent >= MIN_EXPONENT &&
    exponent <= MAX_EXPONENT &&
    segments > 0 &&
    cellCount === cellsIn({ exponent, segments }) &&
    cellCount <= MAX_CELLS &&
    attempt < MAX_ATTEMPTS &&
    count <= cellCount &&
    capacity === count &&
    errorRate === errorRateOf(count, cellBits)
  );
}

export const FUSE_FILE: FileKind<FuseParameters> = {
  id: 10,
  name: 'fuse',
  cellName: 'cells',
  cellBits: [1, MAX_BITS],
  allows: ({ hashes }) => hashes === CELLS_PER_KEY,
  own: {
    maxSegments: 1,
    byteLength: () => OWN_BYTES,
    write(view, { exponent, segments, attempt, count }: FuseParameters) {
      view.setUint32(0, exponent, true);
      view.setUint32(4, segments, true);
      view.setUint32(8, attempt, true);
      view.setBigUint64(16, BigInt(count), true);
    },
    read(view, head) {
      requireZeros(view, OWN_BYTES);
      const own = {
        exponent: view.getUint32(0, true),
        segments: view.getUint32(4, true),
        attempt: view.getUint32(8, true),
        count: Number(view.getBigUint64(16, true)),
      };
      requireSaved(isValid(head, own) && view.getUint32(12, true) === 0, `its parameters are ${Object.values(own)}`);
      return own;
    },
  },
};
