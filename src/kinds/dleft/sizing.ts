import { requireInteger, requireRate, showLeast } from '../../util/checks/validate.ts';

/** The number of tables. A key has one bucket in each. */
export const TABLES = 4;
/** The number of cells of a bucket. */
const BUCKET_CELLS = 8;
/** The number of cells in one bucket of each table: as many as may hold a key. */
export const KEY_CELLS: number = TABLES * BUCKET_CELLS;
/** The most buckets of a table. */
export const MAX_BUCKETS: number = 2 ** 27;
/** The least and the most bits of a remainder. */
export const REMAINDER_BITS: readonly [least: number, most: number] = [4, 30];

/** The share of cells in use in a large filter that holds `capacity` keys. */
const LOAD = 0.75;
/** Extra cells in every filter, because a small one may otherwise be full before it holds `capacity` keys. */
const SPARE_CELLS = 8;

/** The most keys that a filter can be made for. */
const MAX_CAPACITY: number = capacityOf(MAX_BUCKETS);

/** The number of keys that a filter of this many buckets in each table is made for. */
export function capacityOf(buckets: number): number {
  return LOAD * (KEY_CELLS * buckets - SPARE_CELLS);
}

/**
 * The smallest number of buckets in each table with which a d-left counting filter holds `capacity` keys:
 * `ceil((capacity / 0.75 + 8) / 32)`. A bucket has eight cells. A filter of that size takes a sixth more keys before it
 * is full.
 *
 * @param capacity the number of distinct keys n, each with at most three copies, 1 … 3,221,225,466
 * @throws TypeError if the capacity is not a number; RangeError if it is out of range
 */
export function optimalDLeftBuckets(capacity: number): number {
  return bucketsFor(requireInteger('capacity', capacity, 1, MAX_CAPACITY));
}

function bucketsFor(capacity: number): number {
  return Math.ceil((capacity / LOAD + SPARE_CELLS) / KEY_CELLS);
}

/** The error rate if a key is compared with `stored` remainders of this many bits, those in its four buckets. */
function rateOf(stored: number, remainderBits: number): number {
  return -Math.expm1(stored * Math.log1p(-(2 ** -remainderBits)));
}

/** Returns the number of buckets in each table if a filter can have it; else throws. */
export function requireBuckets(buckets: unknown): number {
  return requireInteger('buckets', buckets, 1, MAX_BUCKETS);
}

/** Returns the width of remainders if a filter can have it; else throws. */
export function requireRemainderBits(bits: unknown): number {
  return requireInteger('remainderBits', bits, ...REMAINDER_BITS);
}

/**
 * The expected error rate of a d-left counting filter that holds `count` keys: `1 − (1 − 2^−r)^(32 · load)`, where the
 * load is the share of cells in use.
 *
 * @param count the number of distinct keys, each with at most three copies, 0 … 32 · buckets
 * @param buckets the number of buckets in each table, 1 … 2^27
 * @param remainderBits the number of bits of a remainder r, 4 … 30
 * @returns the share of absent keys that look present, 0 … 1
 * @throws TypeError if an argument is not a number; RangeError if it is out of range
 * @see F. Bonomi, M. Mitzenmacher, R. Panigrahy, S. Singh, G. Varghese, An Improved Construction for Counting Bloom
 *   Filters, 2006
 */
export function expectedDLeftErrorRate(count: number, buckets: number, remainderBits: number): number {
  requireInteger('count', count, 0, KEY_CELLS * requireBuckets(buckets));
  return rateOf(count / buckets, requireRemainderBits(remainderBits));
}

/** The error rate of the widest remainders, in a filter that holds as many keys as it is made for. */
export function leastDLeftErrorRate(capacity: number): number {
  return rateOf(capacity / bucketsFor(capacity), REMAINDER_BITS[1]);
}

/**
 * The smallest number of bits of a remainder with which a d-left counting filter of `optimalDLeftBuckets(capacity)`
 * buckets in each table holds `capacity` keys at `errorRate`.
 *
 * @param capacity the number of distinct keys n, each with at most three copies, 1 … 3,221,225,466
 * @param errorRate the share p of absent keys that look present, 0 < p < 1
 * @returns 4 … 30
 * @throws TypeError if an argument is not a number; RangeError if it is out of range or 30 bits are too few
 */
export function optimalDLeftRemainderBits(capacity: number, errorRate: number): number {
  const stored = capacity / optimalDLeftBuckets(capacity);
  requireRate('errorRate', errorRate);
  const [least, most] = REMAINDER_BITS;
  for (let bits = least; bits <= most; bits++) if (rateOf(stored, bits) <= errorRate) return bits;
  throw new RangeError(
    `errorRate must be at least ${showLeast(leastDLeftErrorRate(capacity))} with remainders of ${most} bits, got ${errorRate}`,
  );
}
