// Searches whole numbers by bisection.

const MOST = Number.MAX_SAFE_INTEGER;

/**
 * The smallest whole number from `least` on with a property that all larger ones share.
 *
 * @throws RangeError if there is none up to 2^53 − 1
 */
export function smallest(least: number, has: (value: number) => boolean): number {
  let low = least - 1;
  let high = least;
  while (!has(high)) {
    if (high > MOST / 2) throw new RangeError('it needs more than 2^53 bits');
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const middle = Math.floor(low + (high - low) / 2);
    if (has(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** The largest whole number from 1 to `most` with a property that all smaller ones share; 0 if there is none. */
export function atMost(most: number, has: (value: number) => boolean): number {
  if (has(most)) return most;
  return smallest(1, (value) => value >= most || !has(value)) - 1;
}
