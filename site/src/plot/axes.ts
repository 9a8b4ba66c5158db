// What plots with axes have in common: scales, grids, and lines that end at the edge of the plot.

import { percent, powerOfTen } from '../format.ts';
import type { Mark, Point } from './drawing.ts';

/** The room of a plot between its axes and its names. */
export interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export type Scale = (value: number) => number;

function text(x: number, y: number, words: string, anchor: 'start' | 'middle' | 'end'): Mark {
  return { type: 'text', at: { x, y }, text: words, ink: 'muted', anchor };
}

function gridLine(x1: number, y1: number, x2: number, y2: number): Mark {
  return {
    type: 'line',
    points: [
      { x: x1, y: y1 },
      { x: x2, y: y2 },
    ],
    ink: 'grid',
    width: 1,
  };
}

/** `1 %`, `10⁻⁵` */
export function rateLabel(exponent: number): string {
  return exponent > -4 ? percent(10 ** exponent) : powerOfTen(exponent);
}

/** Whole numbers from `low` to `high`, at most `most` of them, at equal distances, with the last at `high`. */
export function exponentsBetween(low: number, high: number, most: number): number[] {
  const every = Math.max(1, Math.ceil((high - low) / Math.max(1, most)));
  const count = Math.floor((high - low) / every) + 1;
  return Array.from({ length: count }, (_, i) => high - i * every);
}

/** Round numbers from 0 to `most`, about `count` of them. */
export function roundSteps(most: number, count: number): number[] {
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((each) => each >= rough) ?? rough;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

/** An axis with the values that have a label. */
interface Axis {
  readonly name: string;
  readonly at: Scale;
  readonly values: readonly number[];
  labelOf(value: number): string;
}

/** The vertical axis: a line across the frame for each value. */
export function rowsOf({ left, right }: Frame, { name, at, values, labelOf }: Axis): Mark[] {
  const rows = values.flatMap((value) => [
    gridLine(left, at(value), right, at(value)),
    text(left - 6, at(value) + 4, labelOf(value), 'end'),
  ]);
  return [text(4, 13, name, 'start'), ...rows];
}

/** The horizontal axis: a tick below the frame for each value. */
export function ticksOf({ left, right, bottom }: Frame, { name, at, values, labelOf }: Axis): Mark[] {
  const ticks = values.flatMap((value) => [
    gridLine(at(value), bottom, at(value), bottom + 4),
    text(at(value), bottom + 18, labelOf(value), 'middle'),
  ]);
  return [...ticks, text((left + right) / 2, bottom + 35, name, 'middle')];
}

/** A logarithmic scale of error rates, from 1 at the top down to a power of ten, with its rows. */
export function rateScale(frame: Frame, lowest: number): { readonly y: Scale; readonly rows: Mark[] } {
  const { top, bottom } = frame;
  const at: Scale = (power) => top + (power / lowest) * (bottom - top);
  const values = exponentsBetween(lowest, 0, (bottom - top) / 22);
  return {
    y: (rate) => at(Math.log10(Math.min(1, Math.max(Number.MIN_VALUE, rate)))),
    rows: rowsOf(frame, { name: 'error rate', at, values, labelOf: rateLabel }),
  };
}

export const scaled = (points: readonly Point[], x: Scale, y: Scale): Point[] =>
  points.map((point) => ({ x: x(point.x), y: y(point.y) }));

/** The parts of a line that are inside a frame. One that leaves it ends exactly at its edge. */
export function inside(points: readonly Point[], { top, bottom }: Frame): Point[][] {
  const withCrossings = points.flatMap((point, i) => {
    const before = points[i - 1] ?? point;
    const crossed = [top, bottom].filter((edge) => (before.y - edge) * (point.y - edge) < 0);
    const crossings = crossed.map((edge) => {
      const part = (edge - before.y) / (point.y - before.y);
      return { part, x: before.x + part * (point.x - before.x), y: edge };
    });
    return [...crossings.sort((one, other) => one.part - other.part), point];
  });
  const runs: Point[][] = [[]];
  for (const { x, y } of withCrossings) {
    if (y >= top && y <= bottom) runs.at(-1)?.push({ x, y });
    else runs.push([]);
  }
  return runs.filter(({ length }) => length > 0);
}
