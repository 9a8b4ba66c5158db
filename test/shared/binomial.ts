import { expect } from 'vitest';

/** An outcome fails a test if its probability is at most this. */
const TAIL = 1e-6;
/** Terms below this share of the largest term are lost to rounding. */
const NEGLIGIBLE = 1e-20;

/**
 * The probabilities of the counts around the mode, and the first of these counts. Each term is computed from its
 * neighbor by `P(x + 1) / P(x) = (n − x) / (x + 1) · p / (1 − p)`, relative to the mode's term, so that nothing
 * overflows or underflows and no factorials are needed.
 */
function terms(trials: number, rate: number): { first: number; probabilities: number[] } {
  const odds = rate / (1 - rate);
  const mode = Math.min(trials, Math.floor((trials + 1) * rate));
  const below: number[] = [];
  for (let x = mode, share = 1; x > 0 && share > NEGLIGIBLE; x--) {
    share *= x / ((trials - x + 1) * odds);
    below.push(share);
  }
  const above: number[] = [];
  for (let x = mode, share = 1; x < trials && share > NEGLIGIBLE; x++) {
    share *= ((trials - x) * odds) / (x + 1);
    above.push(share);
  }
  const shares = [...below.reverse(), 1, ...above];
  const total = shares.reduce((sum, share) => sum + share, 0);
  return { first: mode - below.length, probabilities: shares.map((share) => share / total) };
}

/** The smallest count that a binomial variable exceeds with a probability of at most `tail`. */
export function upperQuantile(trials: number, rate: number, tail: number = TAIL): number {
  const { first, probabilities } = terms(trials, rate);
  let last = probabilities.length - 1;
  for (let sum = 0; last > 0; last--) {
    sum += probabilities[last] ?? 0;
    if (sum > tail) break;
  }
  return first + last;
}

/** The largest count that a binomial variable falls below with a probability of at most `tail`. */
export function lowerQuantile(trials: number, rate: number, tail: number = TAIL): number {
  return trials - upperQuantile(trials, 1 - rate, tail);
}

/**
 * Expects that the number of hits is likely, given a rate that may be wrong by the factor `spread`, and that it is not
 * higher than is likely if a promised rate is kept.
 */
export function expectRate(hits: number, trials: number, rate: number, spread = 1.02, promised = 1): void {
  expect(hits, 'hits given the filter').toBeLessThanOrEqual(upperQuantile(trials, spread * rate));
  expect(hits, 'hits given the filter').toBeGreaterThanOrEqual(lowerQuantile(trials, rate / spread));
  if (promised < 1) expect(hits, 'hits as promised').toBeLessThanOrEqual(upperQuantile(trials, spread * promised));
}
