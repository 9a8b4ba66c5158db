// The kinds that are made of a capacity and an error rate, and of no other size.

import { optimalBlocks } from 'bloomery';
import { optimalStableSize } from 'bloomery/stable';
import type { KindRow } from './kind-row.ts';
import { classicRate, classicShape, LEAST_OF_HASHES, LONG_HEADER } from './sized-kinds.ts';

/** The library's default. */
const TIGHTENING = 0.7;
const LANES = 4;
/** A slice for fewer keys takes as many bits as a slice for this many. */
const LEAST_KEYS = 1000;

/** Slices are padded to whole cache lines. */
const LINE_BITS = 512;
const BLOCK_BITS = 256;
/** The header of a scalable filter of one slice. */
const HEADER_WITH_SLICE = 192;

/** The share of the keys that a tombstone filter is shown for: about where a new base would be better. */
export const REMOVED_SHARE = 0.01;

const common = {
  choosesHashes: false,
  mostKeys: Number.MAX_SAFE_INTEGER,
  buildBits: 0,
} as const;

export const scalable: KindRow = {
  ...common,
  kind: 'scalable',
  className: 'ScalableBloomFilter',
  entry: 'bloomery/scalable',
  anchor: 'growing',
  hasCommand: true,
  bestFor: 'keys of an unknown number: it grows',
  why: 'It grows with its keys, and keeps its error rate. This is its size before it does: the capacity is a first guess.',
  formula:
    'slices of classic filters: the first for n keys at 0.3 · p, each further one for twice as many at 0.7 of that',
  past: 'grows',
  removes: false,
  lines: (hashes) => `up to ${hashes} a slice`,
  leastRate: LEAST_OF_HASHES / (1 - TIGHTENING),
  headerBytes: HEADER_WITH_SLICE,
  shapeFor(capacity, errorRate) {
    const { cells, hashes } = classicShape(Math.max(capacity, LEAST_KEYS), errorRate * (1 - TIGHTENING));
    return { cells: LINE_BITS * Math.ceil(cells / LINE_BITS), cellBits: 1, hashes };
  },
};

export const rotating: KindRow = {
  ...common,
  kind: 'rotating',
  className: 'RotatingBloomFilter',
  entry: 'bloomery/rotating',
  anchor: 'forgetting',
  hasCommand: true,
  redis: { className: 'RotatingRedisBloomFilter', isSame: false },
  bestFor: 'the latest keys only: it forgets the oldest',
  why: 'It remembers at least the latest keys, as many as its capacity, and forgets older ones. Its size stays.',
  formula: 'four lanes of a blocked filter, each for n/3 keys at 1 − (1 − p)^¼',
  past: 'forgets',
  removes: false,
  lines: () => '4',
  leastRate: LANES / 1e5,
  rarer: 'scalable',
  headerBytes: LONG_HEADER,
  shapeFor(capacity, errorRate) {
    const rateOfLane = -Math.expm1(Math.log1p(-errorRate) / LANES);
    const blocks = optimalBlocks(Math.ceil(capacity / (LANES - 1)), rateOfLane);
    return { cells: LANES * blocks * BLOCK_BITS, cellBits: 1, hashes: 8 };
  },
};

export const stable: KindRow = {
  ...common,
  kind: 'stable',
  className: 'StableBloomFilter',
  entry: 'bloomery/stable',
  anchor: 'stable',
  hasCommand: true,
  bestFor: 'streams where missing some duplicates is fine: it forgets at random',
  why: 'It forgets any key: of those that came so many keys ago, it remembers nine of ten. A rotating one does better.',
  formula: 'cells of 2 bits, so many that nine of ten keys are remembered n additions later',
  past: 'forgets',
  removes: false,
  lines: (hashes) => `up to ${hashes}`,
  leastRate: LEAST_OF_HASHES,
  isDrawnAlone: true,
  leavesPlot: true,
  headerBytes: LONG_HEADER,
  shapeFor(capacity, errorRate) {
    const { cells, cellBits, hashes } = optimalStableSize(capacity, errorRate);
    return { cells, cellBits, hashes };
  },
};

export const tombstone: KindRow = {
  ...common,
  kind: 'tombstone',
  className: 'TombstoneFilter',
  entry: 'bloomery/tombstone',
  anchor: 'removing-from-any-kind',
  hasCommand: false,
  bestFor: 'removing a few keys, from a filter of any kind',
  why: 'It stands around a filter of any other kind, here a classic one, and keeps the removed keys: here 1 % of all.',
  formula: 'the bits of its base, and for each removed key 16 bytes in a file and 32 to 64 in memory',
  past: 'errs',
  removes: true,
  lines: (hashes) => `up to ${hashes + 1}`,
  leastRate: LEAST_OF_HASHES,
  isDrawnAlone: true,
  headerBytes: LONG_HEADER + 64,
  code: (options) =>
    `const filter = new TombstoneFilter(new BloomFilter(${options}));\nfilter.add('ada');\nfilter.remove('ada');\nfilter.has('ada'); // false`,
  shapeFor: (capacity, errorRate) => ({
    ...classicShape(capacity, errorRate),
    removed: Math.ceil(REMOVED_SHARE * capacity),
  }),
  rateAt: classicRate,
};
