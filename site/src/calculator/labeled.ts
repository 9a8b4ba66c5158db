// The kinds whose keys have labels. The calculator shows only the size for one number of labels.

import { LEAST_OF_HASHES, rowNamed, type SizedKind } from './kinds.ts';

/** Labels up to this one are shown. */
export const LABELS = 255;
/** The bits of a cell that holds one of them. */
const LABEL_BITS = 8;

export const labeledKinds: readonly SizedKind[] = [
  {
    kind: 'spatial',
    bestFor: `which of ${LABELS} sets a key is in`,
    leastRate: LEAST_OF_HASHES,
    buildBits: 0,
    shapeFor(capacity, errorRate) {
      const { cells, hashes } = rowNamed('classic').shapeFor(capacity, errorRate);
      return { cells, cellBits: LABEL_BITS, hashes };
    },
  },
];
