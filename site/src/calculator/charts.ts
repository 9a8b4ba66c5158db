// The two plots as drawings: the error rate as a filter fills, and bits per key against the error rate.

import { percent, powerOfTen, rareRate, short } from '../format.ts';
import { bitsCurves, DECADES, fillingCurve, highestShown, LOWER_BOUND, type Point } from './curves.ts';
import type { Drawing, Ink, Mark } from '../plot/drawing.ts';
import { kindNamed } from './kinds.ts';
import { type Answer, bitsPerKey } from './solve.ts';

/** The room around a plot. */
interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

type Scale = (value: number) => number;

/** Names are at least this far apart, in pixels. */
const LINE_HEIGHT = 14;
/** What a letter of a name takes. */
const LETTER = 6.6;

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

function text(x: number, y: number, words: string, anchor: 'start' | 'middle' | 'end', ink: Ink = 'muted'): Mark {
  return { type: 'text', at: { x, y }, text: words, ink, anchor };
}

function line(x1: number, y1: number, x2: number, y2: number, ink: Ink = 'grid'): Mark {
  return {
    type: 'line',
    points: [
      { x: x1, y: y1 },
      { x: x2, y: y2 },
    ],
    ink,
    width: 1,
  };
}

/** `1 %`, `10⁻⁵` */
export function rateLabel(exponent: number): string {
  return exponent > -4 ? percent(10 ** exponent) : powerOfTen(exponent);
}

