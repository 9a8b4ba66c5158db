/** The median, the lowest and the highest of some numbers. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** The middle number, or the mean of the two in the middle. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  const lower = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

export function spreadOf(numbers: readonly number[]): Spread {
  return { median: median(numbers), lowest: Math.min(...numbers), highest: Math.max(...numbers) };
}

/**
 * How many times as long `other` takes as `one`; above 1, `one` is faster. Ratios are taken within each round, so that
 * a slow spell of the machine, which hits both, cancels out.
 */
export function ratioOf(one: readonly number[], other: readonly number[]): Spread {
  if (one.length !== other.length) throw new RangeError(`${one.length} rounds cannot be compared with ${other.length}`);
  return spreadOf(one.map((time, round) => (other[round] as number) / time));
}
