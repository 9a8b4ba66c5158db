// The kinds that keep their error rate in an endless stream. The calculator shows only their initial size.

import { optimalBlocks } from 'bloomery';
import { optimalStableSize } from 'bloomery/stable';
import { LEAST_OF_HASHES, rowNamed, type SizedKind } from './kinds.ts';

/** The library's default. */
const TIGHTENING = 0.7;
const LANES = 4;
/** A slice for fewer keys takes as many bits as a slice for this many. */
const LEAST_KEYS = 1000;

/** Slices are padded to whole cache lines. */
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
      const keys = Math.max(capacity, LEAST_KEYS);
      const { cells, hashes } = rowNamed('classic').shapeFor(keys, errorRate * (1 - TIGHTENING));
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
  {
    kind: 'stable',
    className: 'StableBloomFilter',
    bestFor: 'streams where missing some duplicates is fine: it forgets at random',
    leastRate: LEAST_OF_HASHES,
    buildBits: 0,
    leavesPlot: true,
    shapeFor(capacity, errorRate) {
      const { cells, cellBits, hashes } = optimalStableSize(capacity, errorRate);
      return { cells, cellBits, hashes };
    },
  },
];
