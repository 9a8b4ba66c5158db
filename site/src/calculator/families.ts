// Families of kinds whose filters have their sizes in the same way.

import { expectedErrorRate, optimalBits, optimalHashes } from 'bloomery';
import type { Shape } from './kind-row.ts';
import { smallest } from './search.ts';

const MAX_HASHES = 255;
/** The least error rate of kinds in which each hash halves it. */
export const LEAST_OF_HASHES = 2 ** -MAX_HASHES;
/** The header of a saved file without parameters of the kind. */
const HEADER = 64;
/** The factor by which a filter may exceed its promised error rate, as in the library. */
export const TOLERANCE = 1.005;

/** The cells are the textbook's number, or more if that is too small. */
export function classicShape(capacity: number, errorRate: number, given?: number): Shape {
  const best = optimalBits(capacity, errorRate);
  const hashes = given ?? optimalHashes(capacity, best);
  const isEnough = (cells: number): boolean => expectedErrorRate(capacity, cells, hashes) <= TOLERANCE * errorRate;
  return { cells: smallest(best, isEnough), cellBits: 1, hashes };
}

export const classicRate = (count: number, { cells, hashes }: Shape): number => expectedErrorRate(count, cells, hashes);

/** What all kinds have in common that have independent cells, and hashes to choose. */
export function ofCells(cellBits: number, options: (shape: Shape) => Readonly<Record<string, number>>) {
  return {
    choosesHashes: true,
    past: 'errs',
    lines: (hashes: number) => `up to ${hashes}`,
    leastRate: LEAST_OF_HASHES,
    headerBytes: HEADER,
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
export function ofBlocks(
  blockBits: number,
  hashes: number,
  blocksFor: (capacity: number, errorRate: number) => number,
  expected: (count: number, bits: number) => number,
) {
  const shapeOf = (blocks: number): Shape => ({ cells: blocks * blockBits, cellBits: 1, hashes });
  return {
    past: 'errs',
    lines: () => '1',
    headerBytes: HEADER,
    shapeFor: (capacity: number, errorRate: number): Shape => shapeOf(blocksFor(capacity, errorRate)),
    rateAt: (count: number, { cells }: Shape): number => expected(count, cells),
    sizing: {
      shapeOf: (bits: number): Shape => shapeOf(Math.max(1, Math.floor(bits / blockBits))),
      options: ({ cells }: Shape) => ({ bits: cells }),
    },
  } as const;
}

/** Cells as wide as `bits` allow, within the limits of the kind. */
export function widthIn(bits: number, cells: number, least: number): number {
  return Math.min(32, Math.max(least, Math.floor(bits / cells)));
}

/** What kinds have in common that store a part of a key's hash in a cell of a bucket. */
export function ofBuckets({
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
    past: 'refuses',
    removes: true,
    lines: () => String(hashes),
    rarer: 'classic',
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
