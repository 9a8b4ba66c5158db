import { optimalBits } from './sizing.ts';
import { requireInteger, requireRate } from './validate.ts';

/** The bits of one block: eight words of 32. */
export const BLOCK_BITS = 256;
/** The words of one block, each of which has one bit of a key. */
export const WORDS = 8;
const MAX_BLOCKS: number = 2 ** 32 - 1;
/** (−1)^i · C(8, i), for i from 0 to 8. */
const COEFFICIENTS: readonly number[] = [1, -8, 28, -56, 70, -56, 28, -8, 1];
/** Below it the blocks that are fuller than others decide, and more bits hardly help. */
const MIN_ERROR_RATE = 1e-5;
/** Below it the sum is lost in rounding. */
const LEAST_KNOWN = 1e-12;

/**
 * The error rate to expect of a split-block Bloom filter of `bits` bits that holds `count` keys.
 *
 * A block with j keys takes an absent key for a present one if all of its eight words have the key's bit:
 * `(1 − (31/32)^j)^8`. Over blocks, j is binomial with n and 1/blocks, which gives
 * `Σ_{i=0..8} (−1)^i C(8,i) (1 − (1 − (31/32)^i) / blocks)^n`.
 *
 * @param count the number of distinct keys n, 0 … 2^53 − 1
 * @param bits the number of bits, 256 … 256 · (2^32 − 1); whole blocks of 256 of them count
 * @returns a rate, 0 … 1
 * @throws TypeError | RangeError for anything else
 * @see F. Putze, P. Sanders, J. Singler, Cache-, Hash- and Space-Efficient Bloom Filters, 2007, for the mixture
 * @see https://parquet.apache.org/docs/file-format/bloomfilter/ for the filter
 */
export function expectedBlockedErrorRate(count: number, bits: number): number {
  requireInteger('count', count, 0, Number.MAX_SAFE_INTEGER);
  requireInteger('bits', bits, BLOCK_BITS, BLOCK_BITS * MAX_BLOCKS);
  return rateOf(count, Math.floor(bits / BLOCK_BITS));
}

function rateOf(count: number, blocks: number): number {
  let rate = 0;
  for (const [i, coefficient] of COEFFICIENTS.entries()) {
    rate += coefficient * Math.exp(count * Math.log1p(-(1 - (31 / 32) ** i) / blocks));
  }
  return Math.min(1, Math.max(0, rate));
}

/** The smallest number of blocks that keeps the promise, by bisection. */
function smallest(capacity: number, errorRate: number): number {
  let low = 0;
  let high = 1;
  while (rateOf(capacity, high) > errorRate && high <= MAX_BLOCKS) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (rateOf(capacity, middle) > errorRate) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * The smallest number of blocks, of 256 bits each, with which a split-block Bloom filter holds `capacity` keys at
 * `errorRate`.
 *
 * @param capacity the number of keys n, 1 … 2^53 − 1
 * @param errorRate the share p of false positives, 10^-5 ≤ p < 1: below that a classic filter is much smaller
 * @throws TypeError | RangeError for anything else, and RangeError where the result passes 2^32 − 1
 */
export function optimalBlocks(capacity: number, errorRate: number): number {
  requireInteger('capacity', capacity, 1, Number.MAX_SAFE_INTEGER);
  requireRate('errorRate', errorRate);
  const blocks = smallest(capacity, Math.max(errorRate, LEAST_KNOWN));
  if (errorRate < MIN_ERROR_RATE) {
    const classic = optimalBits(capacity, errorRate);
    throw new RangeError(
      `errorRate must be at least ${MIN_ERROR_RATE} in blocks, got ${errorRate}, for which they take ` +
        `${blocks * BLOCK_BITS} bits or more, and a BloomFilter ${classic}`,
    );
  }
  if (blocks > MAX_BLOCKS) throw new RangeError(`capacity must need at most ${MAX_BLOCKS} blocks, got ${capacity}`);
  return blocks;
}
