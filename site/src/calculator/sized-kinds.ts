// The kinds that can be made of a size: of a number of bits, counters or buckets.

import { expectedBlockedErrorRate, expectedErrorRate, optimalBits, optimalBlocks, optimalHashes } from 'bloomery';
import { expectedCuckooErrorRate, optimalCuckooBuckets, optimalCuckooFingerprintBits } from 'bloomery/cuckoo';
import { expectedDLeftErrorRate, optimalDLeftBuckets, optimalDLeftRemainderBits } from 'bloomery/dleft';
import { optimalFuseCells, optimalFuseFingerprintBits } from 'bloomery/fuse';
import { expectedWideBlockedErrorRate, optimalWideBlocks } from 'bloomery/wide';
import type { KindRow, Shape } from './kind-row.ts';
import { smallest } from './search.ts';

const MAX_HASHES = 255;
export const LEAST_OF_HASHES = 2 ** -MAX_HASHES;
/** The header of a saved file, without and with parameters of the kind. */
const HEADER = 64;
export const LONG_HEADER = 128;
/** The slots of a bucket of a cuckoo filter, and the largest capacity. */
const BUCKET_SLOTS = 4;
const MOST_IN_CUCKOO = 4_080_218_912;
/** The least error rate: a key is compared with all slots of two buckets, with fingerprints of 32 bits. */
const LEAST_OF_CUCKOO = (2 * BUCKET_SLOTS) / 2 ** 32;
/** The cells of one bucket in each table of a d-left counting filter, and the largest capacity. */
const KEY_CELLS = 32;
const MOST_IN_DLEFT = 3_221_225_466;
/** The least error rate: three quarters of these cells are in use, with remainders of 30 bits. */
const LEAST_OF_DLEFT = (0.75 * KEY_CELLS) / 2 ** 30;
/** The bits of a cell besides the remainder. */
const COUNT_BITS = 2;
/** Building a fuse filter takes 13 bytes for each cell. */
const BITS_TO_BUILD_FUSE = 8 * 13;
/** The factor by which a filter may exceed its promised error rate, as in the library. */
export const TOLERANCE = 1.005;

/** Labels up to this one are shown, which take 8 bits each. */
export const LABELS = 255;
const LABEL_BITS = 8;

/** The cells of a classic filter: the textbook's number, or more if that is too small. */
function classicCells(capacity: number, errorRate: number, hashes: number, least: number): number {
  return smallest(least, (cells) => expectedErrorRate(capacity, cells, hashes) <= TOLERANCE * errorRate);
}

export function classicShape(capacity: number, errorRate: number, given?: number): Shape {
  const best = optimalBits(capacity, errorRate);
  const hashes = given ?? optimalHashes(capacity, best);
  return { cells: classicCells(capacity, errorRate, hashes, best), cellBits: 1, hashes };
}

export const classicRate = (count: number, { cells, hashes }: Shape): number => expectedErrorRate(count, cells, hashes);

/** What all kinds have in common that have independent cells, and hashes to choose. */
function ofCells(cellBits: number, options: (shape: Shape) => Readonly<Record<string, number>>) {
  return {
    choosesHashes: true,
    past: 'errs',
    lines: (hashes: number) => `up to ${hashes}`,
    mostKeys: Number.MAX_SAFE_INTEGER,
    leastRate: LEAST_OF_HASHES,
    buildBits: 0,
    shapeFor: (capacity: number, errorRate: number, given?: number): Shape => ({
      ...classicShape(capacity, errorRate, given),
      cellBits,
    }),
    rateAt: classicRate,
    sizing: {
      shapeOf(bits: number, capacity: number, given?: number): Shape {
        const cells = Math.max(1, Math.floor(bits / cellBits));
        return { cells, cellBits, hashes: given ?? Math.min(MAX_HASHES, optimalHashes(capacity, cells)) };
      },
      options,
    },
  } as const;
}

/** What kinds have in common that keep all bits of a key in one block. */
function ofBlocks(
  blockBits: number,
  hashes: number,
  blocksFor: (capacity: number, errorRate: number) => number,
  expected: (count: number, bits: number) => number,
) {
  return {
    choosesHashes: false,
    past: 'errs',
    removes: false,
    lines: () => '1',
    mostKeys: Number.MAX_SAFE_INTEGER,
    buildBits: 0,
    headerBytes: HEADER,
    shapeFor: (capacity: number, errorRate: number): Shape => ({
      cells: blocksFor(capacity, errorRate) * blockBits,
      cellBits: 1,
      hashes,
    }),
    rateAt: (count: number, { cells }: Shape): number => expected(count, cells),
    sizing: {
      shapeOf: (bits: number): Shape => ({
        cells: Math.max(1, Math.floor(bits / blockBits)) * blockBits,
        cellBits: 1,
        hashes,
      }),
      options: ({ cells }: Shape) => ({ bits: cells }),
    },
  } as const;
}

