// The two plots as drawings: the error rate as a filter fills, and bits per key against the error rate.

import { rareRate, short } from '../format.ts';
import {
  exponentsBetween,
  type Frame,
  inside,
  rateLabel,
  rateScale,
  roundSteps,
  rowsOf,
  type Scale,
  scaled,
  ticksOf,
} from '../plot/axes.ts';
import type { Drawing, Ink, Mark, Point } from '../plot/drawing.ts';
import { bitsCurves, DECADES, fillingCurve, highestShown, LOWER_BOUND } from './curves.ts';
import { kindNamed } from './kinds.ts';
import { type Answer, bitsPerKey } from './solve.ts';

/** Names are at least this far apart, in pixels. */
const LINE_HEIGHT = 14;
/** What a letter of a name takes. */
const LETTER = 6.6;

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

/** Moves values apart, as little as needed, so that neighbors are `gap` apart and none is outside. */
export function spread(values: readonly number[], gap: number, low: number, high: number): number[] {
  const order = [...values.keys()].sort((one, other) => (values[one] as number) - (values[other] as number));
  const placed = new Map<number, number>();
  let least = low;
  for (const index of order) {
    const at = Math.max(least, values[index] as number);
    placed.set(index, at);
    least = at + gap;
  }
  let most = high;
  for (const index of order.reverse()) {
    const at = Math.min(most, placed.get(index) as number);
    placed.set(index, at);
    most = at - gap;
  }
  return values.map((_, index) => placed.get(index) as number);
}

/** The rarest errors that are drawn. A filter that is much too large errs more rarely than a number can tell. */
const LEAST_DRAWN = 1e-80;

const inkOf = (name: string): Ink => kindNamed(name)?.color ?? 'muted';

/** A line with its name, in pixels. */
interface Line {
  readonly name: string;
  readonly points: readonly Point[];
  readonly width: number;
}

const endOf = ({ points }: Line): Point => points.at(-1) as Point;

const lineMark = ({ name, points, width }: Line): Mark => ({
  type: 'line',
  points,
  ink: inkOf(name),
  width,
  isDashed: name === LOWER_BOUND,
});

/**
 * The names of lines: behind those that end at the edge; above the others, so that no longer line crosses them.
 *
 * @param anchor of the names above
 */
function namesAt(lines: readonly Line[], frame: Frame, chosen: string | undefined, anchor: 'middle' | 'end'): Mark[] {
  const isAtEdge = (line: Line): boolean => endOf(line).x > frame.right - 4;
  const named = (some: readonly Line[], at: 'start' | typeof anchor, shift: Point): Mark[] => {
    const heights = some.map((line) => endOf(line).y + shift.y);
    const places = spread(heights, LINE_HEIGHT, frame.top, frame.bottom);
    return some.map((line, i) => ({
      type: 'text',
      at: { x: endOf(line).x + shift.x, y: places[i] as number },
      text: line.name,
      ink: inkOf(line.name),
      anchor: at,
      isBold: line.name === chosen,
    }));
  };
  const others = lines.filter((line) => !isAtEdge(line));
  return [
    ...named(lines.filter(isAtEdge), 'start', { x: 6, y: 4 }),
    ...named(others, anchor, { x: anchor === 'end' ? -8 : 0, y: -7 }),
  ];
}

