// The kinds of filters, with the formulas of the library. A new kind is a new row.

import { expectedBlockedErrorRate, expectedErrorRate, optimalBits, optimalBlocks, optimalHashes } from 'bloomery';
import { expectedCuckooErrorRate, optimalBuckets, optimalFingerprintBits } from 'bloomery/cuckoo';
import { expectedDLeftErrorRate, optimalDLeftBuckets, optimalRemainderBits } from 'bloomery/dleft';
import { fingerprintBits, fuseCells } from 'bloomery/fuse';
import { expectedWideBlockedErrorRate, optimalWideBlocks } from 'bloomery/wide';
import { atMost, smallest } from './search.ts';

/** The size of a filter. */
export interface Shape {
  readonly cells: number;
  readonly cellBits: number;
  readonly hashes: number;
}

/** A kind, with the formulas for its sizes. */
export interface SizedKind {
  readonly kind: string;
  /** What the kind is best for, in a few words. */
  readonly bestFor: string;
  /** The least error rate, and the kind to take for lower ones, if there is one. */
  readonly leastRate: number;
  readonly rarer?: string;
  /** The bits of memory that building takes for each cell, besides the filter. */
  readonly buildBits: number;
  /** Whether it takes so many bits that, beside its whole curve, those of the other kinds would look like one line. */
  readonly leavesPlot?: boolean;
  /**
   * The smallest filter that holds `capacity` keys at `errorRate`.
   *
   * @throws RangeError if the library has no such filter, even with unlimited memory
   */
  shapeFor(capacity: number, errorRate: number, hashes?: number): Shape;
}

/** A kind that can be chosen. */
export interface KindRow extends SizedKind {
  readonly className: string;
  /** The entry of the package that exports the class. */
  readonly entry: string;
  /** When to take the kind, in a sentence. */
  readonly why: string;
  /** Whether the number of hashes can be chosen. */
  readonly choosesHashes: boolean;
  /** Whether it takes new keys after it was made. */
  readonly grows: boolean;
  /** Whether it takes more keys than its capacity, at a higher error rate. */
  readonly overruns: boolean;
  /** The most keys of a filter of any size. */
  readonly mostKeys: number;
  /** The filter for `capacity` keys that takes at most `bits` bits, or the smallest one. */
  shapeOf(bits: number, capacity: number, hashes?: number): Shape;
  /** The expected error rate with `count` keys. */
  rateAt(count: number, shape: Shape): number;
  /** The options of the constructor for a given size. */
  sizeOptions(shape: Shape): Readonly<Record<string, number>>;
}

export function bitsOf({ cells, cellBits }: Shape): number {
  return cells * cellBits;
}

const MAX_HASHES = 255;
export const LEAST_OF_HASHES = 2 ** -MAX_HASHES;
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
const TOLERANCE = 1.005;

const classicRate = (count: number, { cells, hashes }: Shape): number => expectedErrorRate(count, cells, hashes);

/** The cells of a classic filter: the textbook's number, or more if that is too small. */
function classicCells(capacity: number, errorRate: number, hashes: number, least: number): number {
  return smallest(least, (cells) => expectedErrorRate(capacity, cells, hashes) <= TOLERANCE * errorRate);
}

function classicShape(cellBits: number): Pick<KindRow, 'shapeFor' | 'shapeOf' | 'rateAt'> {
  return {
    shapeFor(capacity, errorRate, given) {
      const best = optimalBits(capacity, errorRate);
      const hashes = given ?? optimalHashes(capacity, best);
      return { cells: classicCells(capacity, errorRate, hashes, best), cellBits, hashes };
    },
    shapeOf(bits, capacity, given) {
      const cells = Math.max(1, Math.floor(bits / cellBits));
      return { cells, cellBits, hashes: given ?? Math.min(MAX_HASHES, optimalHashes(capacity, cells)) };
    },
    rateAt: classicRate,
  };
}