/** Cells as wide as `bits` allow, within the limits of the kind. */
function widthIn(bits: number, cells: number, least: number): number {
  return Math.min(32, Math.max(least, Math.floor(bits / cells)));
}

/** What kinds have in common that store a part of a key's hash in a cell of a bucket. */
function ofBuckets({
  bucketCells,
  hashes,
  otherBits,
  leastBits,
  bucketsFor,
  bitsFor,
  expected,
  options,
}: {
  readonly bucketCells: number;
  readonly hashes: number;
  /** The bits of a cell besides those of the hash, and the fewest of the hash. */
  readonly otherBits: number;
  readonly leastBits: number;
  bucketsFor(capacity: number): number;
  bitsFor(capacity: number, errorRate: number): number;
  expected(count: number, buckets: number, bits: number): number;
  options(buckets: number, bits: number): Readonly<Record<string, number>>;
}) {
  const shapeWith = (capacity: number, bitsIn: (cells: number) => number): Shape => {
    const cells = bucketCells * bucketsFor(capacity);
    return { cells, cellBits: bitsIn(cells), hashes };
  };
  return {
    choosesHashes: false,
    past: 'refuses',
    removes: true,
    lines: () => String(hashes),
    rarer: 'classic',
    buildBits: 0,
    headerBytes: HEADER,
    shapeFor: (capacity: number, errorRate: number): Shape =>
      shapeWith(capacity, () => otherBits + bitsFor(capacity, errorRate)),
    rateAt: (count: number, { cells, cellBits }: Shape): number =>
      expected(Math.min(count, cells), cells / bucketCells, cellBits - otherBits),
    sizing: {
      shapeOf: (bits: number, capacity: number): Shape =>
        shapeWith(capacity, (cells) => widthIn(bits, cells, otherBits + leastBits)),
      options: ({ cells, cellBits }: Shape) => options(cells / bucketCells, cellBits - otherBits),
    },
  } as const;
}

const classicFormula = 'm = n · log₂(1/p) / ln 2; k = log₂(1/p)';

export const classic: KindRow = {
  kind: 'classic',
  className: 'BloomFilter',
  entry: 'bloomery',
  anchor: 'classic',
  hasCommand: true,
  redis: { className: 'RedisBloomFilter', isSame: false },
  bestFor: 'small size, any error rate',
  why: 'The default: it takes any error rate, is never full, and is small.',
  formula: classicFormula,
  removes: false,
  headerBytes: HEADER,
  ...ofCells(1, ({ cells, hashes }) => ({ bits: cells, hashes })),
};

export const blocked: KindRow = {
  kind: 'blocked',
  className: 'BlockedBloomFilter',
  entry: 'bloomery',
  anchor: 'blocked',
  hasCommand: true,
  redis: { className: 'RedisBloomFilter', isSame: true },
  bestFor: 'speed, down to 0.001 %',
  why: 'The fastest: all bits of a key are in one cache line. The rarer errors are to be, the more room it takes.',
  formula: 'the least m = 256 · b for which the mean over blocks of (1 − (31/32)^keys)⁸ is at most p',
  leastRate: 1e-5,
  rarer: 'wide',
  ...ofBlocks(256, 8, optimalBlocks, expectedBlockedErrorRate),
};

export const wide: KindRow = {
  kind: 'wide',
  className: 'WideBlockedBloomFilter',
  entry: 'bloomery/wide',
  anchor: 'wide',
  hasCommand: true,
  redis: { className: 'RedisBloomFilter', isSame: false },
  bestFor: 'speed with rare errors, down to 10⁻⁸',
  why: 'For rare errors at high speed: one cache line for each key, with twice as many bits as in a blocked one.',
  formula: 'the least m = 512 · b for which the mean over blocks of (1 − (31/32)^keys)¹⁶ is at most p',
  leastRate: 1e-8,
  rarer: 'classic',
  ...ofBlocks(512, 16, optimalWideBlocks, expectedWideBlockedErrorRate),
};

export const counting: KindRow = {
  kind: 'counting',
  className: 'CountingBloomFilter',
  entry: 'bloomery',
  anchor: 'counting',
  hasCommand: true,
  bestFor: 'removing keys, of any number',
  why: 'Keys can be removed from it, and it is never full. It has a counter of 4 bits where a classic one has a bit.',
  formula: 'm = 4 · n · log₂(1/p) / ln 2; k = log₂(1/p)',
  removes: true,
  headerBytes: HEADER,
  leavesPlot: true,
  ...ofCells(4, ({ cells, hashes }) => ({ counters: cells, hashes })),
};