/** Bits per key of all kinds against the error rate, with each name at the end of its line, and a dot at the answer. */
export function bitsDrawing(capacity: number, answer: Answer | undefined, width: number, height: number): Drawing {
  const kind = answer?.row.kind;
  const errorRate = Math.max(LEAST_DRAWN, answer?.errorRate ?? 1);
  const curves = bitsCurves(capacity, kind);
  const perKey = answer ? bitsPerKey(answer) : 0;
  const top = highestShown(curves, perKey);
  const least = Math.min(-DECADES, Math.floor(Math.log10(errorRate)));
  const frame: Frame = { left: 36, right: width - 82, top: 26, bottom: height - 40 };
  const xOf: Scale = (power) => frame.left + ((-1 - power) / (-1 - least)) * (frame.right - frame.left);
  const x: Scale = (rate) => xOf(Math.log10(Math.min(0.1, rate)));
  const y: Scale = (bits) => frame.bottom - (bits / top) * (frame.bottom - frame.top);
  const powers = exponentsBetween(least, -1, Math.floor((frame.right - frame.left) / 44));
  const lines = curves.flatMap(({ name, points }) => {
    const [visible] = inside(scaled(points, x, y), frame);
    return visible === undefined ? [] : [{ name, points: visible, width: name === kind ? 3 : 1.5 }];
  });
  return {
    width,
    height,
    title: `Bits per key of all kinds against the error rate.${answer ? ` The chosen ${kind} filter takes ${short(perKey)}.` : ''}`,
    marks: [
      ...rowsOf(frame, { name: 'bits per key', at: y, values: roundSteps(top, 6), labelOf: String }),
      ...ticksOf(frame, { name: 'error rate', at: xOf, values: powers, labelOf: rateLabel }),
      ...lines.map(lineMark),
      ...namesAt(lines, frame, kind, 'middle'),
      ...(answer ? [{ type: 'dot', at: { x: x(errorRate), y: y(perKey) }, ink: answer.row.color } as const] : []),
    ],
  };
}

/** The expected error rate at the capacity. It may be lower than the promised one, where cells have whole bits. */
function rateAtCapacity({ row, capacity, errorRate, shape }: Answer): number {
  return Math.max(LEAST_DRAWN, row.rateAt?.(capacity, shape) ?? errorRate);
}

/** So many decades below the rarest error rate are shown: how rarely an almost empty filter errs is of no use. */
const DECADES_BELOW = 2;

/** The error rates of one or several filters as they fill, with a dot at the capacity of each. */
export function fillingDrawing(answers: readonly [Answer, ...Answer[]], width: number, height: number): Drawing {
  const chosen = answers[0].row.kind;
  const rarest = Math.min(...answers.map(rateAtCapacity));
  const lowest = Math.floor(Math.log10(rarest)) - DECADES_BELOW;
  const curves = answers.map((answer) => ({ answer, points: fillingCurve(answer) }));
  const most = Math.max(...curves.flatMap(({ answer, points }) => [answer.capacity, ...points.map(({ x }) => x)]));
  const longest = Math.max(...answers.map(({ row }) => row.kind.length));
  const frame: Frame = { left: 50, right: width - 14 - LETTER * longest, top: 26, bottom: height - 40 };
  const x: Scale = (count) => frame.left + (count / most) * (frame.right - frame.left);
  const { y, rows } = rateScale(frame, lowest);
  const counts = roundSteps(most, (frame.right - frame.left) / 70);
  const lines = curves.map(({ answer, points }) => {
    const { kind } = answer.row;
    const dot = { x: x(answer.capacity), y: y(rateAtCapacity(answer)) };
    // Only the dot if all of the line is lower.
    const [visible = [dot]] = inside(scaled(points, x, y), frame);
    return { name: kind, points: visible, width: kind === chosen ? 3 : 2, dot };
  });
  // The chosen one is drawn last, above the others.
  const onTop = [...lines].reverse();
  return {
    width,
    height,
    title: answers
      .map(
        ({ row, errorRate }) =>
          `The error rate of the ${row.kind} filter as it fills: ${rareRate(errorRate)} at its capacity.`,
      )
      .join(' '),
    marks: [
      ...rows,
      ...ticksOf(frame, { name: 'keys', at: x, values: counts, labelOf: (count) => compact.format(count) }),
      ...onTop.map(lineMark),
      ...namesAt(lines, frame, chosen, 'end'),
      ...onTop.map(({ name, dot }): Mark => ({ type: 'dot', at: dot, ink: inkOf(name) })),
    ],
  };
}
