// The kinds of filters, with the formulas of the library. A new kind is a new row.

import { expectedBlockedErrorRate, expectedErrorRate, optimalBits, optimalBlocks, optimalHashes } from 'bloomery';
import { expectedCuckooErrorRate, optimalBuckets, optimalFingerprintBits } from 'bloomery/cuckoo';
import { fingerprintBits, fuseCells } from 'bloomery/fuse';
import { expectedWideBlockedErrorRate, optimalWideBlocks } from 'bloomery/wide';
import { atMost, smallest } from './search.ts';

/** How large a filter is. */
export interface Shape {
  readonly cells: number;
  readonly cellBits: number;
  readonly hashes: number;
}

/** A kind, and how large its filters are. */
export interface SizedKind {
  readonly kind: string;
  /** What it is the best for, in a few words. */
  readonly bestFor: string;
  /** The least error rate, and the kind to take for lower ones, if there is one. */
  readonly leastRate: number;
  readonly rarer?: string;
  /** What building takes for each cell, besides the filter. */
  readonly buildBits: number;
  /**
   * The smallest filter that holds `capacity` keys at `errorRate`.
   *
   * @throws RangeError if the library has none, whatever fits into memory
   */
  shapeFor(capacity: number, errorRate: number, hashes?: number): Shape;
}

/** A kind that can be chosen. */
export interface KindRow extends SizedKind {
  readonly className: string;
  /** The entry of the package that exports the class. */
  readonly entry: string;
  /** More about when to take it. */
  readonly why: string;
  /** Whether the number of hashes can be chosen. */
  readonly choosesHashes: boolean;
  /** Whether keys can be added to it once it is made. */
  readonly grows: boolean;
  /** Whether it takes more keys than its capacity, at a higher error rate. */
  readonly overruns: boolean;
  /** The most keys that one filter can have, whatever its size. */
  readonly mostKeys: number;
  /** The filter for `capacity` keys that takes at most so many bits, or the smallest one. */
  shapeOf(bits: number, capacity: number, hashes?: number): Shape;
  /** The expected error rate with `count` keys. */
  rateAt(count: number, shape: Shape): number;
  /** The options of the constructor that give a size, where it does not take a capacity and an error rate. */
  sizeOptions(shape: Shape): Readonly<Record<string, number>>;
}

export function bitsOf({ cells, cellBits }: Shape): number {
  return cells * cellBits;
}

const MAX_HASHES = 255;
export const LEAST_OF_HASHES = 2 ** -MAX_HASHES;
/** The slots of a bucket of a cuckoo filter, and the most keys that one can be made for. */
const BUCKET_SLOTS = 4;
const MOST_IN_CUCKOO = 4_080_218_912;
/** All slots of both buckets are compared, with fingerprints of 32 bits. */
const LEAST_OF_CUCKOO = (2 * BUCKET_SLOTS) / 2 ** 32;
/** Building a fuse filter takes 13 bytes for each cell. */
const BITS_TO_BUILD_FUSE = 8 * 13;
/** A promised error rate may be exceeded by this factor, as in the library. */
const TOLERANCE = 1.005;

const classicRate = (count: number, { cells, hashes }: Shape): number => expectedErrorRate(count, cells, hashes);

/** The cells of a classic filter: the textbook's number, or more where that is too few. */
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
    kind: 'fuse',
    className: 'BinaryFuseFilter',
    entry: 'bloomery/fuse',
    bestFor: 'a complete list, as a small file',
    why: 'The smallest, for a list that is complete beforehand: it is made of all keys at once, and takes no more.',
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

/** The row of a kind that there is. */
export function rowNamed(name: string): KindRow {
  return kindNamed(name) ?? (kinds[0] as KindRow);
}

export function kindNamed(name: string | null): KindRow | undefined {
  return kinds.find(({ kind }) => kind === name);
}

/**
 * The most keys that filters of a kind hold at `errorRate` in so many bits; 0 if not even one.
 */
export function capacityIn(row: KindRow, bits: number, errorRate: number, hashes?: number): number {
  return atMost(Math.min(bits, row.mostKeys), (capacity) => {
    const shape = row.shapeOf(bits, capacity, hashes);
    return bitsOf(shape) <= bits && row.rateAt(capacity, shape) <= TOLERANCE * errorRate;
  });
}
