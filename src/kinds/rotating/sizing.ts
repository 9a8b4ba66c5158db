import { requireInteger, requireRate } from '../../util/checks/validate.ts';
import { MAX_BLOCKS, optimalBlocks } from '../blocked/sizing.ts';

export const MIN_LANES = 2;
export const MAX_LANES = 16;

/** How the cells of a rotating filter are divided into lanes. */
interface RotatingLayout {
  /** The number of keys after which the next lane takes its turn. */
  readonly quota: number;
  /** The number of blocks per lane. */
  readonly blocks: number;
}

/** The number of keys after which the next lane takes its turn: all lanes but one hold `capacity` keys together. */
export function quotaOf(capacity: number, lanes: number): number {
  return Math.ceil(capacity / (lanes - 1));
}

/** Which share of the window a lane has. */
interface Share {
  readonly lanes: number;
  /** In milliseconds. */
  readonly window: number;
  /** When the lane's share began, in milliseconds. */
  readonly begun: number;
}

/**
 * When the current lane's share of the window ends. Rounded up to the next number, so that the shares of all other
 * lanes are never less than the window together, even if the quotient was rounded down.
 */
export function endOf({ begun, window, lanes }: Share): number {
  const share = window / (lanes - 1);
  const end = begun + share;
  // The exact rounding error of the sum.
  const added = end - begun;
  const lost = begun - (end - added) + (share - added);
  return lost > 0 ? end * (1 + Number.EPSILON) : end;
}

/** The lowest error rate of a filter with `lanes` lanes. The blocks of one lane go down to 10^-5. */
export function leastErrorRate(lanes: number): number {
  return lanes / 1e5;
}

/**
 * The layout that keeps `errorRate` = p when all G lanes are full: each lane then has the error rate 1 − (1 − p)^(1/G).
 *
 * @param lanes the number of lanes, 2 … 16
 * @throws TypeError | RangeError if capacity or error rate are wrong
 */
export function rotatingLayout(capacity: number, errorRate: number, lanes: number): RotatingLayout {
  requireInteger('capacity', capacity, 1, Number.MAX_SAFE_INTEGER);
  requireRate('errorRate', errorRate);
  const least = leastErrorRate(lanes);
  if (errorRate < least)
    throw new RangeError(`errorRate must be at least ${least} in ${lanes} lanes, got ${errorRate}`);
  const quota = quotaOf(capacity, lanes);
  try {
    return { quota, blocks: optimalBlocks(quota, -Math.expm1(Math.log1p(-errorRate) / lanes)) };
  } catch (error) {
    // That error names the quota, which is not one of the user's options.
    throw new RangeError(`capacity must need at most ${MAX_BLOCKS} blocks in each lane, got ${capacity}`, {
      cause: error,
    });
  }
}
