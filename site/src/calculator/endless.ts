// The kinds that keep their error rate in a stream without end. They are made of several filters, so the calculator
// shows how large they are at first, and no more.

import { optimalBlocks } from 'bloomery';
import { LEAST_OF_HASHES, rowNamed, type SizedKind } from './kinds.ts';

/** What the library takes by default. */
const TIGHTENING = 0.7;
const LANES = 4;

/** Slices are padded to cache lines. */
const LINE_BITS = 512;
const BLOCK_BITS = 256;

export interface EndlessKind extends SizedKind {
  readonly className: string;
}

export const endlessKinds: readonly EndlessKind[] = [
  {
    kind: 'scalable',
    className: 'ScalableBloomFilter',
    bestFor: 'keys of an unknown number: it grows',
    leastRate: LEAST_OF_HASHES / (1 - TIGHTENING),
    buildBits: 0,
    shapeFor(capacity, errorRate) {
      const { cells, hashes } = rowNamed('classic').shapeFor(capacity, errorRate * (1 - TIGHTENING));
      return { cells: LINE_BITS * Math.ceil(cells / LINE_BITS), cellBits: 1, hashes };
    },
  },
  {
    kind: 'rotating',
    className: 'RotatingBloomFilter',
    bestFor: 'the latest keys only: it forgets the oldest',
    leastRate: LANES / 1e5,
    buildBits: 0,
    shapeFor(capacity, errorRate) {
      const rateOfLane = -Math.expm1(Math.log1p(-errorRate) / LANES);
      const blocks = optimalBlocks(Math.ceil(capacity / (LANES - 1)), rateOfLane);
      return { cells: LANES * blocks * BLOCK_BITS, cellBits: 1, hashes: 8 };
    },
  },
];
