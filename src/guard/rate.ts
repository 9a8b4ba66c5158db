/** The share of absent keys that a filter let through, with a confidence interval. */
export interface MeasuredRate {
  /** The number of calls for absent keys; those that shared a load count once. */
  readonly absent: number;
  /** The share of calls for absent keys in which the key looked present, 0 … 1; 0 without such calls. */
  readonly rate: number;
  /** The 95 % confidence interval of the true rate, if the keys are independent of one another. */
  readonly interval: readonly [low: number, high: number];
}

/** The quantile of the standard normal distribution at 97.5 %. */
const Z = 1.959963984540054;

/**
 * The share of hits in trials, with its Wilson score interval.
 *
 * @see E. B. Wilson, Probable inference, the law of succession, and statistical inference, 1927
 */
export function measuredRate(hits: number, trials: number): MeasuredRate {
  if (trials === 0) return { absent: 0, rate: 0, interval: [0, 1] };
  const rate = hits / trials;
  const square = Z ** 2 / trials;
  const center = rate + square / 2;
  const half = Math.sqrt(square * (rate * (1 - rate) + square / 4));
  const low = (center - half) / (1 + square);
  // Rounding could pass it.
  const high = hits === trials ? 1 : (center + half) / (1 + square);
  return { absent: trials, rate, interval: [low, high] };
}
