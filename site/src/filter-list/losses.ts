// How many different lines are lost because they look like repetitions.

/** More steps change nothing that is shown. */
const STEPS = 500;

/**
 * The number of lines that are expected to be lost while a filter takes `added` keys. The first ones meet an empty
 * filter, so this is far less than the final error rate would give.
 *
 * @param rateAt the expected error rate with so many keys
 */
export function expectedLosses(added: number, rateAt: (count: number) => number): number {
  const steps = Math.min(added, STEPS);
  let lost = 0;
  for (let i = 0; i < steps; i++) {
    const rate = Math.min(rateAt(Math.floor(((i + 0.5) * added) / steps)), 0.999_999);
    // So many lines look present for each one that looks absent, and is added.
    lost += rate / (1 - rate);
  }
  return steps === 0 ? 0 : (lost * added) / steps;
}
