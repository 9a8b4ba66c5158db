// Estimates how many distinct lines are lost because they look like repetitions.

/** More steps would not change the digits that are shown. */
const STEPS = 500;

/**
 * The number of lines that are expected to be lost while a filter takes `added` keys. The first lines meet an empty
 * filter, so this is far less than the final error rate suggests.
 *
 * @param rateAt the expected error rate, by the number of keys
 */
export function expectedLosses(added: number, rateAt: (count: number) => number): number {
  const steps = Math.min(added, STEPS);
  let lost = 0;
  for (let i = 0; i < steps; i++) {
    const rate = Math.min(rateAt(Math.floor(((i + 0.5) * added) / steps)), 0.999_999);
    // The lines that look present, for each line that looks absent and is added.
    lost += rate / (1 - rate);
  }
  return steps === 0 ? 0 : (lost * added) / steps;
}
