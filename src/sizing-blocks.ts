// What the sizing of blocked kinds shares: a block is a row of words of 32 bits, and a key sets one bit in each word.

import { optimalBits } from './sizing.ts';
import { requireInteger, requireRate } from './validate.ts';

/** The high half of a hash chooses the block. */
export const MAX_BLOCKS: number = 2 ** 32 - 1;

const WORD_BITS = 32;

/** A shape of blocks. */
export interface Blocks {
  /** The words of one block. */
  readonly words: number;
  /** Below this error rate the fuller blocks decide, and more bits hardly help. */
  readonly minErrorRate: number;
  /** The least error rate that the sum knows; below it, rounding decides. */
  readonly leastKnown: number;
}

/**
 * The error rate to expect of `blocks` blocks that hold `count` keys.
 *
 * A block with j keys takes an absent key for a present one if all of its w words have the key's bit:
 * `(1 − (31/32)^j)^w`. Over blocks, j is binomial with n and 1/blocks, which gives
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

/** The error rate to expect of `bits` bits that hold `count` keys, after checking both. */
export function expectedRate(count: number, bits: number, { words }: Blocks): number {
  const blockBits = words * WORD_BITS;
  requireInteger('count', count, 0, Number.MAX_SAFE_INTEGER);
  requireInteger('bits', bits, blockBits, blockBits * MAX_BLOCKS);
  return rateOf(count, Math.floor(bits / blockBits), words);
}

/** The smallest number of blocks that keeps the promise, by bisection. */
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

/** The smallest number of blocks that keeps the promise, after checking it. */
export function blocksFor(capacity: number, errorRate: number, { words, minErrorRate, leastKnown }: Blocks): number {
  requireInteger('capacity', capacity, 1, Number.MAX_SAFE_INTEGER);
  requireRate('errorRate', errorRate);
  const blocks = smallest(capacity, Math.max(errorRate, leastKnown), words);
  if (errorRate < minErrorRate) {
    const classic = optimalBits(capacity, errorRate);
    throw new RangeError(
      `errorRate must be at least ${minErrorRate} in blocks, got ${errorRate}, for which they take ` +
        `${blocks * words * WORD_BITS} bits or more, and a BloomFilter ${classic}`,
    );
  }
  if (blocks > MAX_BLOCKS) throw new RangeError(`capacity must need at most ${MAX_BLOCKS} blocks, got ${capacity}`);
  return blocks;
}
