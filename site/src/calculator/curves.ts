// The points of the two plots.

import { endlessKinds } from './endless.ts';
import { bitsOf, kinds, type SizedKind } from './kinds.ts';
import type { Answer } from './solve.ts';

const STEPS = 120;
/** The plot shows error rates up to this many times the capacity. */
const OVERRUN = 3;
/** Error rates from 10 % down to 10^-8. */
const DECADES = 8;
/** The least rate in a plot. Below it, rounding errors dominate the formulas for blocks. */
const LEAST_RATE = 1e-10;

/** The curves of bits per key: all kinds, and last the lower bound. */
const drawn: readonly SizedKind[] = [...kinds, ...endlessKinds];
export const curveNames: readonly string[] = [...drawn.map(({ kind }) => kind), 'lower bound'];

/** A color for each curve, all visible on white and on black. */
export const colors = [
  '#3b82d6',
  '#12937a',
  '#9a5bd0',
  '#c2570c',
  '#b8860b',
  '#96694c',
  '#c23b6b',
  '#6f9a1f',
  '#1699b0',
  '#a0715a',
  '#808890',
] as const;

type Column = (number | null)[];

/** The error rate against the number of keys. A kind that takes no more keys than its capacity ends there. */
export function fillingCurve({ row, capacity, errorRate, shape }: Answer): { counts: number[]; rates: Column } {
  const most = row.overruns ? OVERRUN * capacity : capacity;
  const least = Math.min(LEAST_RATE, errorRate / 1000);
  const counts = Array.from({ length: STEPS + 1 }, (_, i) => Math.round((i / STEPS) * most));
  const distinct = [...new Set(counts)];
  const rates = distinct.map((count) => {
    const rate = row.rateAt(count, shape);
    return rate > least ? rate : null;
  });
  return { counts: distinct, rates };
}

/** The error rates at a few multiples of the capacity. */
export function overrun({ row, capacity, shape }: Answer): readonly (readonly [times: number, rate: number])[] {
  const multiples = row.overruns ? [0.5, 1, 1.5, 2, 3, 5] : row.grows ? [0.5, 1] : [1];
  return multiples.map((times) => [times, row.rateAt(Math.max(1, Math.round(times * capacity)), shape)]);
}

/** Curves are drawn for at least this many keys: with fewer, they would have steps. */
const LEAST_CAPACITY = 1000;

function bitsPerKey({ shapeFor }: SizedKind, capacity: number, errorRate: number): number | null {
  try {
    return bitsOf(shapeFor(capacity, errorRate)) / capacity;
  } catch {
    // The kind has no such filter.
    return null;
  }
}

/** Bits per key against the error rate, in the order of `curveNames`. */
export function bitsCurves(capacity: number): { rates: number[]; curves: Column[] } {
  const keys = Math.min(Math.max(capacity, LEAST_CAPACITY), 2 ** 31);
  const rates = Array.from({ length: STEPS + 1 }, (_, i) => 10 ** (-DECADES + (i / STEPS) * (DECADES - 1)));
  const curves = drawn.map((row) => rates.map((rate) => bitsPerKey(row, keys, rate)));
  return { rates, curves: [...curves, rates.map((rate) => Math.log2(1 / rate))] };
}

/** The end of the axis of bits per key. `columns` begin with the curves. */
export function highestShown(columns: readonly ArrayLike<number | null | undefined>[]): number {
  const shown = columns.filter((_, i) => !drawn[i]?.leavesPlot);
  return Math.max(1, ...shown.flatMap((column) => Array.from(column, (value) => value ?? 0)));
}