/** Whole numbers from `low` to `high`, at most `most` of them, at equal distances, with the last at `high`. */
function exponentsBetween(low: number, high: number, most: number): number[] {
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

/** The part of a curve below `top`, which ends exactly there if the curve goes beyond. */
function below(points: readonly Point[], top: number): Point[] {
  const end = points.findIndex(({ y }) => y > top);
  if (end < 0) return [...points];
  const [before, after] = [points[end - 1], points[end]];
  if (before === undefined || after === undefined) return [];
  const part = (top - before.y) / (after.y - before.y);
  // Rates are on a logarithmic axis.
  return [...points.slice(0, end), { x: before.x * (after.x / before.x) ** part, y: top }];
}

const scaled = (points: readonly Point[], x: Scale, y: Scale): Point[] =>
  points.map((point) => ({ x: x(point.x), y: y(point.y) }));

const inkOf = (name: string): Ink => kindNamed(name)?.color ?? 'muted';

/** The rarest errors that are drawn. A filter that is much too large errs more rarely than a number can tell. */
const LEAST_DRAWN = 1e-80;

/** Bits per key of all kinds against the error rate, with each name at the end of its line. */
export function bitsDrawing(answer: Answer, width: number, height: number): Drawing {
  const { capacity, row } = answer;
  const errorRate = Math.max(LEAST_DRAWN, answer.errorRate);
  const curves = bitsCurves(capacity, row.kind);
  const perKey = bitsPerKey(answer);
  const top = highestShown(curves, perKey);
  const least = Math.min(-DECADES, Math.floor(Math.log10(errorRate)));
  const frame: Frame = { left: 36, right: width - 82, top: 26, bottom: height - 40 };
  const x: Scale = (rate) =>
    frame.left + ((-1 - Math.log10(Math.min(0.1, rate))) / (-1 - least)) * (frame.right - frame.left);
  const y: Scale = (bits) => frame.bottom - (bits / top) * (frame.bottom - frame.top);
  const grid = roundSteps(top, 6).flatMap((bits) => [
    line(frame.left, y(bits), frame.right, y(bits)),
    text(frame.left - 6, y(bits) + 4, String(bits), 'end'),
  ]);
  const room = Math.floor((frame.right - frame.left) / 44);
  const ticks = exponentsBetween(least, -1, room).flatMap((exponent) => [
    line(x(10 ** exponent), frame.bottom, x(10 ** exponent), frame.bottom + 4),
    text(x(10 ** exponent), frame.bottom + 18, rateLabel(exponent), 'middle'),
  ]);
  const shown = curves.flatMap(({ name, points }) => {
    const visible = scaled(below(points, top), x, y);
    const end = visible.at(-1);
    return end === undefined ? [] : [{ name, visible, end }];
  });
  const atEdge = shown.filter(({ end }) => end.x > frame.right - 4);
  const places = spread(
    atEdge.map(({ end }) => end.y + 4),
    LINE_HEIGHT,
    frame.top,
    frame.bottom + 4,
  );
  const names = shown.map(({ name, end }): Mark => {
    const isBold = name === row.kind;
    const place = places[atEdge.findIndex((each) => each.name === name)];
    const at =
      place === undefined ? { x: end.x, y: Math.max(frame.top - 2, end.y - 6) } : { x: frame.right + 6, y: place };
    return { type: 'text', at, text: name, ink: inkOf(name), anchor: place === undefined ? 'middle' : 'start', isBold };
  });
  const lines = shown.map(
    ({ name, visible }): Mark => ({
      type: 'line',
      points: visible,
      ink: inkOf(name),
      width: name === row.kind ? 3 : 1.5,
      isDashed: name === LOWER_BOUND,
    }),
  );
  return {
    width,
    height,
    title: `Bits per key of all kinds against the error rate. The chosen ${row.kind} filter takes ${short(perKey)}.`,
    marks: [
      text(4, 13, 'bits per key', 'start'),
      ...grid,
      ...ticks,
      text((frame.left + frame.right) / 2, height - 5, 'error rate', 'middle'),
      ...lines,
      ...names,
      { type: 'dot', at: { x: x(errorRate), y: y(perKey) }, ink: row.color },
    ],
  };
}

/** The expected error rate at the capacity. It may be lower than the promised one, where cells have whole bits. */
function rateAtCapacity({ row, capacity, errorRate, shape }: Answer): number {
  return Math.max(LEAST_DRAWN, row.rateAt?.(capacity, shape) ?? errorRate);
}

/** So many decades below the rarest error rate are shown: how rarely an almost empty filter errs is of no use. */
const DECADES_BELOW = 2;

/** The curve of a filter, from a rate on; only its dot if all of it is lower. */
function shownFrom(least: number, answer: Answer): Point[] {
  const points = fillingCurve(answer).filter(({ y }) => y >= least);
  return points.length > 0 ? points : [{ x: answer.capacity, y: rateAtCapacity(answer) }];
}

interface End {
  readonly name: string;
  readonly end: Point;
}

/** The names of lines: behind those that end at the edge; above the others, so that no longer line crosses them. */
function namesAt(ends: readonly End[], frame: Frame, chosen: string): Mark[] {
  const isAtEdge = ({ end }: End): boolean => end.x > frame.right - 4;
  const named = (some: readonly End[], anchor: 'start' | 'end', shift: Point): Mark[] => {
    const places = spread(
      some.map(({ end }) => end.y + shift.y),
      LINE_HEIGHT,
      frame.top,
      frame.bottom,
    );
    return some.map(({ name, end }, i) => ({
      type: 'text',
      at: { x: end.x + shift.x, y: places[i] as number },
      text: name,
      ink: inkOf(name),
      anchor,
      isBold: name === chosen,
    }));
  };
  const inside = ends.filter((each) => !isAtEdge(each));
  return [...named(ends.filter(isAtEdge), 'start', { x: 6, y: 4 }), ...named(inside, 'end', { x: -8, y: -7 })];
}

/** The error rates of one or several filters as they fill, with a dot at the capacity of each. */
export function fillingDrawing(answers: readonly [Answer, ...Answer[]], width: number, height: number): Drawing {
  const [first] = answers;
  const rarest = Math.min(...answers.map(rateAtCapacity));
  const lowest = Math.floor(Math.log10(rarest)) - DECADES_BELOW;
  const curves = answers.map((answer) => ({ answer, name: answer.row.kind, points: shownFrom(10 ** lowest, answer) }));
  const all = curves.flatMap(({ points }) => points);
  const most = Math.max(...all.map(({ x }) => x));
  const longest = Math.max(...curves.map(({ name }) => name.length));
  const frame: Frame = { left: 50, right: width - 14 - LETTER * longest, top: 26, bottom: height - 40 };
  const x: Scale = (count) => frame.left + (count / most) * (frame.right - frame.left);
  const y: Scale = (rate) => frame.top + (Math.log10(Math.min(1, rate)) / lowest) * (frame.bottom - frame.top);
  const rows = exponentsBetween(lowest, 0, (frame.bottom - frame.top) / 22).flatMap((exponent) => [
    line(frame.left, y(10 ** exponent), frame.right, y(10 ** exponent)),
    text(frame.left - 6, y(10 ** exponent) + 4, rateLabel(exponent), 'end'),
  ]);
  const ticks = roundSteps(most, (frame.right - frame.left) / 70).flatMap((count) => [
    line(x(count), frame.bottom, x(count), frame.bottom + 4),
    text(x(count), frame.bottom + 18, compact.format(count), 'middle'),
  ]);
  const ends = curves.map(({ name, points }) => ({ name, end: scaled(points.slice(-1), x, y)[0] as Point }));
  const names = namesAt(ends, frame, first.row.kind);
  // The chosen one is drawn last, above the others.
  const onTop = [...curves].reverse();
  return {
    width,
    height,
    title: curves
      .map(
        ({ answer, name }) =>
          `The error rate of the ${name} filter as it fills: ${rareRate(answer.errorRate)} at its capacity.`,
      )
      .join(' '),
    marks: [
      text(4, 13, 'error rate', 'start'),
      ...rows,
      ...ticks,
      text((frame.left + frame.right) / 2, height - 5, 'keys', 'middle'),
      ...onTop.map(
        ({ name, points }): Mark => ({
          type: 'line',
          points: scaled(points, x, y),
          ink: inkOf(name),
          width: name === first.row.kind ? 3 : 2,
        }),
      ),
      ...names,
      ...onTop.map(
        ({ answer, name }): Mark => ({
          type: 'dot',
          at: { x: x(answer.capacity), y: y(rateAtCapacity(answer)) },
          ink: inkOf(name),
        }),
      ),
    ],
  };
}
