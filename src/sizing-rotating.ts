import { optimalBlocks } from './sizing-blocked.ts';
import { MAX_BLOCKS } from './sizing-blocks.ts';
import { requireInteger, requireRate } from './validate.ts';

export const MIN_LANES = 2;
export const MAX_LANES = 16;

/** How the cells of a rotating filter are divided. */
export interface RotatingLayout {
  /** The number of keys after which the next lane takes its turn. */
  readonly quota: number;
  /** The number of blocks per lane. */
  readonly blocks: number;
}

/** The number of keys after which the next lane takes its turn, so that all lanes but one hold the window. */
export function quotaOf(capacity: number, lanes: number): number {
  return Math.ceil(capacity / (lanes - 1));
}

/**
 * The layout in which absent keys look present at `errorRate` when every lane is full: a lane errs at
 * 1 − (1 − p)^(1/G).
 *
 * @param lanes the number of lanes, 2 … 16
 * @throws TypeError | RangeError if capacity or error rate are wrong
 */
export function rotatingLayout(capacity: number, errorRate: number, lanes: number): RotatingLayout {
  requireInteger('capacity', capacity, 1, Number.MAX_SAFE_INTEGER);
  requireRate('errorRate', errorRate);
  // Blocks go down to 10^-5.
  const least = lanes / 1e5;
  if (errorRate < least)
    throw new RangeError(`errorRate must be at least ${least} in ${lanes} lanes, got ${errorRate}`);
  const quota = quotaOf(capacity, lanes);
  try {
    return { quota, blocks: optimalBlocks(quota, -Math.expm1(Math.log1p(-errorRate) / lanes)) };
  } catch (error) {
    // It names the quota, which the user does not know.
    throw new RangeError(`capacity must need at most ${MAX_BLOCKS} blocks in each lane, got ${capacity}`, {
      cause: error,
    });
  }
}