export const spatial: KindRow = {
  kind: 'spatial',
  className: 'SpatialBloomFilter',
  entry: 'bloomery/spatial',
  anchor: 'spatial',
  hasCommand: false,
  bestFor: `which of ${LABELS} sets a key is in`,
  why: `It tells in which of up to ${LABELS} sets a key is. With up to 15 sets it takes half of this, with up to 3 a quarter.`,
  formula: 'm = 8 · n · log₂(1/p) / ln 2; k = log₂(1/p)',
  removes: false,
  headerBytes: LONG_HEADER,
  isDrawnAlone: true,
  leavesPlot: true,
  moreOptions: { labels: LABELS },
  code: (options) =>
    `const filter = new SpatialBloomFilter(${options});\nfilter.add('ada', 7);\nfilter.labelOf('ada'); // 7: the label of its set`,
  ...ofCells(LABEL_BITS, ({ cells, hashes }) => ({ cells, hashes })),
};

export const cuckoo: KindRow = {
  kind: 'cuckoo',
  className: 'CuckooFilter',
  entry: 'bloomery/cuckoo',
  anchor: 'cuckoo',
  hasCommand: true,
  bestFor: 'removing keys, of a number that is known',
  why: 'Keys can be removed from it, in a quarter of the room of a counting one. When it is full, it refuses keys.',
  formula: 'm = 1.05 · n · ⌈log₂(1/p) + 2.9⌉',
  mostKeys: MOST_IN_CUCKOO,
  leastRate: LEAST_OF_CUCKOO,
  ...ofBuckets({
    bucketCells: BUCKET_SLOTS,
    hashes: 2,
    otherBits: 0,
    leastBits: 7,
    bucketsFor: optimalCuckooBuckets,
    bitsFor: optimalCuckooFingerprintBits,
    expected: expectedCuckooErrorRate,
    options: (buckets, fingerprintBits) => ({ buckets, fingerprintBits }),
  }),
};

export const dleft: KindRow = {
  kind: 'dleft',
  className: 'DLeftCountingBloomFilter',
  entry: 'bloomery/dleft',
  anchor: 'd-left-counting',
  hasCommand: true,
  bestFor: 'removing keys that come many times',
  why: 'Only for keys of many copies, up to 96: it counts them exactly. A cuckoo filter is smaller and faster.',
  formula: 'm = 1.33 · n · ⌈log₂(1/p) + 6.6⌉',
  mostKeys: MOST_IN_DLEFT,
  leastRate: LEAST_OF_DLEFT,
  ...ofBuckets({
    bucketCells: KEY_CELLS,
    hashes: 4,
    otherBits: COUNT_BITS,
    leastBits: 4,
    bucketsFor: optimalDLeftBuckets,
    bitsFor: optimalDLeftRemainderBits,
    expected: expectedDLeftErrorRate,
    options: (buckets, remainderBits) => ({ buckets, remainderBits }),
  }),
};

export const fuse: KindRow = {
  kind: 'fuse',
  className: 'BinaryFuseFilter',
  entry: 'bloomery/fuse',
  anchor: 'fuse',
  hasCommand: true,
  redis: { className: 'RedisBloomFilter', isSame: false },
  bestFor: 'a complete list, as a small file',
  why:
    'The smallest, for a list that is complete beforehand, and for one of any length as a ShardedFuseFilter, whose ' +
    'size is the same: it is made of all keys at once, and takes no more.',
  formula: 'm = 1.14 · n · ⌈log₂(1/p)⌉ from a million keys on; more for few',
  past: 'complete',
  removes: false,
  lines: () => '3',
  choosesHashes: false,
  mostKeys: 2 ** 31,
  leastRate: 2 ** -32,
  rarer: 'classic',
  buildBits: BITS_TO_BUILD_FUSE,
  headerBytes: LONG_HEADER,
  code: (options) => `const filter = BinaryFuseFilter.from(['ada', 'grace'], ${options});\nfilter.has('ada'); // true`,
  shapeFor: (capacity, errorRate) => ({
    cells: optimalFuseCells(capacity),
    cellBits: optimalFuseFingerprintBits(errorRate),
    hashes: 3,
  }),
  rateAt: (count, { cellBits }) => (count === 0 ? 0 : 2 ** -cellBits),
  sizing: {
    shapeOf(bits, capacity) {
      const cells = optimalFuseCells(capacity);
      return { cells, cellBits: widthIn(bits, cells, 1), hashes: 3 };
    },
    options: ({ cellBits }) => ({ fingerprintBits: cellBits }),
  },
};
