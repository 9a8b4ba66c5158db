// Checks of values from another thread or program. Unlike the checks of users' values, they return a boolean, and do
// not explain what is wrong.

/** Whether a value is a safe integer from `least` to `most`. */
export function isCount(value: unknown, least: number, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
}

/** Whether values are a capacity and an error rate; both are 0 if a filter was made from a size. */
export function isPromise(capacity: unknown, errorRate: unknown): boolean {
  if (capacity === 0) return Object.is(errorRate, 0);
  const isRate = typeof errorRate === 'number' && errorRate > 0 && errorRate < 1;
  return isRate && isCount(capacity, 1, Number.MAX_SAFE_INTEGER);
}
