// Refuses to store a run that was measured while the machine did something else as well.

import { BenchmarkError } from './cli.ts';
import { extentOf, nanoseconds, quantile, times } from './figures.ts';

/** A row of a run, with what it took in each round, in nanoseconds per key. */
export interface Timed {
  readonly name: string;
  readonly rounds: readonly number[];
  /** The smallest difference that the clock can tell, in the same unit. */
  readonly step?: number;
}

/** The spread of a row: how many times as long the upper quartile of its rounds takes as the lower one. */
interface Row {
  readonly name: string;
  readonly lowest: number;
  readonly highest: number;
  readonly spread: number;
}

/**
 * The most spread that a run may have. That of a run is what three quarters of its rows do not pass: in a few, rounds lie
 * apart on any machine, because garbage is collected, or memory is cold. On a quiet machine it was 1.1 to 1.8 in browsers
 * and 1.2 in Node; on a busy one up to 3.1.
 */
export const MOST_SPREAD = 1.8;
const SHARE = 0.75;

function rowOf({ name, rounds, step = 0 }: Timed): Row {
  const [lowest, highest] = [quantile(rounds, 0.25), quantile(rounds, 0.75)];
  return { name, lowest, highest, spread: Math.max(1, (highest - step) / Math.max(lowest, step)) };
}

/** @throws BenchmarkError if the rounds of a run lie further apart than those of a quiet machine */
export function requireQuiet(run: readonly Timed[]): void {
  const rows = run.map(rowOf).sort((one, other) => other.spread - one.spread);
  const spread = quantile(
    rows.map((row) => row.spread),
    SHARE,
  );
  if (spread <= MOST_SPREAD) return;
  const noisy = rows.filter((row) => row.spread > MOST_SPREAD);
  throw new BenchmarkError(
    [
      `Not saved: the machine was busy. The rounds of ${noisy.length} of ${rows.length} rows lie more than ${MOST_SPREAD} times apart, from quartile`,
      `to quartile, and the spread of the run is ${times(spread)}. Close other programs, and measure again.`,
      ...noisy.map((row) => `- ${row.name}: ${times(row.spread)} times, ${extentOf(row, nanoseconds)} ns`),
    ].join('\n'),
  );
}
