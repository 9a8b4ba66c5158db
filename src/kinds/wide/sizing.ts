import { type BlockShape, blocksFor, expectedRate } from '../blocked/sizing.ts';

/** The number of bits per block: sixteen words of 32. */
export const BLOCK_BITS = 512;
/** The number of words per block. A key sets one bit in each. */
export const WORDS = 16;

/** The lowest error rate that is offered. */
export const MIN_ERROR_RATE = 1e-8;

const BLOCKS: BlockShape = { words: WORDS, minErrorRate: MIN_ERROR_RATE, leastKnown: 1e-10 };

/**
 * The expected error rate of a wide-block Bloom filter of `bits` bits that holds `count` keys.
 *
 * In a block with j keys, an absent key looks present if the key's bit is set in all sixteen words: with probability
 * `(1 − (31/32)^j)^16`. Over all blocks, j is binomially distributed with n trials of probability 1/blocks, which
 * gives `Σ_{i=0..16} (−1)^i C(16,i) (1 − (1 − (31/32)^i) / blocks)^n`.
 *
 * @param count the number of distinct keys n, 0 … 2^53 − 1
 * @param bits the number of bits, 512 … 512 · (2^32 − 1); only whole blocks of 512 count
 * @returns the share of absent keys that look present, 0 … 1; rates below 10^-11 are lost to rounding
 * @throws TypeError if an argument is not a number; RangeError if it is out of range
 * @see F. Putze, P. Sanders, J. Singler, Cache-, Hash- and Space-Efficient Bloom Filters, 2007, for the mixture
 */
export function expectedWideBlockedErrorRate(count: number, bits: number): number {
  return expectedRate(count, bits, BLOCKS);
}

/**
 * The smallest number of blocks, of 512 bits each, with which a wide-block Bloom filter holds `capacity` keys at
 * `errorRate`.
 *
 * @param capacity the number of keys n, 1 … 2^53 − 1
 * @param errorRate the share p of absent keys that look present, 10^-8 ≤ p < 1; below that, a classic filter is much
 *   smaller
 * @throws TypeError if an argument is not a number; RangeError if it is out of range or the result exceeds 2^32 − 1
 */
export function optimalWideBlocks(capacity: number, errorRate: number): number {
  return blocksFor(capacity, errorRate, BLOCKS);
}
