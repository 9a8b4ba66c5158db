import { requireInteger, requireRate, showLeast } from '../../util/checks/validate.ts';

/** The widest fingerprint, in bits. */
export const MAX_BITS = 32;
/** The most cells: their numbers have 32 bits. */
export const MAX_CELLS: number = 2 ** 32 - 1;
export const MIN_EXPONENT = 2;
export const MAX_EXPONENT = 18;

/** The least number of keys for segments of 2^3, 2^4, … cells. */
const FROM: readonly number[] = [
  5, 16, 53, 177, 588, 1957, 6514, 21_692, 72_233, 240_534, 800_977, 2_667_253, 8_881_950, 29_576_893, 98_491_052,
  327_975_201,
];
/** The number of keys per 1024 cells that a filter of many segments can hold, for segments of 2^2, 2^3, … cells. */
const BEARS: readonly number[] = [500, 560, 600, 700, 780, 830, 860, 875, 885, 895, 903, 910, 915, 915, 915, 915, 915];

/** The size of a filter or a map that is not made yet. */
export type FuseSize = {
  /** The number of cells. */
  readonly cellCount: number;
  /** The number of bits per cell. */
  readonly cellBits: number;
  /** The number of cells that hold a key. */
  readonly hashes: number;
  /** The memory of the cells, in bytes. */
  readonly byteLength: number;
};

/** The size of a filter or a map in shards that is not made yet. */
export type ShardedSize = FuseSize & {
  /** The number of shards. */
  readonly shards: number;
};

/** How the cells are divided into segments. A key has one cell in each of three adjacent segments. */
export interface FuseLayout {
  /** A segment has 2^exponent cells. */
  readonly exponent: number;
  /** The number of segments that may hold the first cell of a key; two more follow. */
  readonly segments: number;
}

/** The number of cells. */
export function cellsIn({ exponent, segments }: FuseLayout): number {
  return (segments + 2) * 2 ** exponent;
}

/**
 * The layout for `count` distinct keys. Computed from integers only, so that it is the same on every machine, and
 * frozen, so that the same keys always give the same bytes.
 */
export function fuseLayout(count: number): FuseLayout {
  const above = FROM.findIndex((least) => count < least);
  const step = above < 0 ? FROM.length : above;
  const exponent = MIN_EXPONENT + step;
  // Small filters, of up to six segments, follow another rule, because the first and the last segments hold more keys
  // than those between.
  const least = (fixed: number, bears: number): number =>
    Math.ceil((1024 * count - fixed * 2 ** exponent) / (bears * 2 ** exponent));
  const some = least(512, BEARS[step] as number);
  return { exponent, segments: Math.max(1, exponent < 8 ? some : Math.min(some, least(1400, 768))) };
}

/**
 * The number of cells of a `BinaryFuseFilter` that holds `count` keys. A filter takes more only if four attempts at
 * building it have failed, which is very rare.
 *
 * @param count the number of distinct keys, 0 … 2^31
 * @throws TypeError if `count` is not a number; RangeError if it is out of range
 */
export function optimalFuseCells(count: number): number {
  return cellsIn(fuseLayout(requireInteger('count', count, 0, 2 ** 31)));
}

/**
 * The smallest number of bits of a fingerprint, as many as a cell has, with which a `BinaryFuseFilter` keeps an error
 * rate: log₂ 1/p, rounded up.
 *
 * @param errorRate the share p of absent keys that may look present, 2^-32 ≤ p < 1
 * @throws TypeError if `errorRate` is not a number; RangeError if it is out of range
 */
export function optimalFuseFingerprintBits(errorRate: number): number {
  requireRate('errorRate', errorRate);
  let bits = 1;
  while (2 ** -bits > errorRate) bits++;
  if (bits <= MAX_BITS) return bits;
  throw new RangeError(
    `errorRate must be at least 2^-${MAX_BITS}, which is ${showLeast(2 ** -MAX_BITS)}, got ${errorRate}`,
  );
}
