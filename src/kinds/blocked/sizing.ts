import { requireInteger, requireRate } from '../../util/checks/validate.ts';
import { optimalBits } from '../classic/sizing.ts';

// The sizing that the blocked kinds share: a block is a row of 32-bit words, and a key sets one bit in each word.

/** The most blocks of a filter, because 32 bits of the hash choose the block. */
export const MAX_BLOCKS: number = 2 ** 32 - 1;

const WORD_BITS = 32;

/** The shape of a kind's blocks, and the limits of its error rates. */
export interface BlockShape {
  /** The number of words per block. */
  readonly words: number;
  /** The lowest error rate that the kind accepts. Below it, the fuller blocks dominate, and more bits hardly help. */
  readonly minErrorRate: number;
  /** The lowest error rate that `rateOf` can compute. Below it, rounding errors dominate the sum. */
  readonly leastKnown: number;
  /** The end of the error message for lower error rates: which kind to use instead, besides `BloomFilter`. */
  readonly rarer?: string;
}

/**
 * The expected error rate of `blocks` blocks that hold `count` keys.
 *
 * In a block with j keys, an absent key looks present if the key's bit is set in all w words: with probability
 * `(1 − (31/32)^j)^w`. Over all blocks, j is binomially distributed with n trials of probability 1/blocks, which gives
 * `Σ_{i=0..w} (−1)^i C(w,i) (1 − (1 − (31/32)^i) / blocks)^n`.
 */
function rateOf(count: number, blocks: number, words: number): number {
  let rate = 0;
  let coefficient = 1;
  for (let i = 0; i <= words; i++) {
    rate += coefficient * Math.exp(count * Math.log1p(-(1 - (31 / 32) ** i) / blocks));
    coefficient *= -(words - i) / (i + 1);
  }
  return Math.min(1, Math.max(0, rate));
}

/** Checks `count` and `bits`, and returns the expected error rate. */
export function expectedRate(count: number, bits: number, { words }: BlockShape): number {
  const blockBits = words * WORD_BITS;
  requireInteger('count', count, 0, Number.MAX_SAFE_INTEGER);
  requireInteger('bits', bits, blockBits, blockBits * MAX_BLOCKS);
  return rateOf(count, Math.floor(bits / blockBits), words);
}

/** The smallest number of blocks that hold `capacity` keys at `errorRate`, by bisection. */
function smallest(capacity: number, errorRate: number, words: number): number {
  let low = 0;
  let high = 1;
  while (rateOf(capacity, high, words) > errorRate && high <= MAX_BLOCKS) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (rateOf(capacity, middle, words) > errorRate) low = middle;
    else high = middle;
  }
  return high;
}

/** Checks `capacity` and `errorRate`, and returns the smallest number of blocks for them. */
export function blocksFor(
  capacity: number,
  errorRate: number,
  { words, minErrorRate, leastKnown, rarer = '' }: BlockShape,
): number {
  requireInteger('capacity', capacity, 1, Number.MAX_SAFE_INTEGER);
  requireRate('errorRate', errorRate);
  const blocks = smallest(capacity, Math.max(errorRate, leastKnown), words);
  if (errorRate < minErrorRate) {
    const classic = optimalBits(capacity, errorRate);
    throw new RangeError(
      `errorRate must be at least ${minErrorRate} in blocks, got ${errorRate}, for which they take ` +
        `${blocks * words * WORD_BITS} bits or more, and a BloomFilter ${classic}${rarer}`,
    );
  }
  if (blocks > MAX_BLOCKS) throw new RangeError(`capacity must need at most ${MAX_BLOCKS} blocks, got ${capacity}`);
  return blocks;
}

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