function blocksShape(
  blockBits: number,
  hashes: number,
  blocksFor: (capacity: number, errorRate: number) => number,
  expected: (count: number, bits: number) => number,
): Pick<KindRow, 'shapeFor' | 'shapeOf' | 'rateAt' | 'sizeOptions'> {
  return {
    shapeFor: (capacity, errorRate) => ({ cells: blocksFor(capacity, errorRate) * blockBits, cellBits: 1, hashes }),
    shapeOf: (bits) => ({ cells: Math.max(1, Math.floor(bits / blockBits)) * blockBits, cellBits: 1, hashes }),
    rateAt: (count, { cells }) => expected(count, cells),
    sizeOptions: ({ cells }) => ({ bits: cells }),
  };
}

export const kinds: readonly KindRow[] = [
  {
    kind: 'classic',
    className: 'BloomFilter',
    entry: 'bloomery',
    bestFor: 'small size, any error rate',
    why: 'The default: it takes any error rate, is never full, and is small.',
    choosesHashes: true,
    grows: true,
    overruns: true,
    mostKeys: Number.MAX_SAFE_INTEGER,
    leastRate: LEAST_OF_HASHES,
    buildBits: 0,
    ...classicShape(1),
    sizeOptions: ({ cells, hashes }) => ({ bits: cells, hashes }),
  },
  {
    kind: 'blocked',
    className: 'BlockedBloomFilter',
    entry: 'bloomery',
    bestFor: 'speed, down to 0.001 %',
    why: 'The fastest: all bits of a key are in one cache line. The rarer errors are to be, the more room it takes.',
    choosesHashes: false,
    grows: true,
    overruns: true,
    mostKeys: Number.MAX_SAFE_INTEGER,
    leastRate: 1e-5,
    rarer: 'wide',
    buildBits: 0,
    ...blocksShape(256, 8, optimalBlocks, expectedBlockedErrorRate),
  },
  {
    kind: 'wide',
    className: 'WideBlockedBloomFilter',
    entry: 'bloomery/wide',
    bestFor: 'speed with rare errors, down to 10⁻⁸',
    why: 'For rare errors at high speed: one cache line for each key, with twice as many bits as in a blocked one.',
    choosesHashes: false,
    grows: true,
    overruns: true,
    mostKeys: Number.MAX_SAFE_INTEGER,
    leastRate: 1e-8,
    rarer: 'classic',
    buildBits: 0,
    ...blocksShape(512, 16, optimalWideBlocks, expectedWideBlockedErrorRate),
  },
  {
    kind: 'counting',
    className: 'CountingBloomFilter',
    entry: 'bloomery',
    bestFor: 'removing keys, of any number',
    why: 'Keys can be removed from it, and it is never full. It has a counter of 4 bits where a classic one has a bit.',
    choosesHashes: true,
    grows: true,
    overruns: true,
    mostKeys: Number.MAX_SAFE_INTEGER,
    leastRate: LEAST_OF_HASHES,
    buildBits: 0,
    leavesPlot: true,
    ...classicShape(4),
    sizeOptions: ({ cells, hashes }) => ({ counters: cells, hashes }),
  },
  {
    kind: 'cuckoo',
    className: 'CuckooFilter',
    entry: 'bloomery/cuckoo',
    bestFor: 'removing keys, of a number that is known',
    why: 'Keys can be removed from it, in a quarter of the room of a counting one. When it is full, it refuses keys.',
    choosesHashes: false,
    grows: true,
    overruns: false,
    mostKeys: MOST_IN_CUCKOO,
    leastRate: LEAST_OF_CUCKOO,
    rarer: 'classic',
    buildBits: 0,
    shapeFor: (capacity, errorRate) => ({
      cells: BUCKET_SLOTS * optimalBuckets(capacity),
      cellBits: optimalFingerprintBits(capacity, errorRate),
      hashes: 2,
    }),
    shapeOf(bits, capacity) {
      const cells = BUCKET_SLOTS * optimalBuckets(capacity);
      return { cells, cellBits: Math.min(32, Math.max(7, Math.floor(bits / cells))), hashes: 2 };
    },
    rateAt: (count, { cells, cellBits }) =>
      expectedCuckooErrorRate(Math.min(count, cells), cells / BUCKET_SLOTS, cellBits),
    sizeOptions: ({ cells, cellBits }) => ({ buckets: cells / BUCKET_SLOTS, fingerprintBits: cellBits }),
  },
  {
    kind: 'dleft',
    className: 'DLeftCountingBloomFilter',
    entry: 'bloomery/dleft',
    bestFor: 'removing keys that come many times',
    why: 'Only for keys of many copies, up to 96: it counts them exactly. A cuckoo filter is smaller and faster.',
    choosesHashes: false,
    grows: true,
    overruns: false,
    mostKeys: MOST_IN_DLEFT,
    leastRate: LEAST_OF_DLEFT,
    rarer: 'classic',
    buildBits: 0,
    shapeFor: (capacity, errorRate) => ({
      cells: KEY_CELLS * optimalDLeftBuckets(capacity),
      cellBits: COUNT_BITS + optimalRemainderBits(capacity, errorRate),
      hashes: 4,
    }),
    shapeOf(bits, capacity) {
      const cells = KEY_CELLS * optimalDLeftBuckets(capacity);
      return { cells, cellBits: Math.min(32, Math.max(6, Math.floor(bits / cells))), hashes: 4 };
    },
    rateAt: (count, { cells, cellBits }) =>
      expectedDLeftErrorRate(Math.min(count, cells), cells / KEY_CELLS, cellBits - COUNT_BITS),
    sizeOptions: ({ cells, cellBits }) => ({ buckets: cells / KEY_CELLS, remainderBits: cellBits - COUNT_BITS }),
  },
  {
    kind: 'fuse',
    className: 'BinaryFuseFilter',
    entry: 'bloomery/fuse',
    bestFor: 'a complete list, as a small file',
    why:
      'The smallest, for a list that is complete beforehand, and for one of any length as a ShardedFuseFilter, whose ' +
      'size is the same: it is made of all keys at once, and takes no more.',
    choosesHashes: false,
    grows: false,
    overruns: false,
    mostKeys: 2 ** 31,
    leastRate: 2 ** -32,
    rarer: 'classic',
    buildBits: BITS_TO_BUILD_FUSE,
    shapeFor: (capacity, errorRate) => ({
      cells: fuseCells(capacity),
      cellBits: fingerprintBits(errorRate),
      hashes: 3,
    }),
    shapeOf(bits, capacity) {
      const cells = fuseCells(capacity);
      return { cells, cellBits: Math.min(32, Math.max(1, Math.floor(bits / cells))), hashes: 3 };
    },
    rateAt: (count, { cellBits }) => (count === 0 ? 0 : 2 ** -cellBits),
    sizeOptions: ({ cellBits }) => ({ fingerprintBits: cellBits }),
  },
];

/** The row of a kind. `name` must be that of a row. */
export function rowNamed(name: string): KindRow {
  return kindNamed(name) ?? (kinds[0] as KindRow);
}

export function kindNamed(name: string | null): KindRow | undefined {
  return kinds.find(({ kind }) => kind === name);
}

/** The most keys that a filter of a kind holds at `errorRate` in at most `bits` bits; 0 if not even one. */
export function capacityIn(row: KindRow, bits: number, errorRate: number, hashes?: number): number {
  return atMost(Math.min(bits, row.mostKeys), (capacity) => {
    const shape = row.shapeOf(bits, capacity, hashes);
    return bitsOf(shape) <= bits && row.rateAt(capacity, shape) <= TOLERANCE * errorRate;
  });
}
