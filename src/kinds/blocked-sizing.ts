import { type BlockShape, blocksFor, expectedRate } from './split-block-sizing.ts';

/** The number of bits per block: eight words of 32. */
export const BLOCK_BITS = 256;
/** The number of words per block. A key sets one bit in each. */
export const WORDS = 8;

/** The lowest error rate that is offered. */
export const MIN_ERROR_RATE = 1e-5;

const BLOCKS: BlockShape = {
  words: WORDS,
  minErrorRate: MIN_ERROR_RATE,
  leastKnown: 1e-12,
  rarer: '; WideBlockedBloomFilter of bloomery/wide goes down to 1e-8',
};

/**
 * The expected error rate of a split-block Bloom filter of `bits` bits that holds `count` keys.
 *
 * In a block with j keys, an absent key looks present if the key's bit is set in all eight words: with probability
 * `(1 − (31/32)^j)^8`. Over all blocks, j is binomially distributed with n trials of probability 1/blocks, which gives
 * `Σ_{i=0..8} (−1)^i C(8,i) (1 − (1 − (31/32)^i) / blocks)^n`.
 *
 * @param count the number of distinct keys n, 0 … 2^53 − 1
 * @param bits the number of bits, 256 … 256 · (2^32 − 1); only whole blocks of 256 count
 * @returns the share of absent keys that look present, 0 … 1
 * @throws TypeError if an argument is not a number; RangeError if it is out of range
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
 * @param errorRate the share p of absent keys that look present, 10^-5 ≤ p < 1; below that, a classic filter is much
 *   smaller, and a wide one (`optimalWideBlocks` of `bloomery/wide`) still takes one cache line per key
 * @throws TypeError if an argument is not a number; RangeError if it is out of range or the result exceeds 2^32 − 1
 */
export function optimalBlocks(capacity: number, errorRate: number): number {
  return blocksFor(capacity, errorRate, BLOCKS);
}
