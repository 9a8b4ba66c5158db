import { type Blocks, blocksFor, expectedRate } from './sizing-blocks.ts';

/** The bits of one block: eight words of 32. */
export const BLOCK_BITS = 256;
/** The words of one block. A key has one bit in each. */
export const WORDS = 8;

const BLOCKS: Blocks = { words: WORDS, minErrorRate: 1e-5, leastKnown: 1e-12 };

/**
 * The error rate to expect of a split-block Bloom filter of `bits` bits that holds `count` keys.
 *
 * A block with j keys takes an absent key for a present one if all of its eight words have the key's bit:
 * `(1 − (31/32)^j)^8`. Over blocks, j is binomial with n and 1/blocks, which gives
 * `Σ_{i=0..8} (−1)^i C(8,i) (1 − (1 − (31/32)^i) / blocks)^n`.
 *
 * @param count the number of distinct keys n, 0 … 2^53 − 1
 * @param bits the number of bits, 256 … 256 · (2^32 − 1); only whole blocks of 256 count
 * @returns a rate, 0 … 1
 * @throws TypeError | RangeError for anything else
 * @see F. Putze, P. Sanders, J. Singler, Cache-, Hash- and Space-Efficient Bloom Filters, 2007, for the mixture
 * @see https://parquet.apache.org/docs/file-format/bloomfilter/ for the filter
 */
export function expectedBlockedErrorRate(count: number, bits: number): number {
  return expectedRate(count, bits, BLOCKS);
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
  return blocksFor(capacity, errorRate, BLOCKS);
}
