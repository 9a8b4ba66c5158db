// The error rate against one of the numbers of a filter, as a drawing.

import { accent } from '../../../tools/colors.ts';
import { integer } from '../format.ts';
import { type Frame, inside, rateScale, type Scale, scaled, ticksOf } from '../plot/axes.ts';
import type { Drawing, Mark, Point } from '../plot/drawing.ts';

/** The power of ten down to which rates are shown, unless the chosen one is lower. */
const LOWEST = -6;

export interface RateCurve {
  /** What the horizontal axis shows. */
  readonly name: string;
  /** The values with a label, from the left end of the axis to the right one. */
  readonly ticks: readonly number[];
  readonly isLogarithmic: boolean;
  readonly points: readonly Point[];
  /** The point that is chosen. */
  readonly at: Point;
  /** Where the curve is lowest, if that is to be shown. */
  readonly best?: number;
  /** The plot in words. */
  readonly title: string;
}

export function rateDrawing(curve: RateCurve, width: number, height: number): Drawing {
  const { name, ticks, isLogarithmic, points, at, best, title } = curve;
  const frame: Frame = { left: 50, right: width - 22, top: 26, bottom: height - 40 };
  const scale: Scale = isLogarithmic ? Math.log10 : (value) => value;
  const [least = 0, most = 1] = [ticks[0] ?? 0, ticks.at(-1) ?? 1].map(scale);
  const x: Scale = (value) => frame.left + ((scale(value) - least) / (most - least)) * (frame.right - frame.left);
  const { y, rows } = rateScale(frame, Math.min(LOWEST, Math.floor(Math.log10(at.y))));
  const upright = [frame.top, frame.bottom].map((end) => ({ x: x(best ?? 0), y: end }));
  const lines = inside(scaled(points, x, y), frame);
  return {
    width,
    height,
    title,
    marks: [
      ...rows,
      ...ticksOf(frame, { name, at: x, values: ticks, labelOf: integer }),
      ...(best === undefined
        ? []
        : [{ type: 'line', points: upright, ink: accent, width: 1.5, isDashed: true } as const]),
      ...lines.map((line): Mark => ({ type: 'line', points: line, ink: 'text', width: 2 })),
      { type: 'dot', at: { x: x(at.x), y: y(at.y) }, ink: accent },
    ],
  };
}
