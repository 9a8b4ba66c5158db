import { requireInteger, requireRate } from '../../util/checks/validate.ts';
import { MAX_BLOCKS, optimalBlocks } from '../blocked/sizing.ts';

export const MIN_GENERATIONS = 2;
export const MAX_GENERATIONS = 16;

/** How the cells of a rotating filter are divided into generations. */
interface RotatingLayout {
  /** The number of keys after which the next generation takes its turn. */
  readonly quota: number;
  /** The number of blocks per generation. */
  readonly blocks: number;
}

/**
 * The number of keys after which the next generation takes its turn: all generations but one hold `capacity` keys
 * together.
 */
export function quotaOf(capacity: number, generations: number): number {
  return Math.ceil(capacity / (generations - 1));
}

/** Which share of the window a generation has. */
interface Share {
  readonly generations: number;
  /** In milliseconds. */
  readonly window: number;
  /** When the generation's share began, in milliseconds. */
  readonly begun: number;
}

/**
 * When the current generation's share of the window ends. Rounded up to the next number, so that the shares of all
 * other generations are never less than the window together, even if the quotient was rounded down.
 */
export function endOf({ begun, window, generations }: Share): number {
  const share = window / (generations - 1);
  const end = begun + share;
  // The exact rounding error of the sum.
  const added = end - begun;
  const lost = begun - (end - added) + (share - added);
  return lost > 0 ? end * (1 + Number.EPSILON) : end;
}

/** The lowest error rate of a filter with `generations` generations. The blocks of one generation go down to 10^-5. */
export function leastErrorRate(generations: number): number {
  return generations / 1e5;
}

/**
 * The layout that keeps `errorRate` = p when all G generations are full: each generation then has the error rate
 * 1 − (1 − p)^(1/G).
 *
 * @param generations the number of generations, 2 … 16
 * @throws TypeError | RangeError if capacity or error rate are wrong
 */
export function rotatingLayout(capacity: number, errorRate: number, generations: number): RotatingLayout {
  requireInteger('capacity', capacity, 1, Number.MAX_SAFE_INTEGER);
  requireRate('errorRate', errorRate);
  const least = leastErrorRate(generations);
  if (errorRate < least)
    throw new RangeError(`errorRate must be at least ${least} in ${generations} generations, got ${errorRate}`);
  const quota = quotaOf(capacity, generations);
  try {
    return { quota, blocks: optimalBlocks(quota, -Math.expm1(Math.log1p(-errorRate) / generations)) };
  } catch (error) {
    // That error names the quota, which is not one of the user's options.
    throw new RangeError(`capacity must need at most ${MAX_BLOCKS} blocks in each generation, got ${capacity}`, {
      cause: error,
    });
  }
}
