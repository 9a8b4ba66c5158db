// The points of the two plots.

import type { Point } from '../plot/drawing.ts';
import { bitsOf, type KindRow, shapeIfPossible } from './kind-row.ts';
import { kindNamed, kinds } from './kinds.ts';
import type { Answer } from './solve.ts';

const STEPS = 120;
/** The plot shows error rates up to this many times the capacity. */
const OVERRUN = 3;
/** Error rates from 10 % down to 10^-8. */
export const DECADES = 8;
/** The least rate in a plot. Below it, rounding errors dominate the formulas for blocks. */
const LEAST_RATE = 1e-10;

/**
 * The error rate against the number of keys. A kind that takes no more keys than its capacity ends there; one that keeps
 * its rate has a level line.
 */
export function fillingCurve({ row, capacity, errorRate, shape }: Answer): Point[] {
  const { rateAt, past } = row;
  const most = past === 'refuses' || past === 'complete' ? capacity : OVERRUN * capacity;
  if (rateAt === undefined) {
    return [
      { x: 0, y: errorRate },
      { x: most, y: errorRate },
    ];
  }
  const least = Math.min(LEAST_RATE, errorRate / 1000);
  const counts = Array.from({ length: STEPS + 1 }, (_, i) => Math.round((i / STEPS) * most));
  return [...new Set([...counts, capacity])]
    .sort((one, other) => one - other)
    .map((count) => ({ x: count, y: rateAt(count, shape) }))
    .filter(({ y }) => y > least);
}

/** The error rates at a few multiples of the capacity. */
export function overrun(answer: Answer): (readonly [times: number, rate: number])[] {
  const { row, capacity, errorRate, shape } = answer;
  const { rateAt, past } = row;
  const multiples = { errs: [0.5, 1, 1.5, 2, 3, 5], refuses: [0.5, 1], grows: [1, 5], forgets: [1, 5], complete: [1] };
  return multiples[past].map((times) => {
    const count = Math.max(1, Math.round(times * capacity));
    return [times, rateAt?.(count, shape) ?? errorRate];
  });
}

/** Curves are drawn for at least this many keys: with fewer, they would have steps. */
const LEAST_CAPACITY = 1000;
const MOST_CAPACITY = 2 ** 31;

export interface Curve {
  /** A kind, or the lower bound. */
  readonly name: string;
  readonly points: readonly Point[];
}

export const LOWER_BOUND = 'lower bound';

const exponents = Array.from({ length: STEPS + 1 }, (_, i) => -1 - (i / STEPS) * (DECADES - 1));

function curveOf(row: KindRow, capacity: number): Curve {
  const points = [...exponents.map((exponent) => 10 ** exponent), row.leastRate]
    .filter((rate) => rate >= Math.max(row.leastRate, 10 ** -DECADES))
    .sort((one, other) => other - one)
    .flatMap((rate): Point[] => {
      const shape = shapeIfPossible(row, capacity, rate);
      return shape === undefined ? [] : [{ x: rate, y: bitsOf(shape) / capacity }];
    });
  return { name: row.kind, points };
}

const bound: Curve = {
  name: LOWER_BOUND,
  points: exponents.map((exponent) => ({ x: 10 ** exponent, y: -exponent * Math.log2(10) })),
};

/** The curves of one capacity. They take some milliseconds, and most changes leave the capacity as it is. */
let made: { readonly keys: number; readonly curves: ReadonlyMap<string, Curve> } | undefined;

/** Bits per key against the error rate: of the kinds that are drawn together, the chosen one, and the lower bound. */
export function bitsCurves(capacity: number, chosen?: string): readonly Curve[] {
  const keys = Math.min(Math.max(capacity, LEAST_CAPACITY), MOST_CAPACITY);
  const kept = made?.keys === keys ? made.curves : new Map<string, Curve>();
  const rows = kinds.filter(({ kind, isDrawnAlone }) => !isDrawnAlone || kind === chosen);
  const curves = rows.map((row) => kept.get(row.kind) ?? curveOf(row, keys));
  made = { keys, curves: new Map([...kept, ...curves.map((curve) => [curve.name, curve] as const)]) };
  return [...curves, bound];
}

/** The end of the axis of bits per key: above all curves but those that leave the plot, and above the chosen point. */
export function highestShown(curves: readonly Curve[], chosen: number): number {
  const shown = curves
    .filter(({ name }) => !kindNamed(name)?.leavesPlot)
    .flatMap(({ points }) => points.map(({ y }) => y));
  return Math.max(1, chosen * 1.05, ...shown);
}
