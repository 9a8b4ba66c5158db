// The two plots, drawn by uPlot: 22 KB gzipped without dependencies, and it redraws while a number is typed. It draws
// on a canvas, without inline styles, so the page's policy can refuse these.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { percent, powerOfTen, short } from '../format.ts';
import { element } from '../shell/dom.ts';
import { bitsCurves, colors, fillingCurve, highestShown } from './curves.ts';
import { bitsOf } from './kinds.ts';
import type { Answer } from './solve.ts';

const counts = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

/** A color of the theme as the page computes it, because a canvas does not know `light-dark`. */
function themed(name: '--text' | '--muted' | '--line' | '--accent'): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function axis(label: string, values: uPlot.Axis.Values): uPlot.Axis {
  return {
    label,
    labelSize: 22,
    values,
    stroke: () => themed('--muted'),
    grid: { stroke: () => themed('--line'), width: 1 },
    ticks: { stroke: () => themed('--line'), width: 1, size: 4 },
    font: '12px system-ui, sans-serif',
    labelFont: '12px system-ui, sans-serif',
  };
}

function point(label: string): uPlot.Series {
  return {
    label,
    stroke: () => themed('--accent'),
    paths: () => null,
    points: { show: true, size: 11, fill: () => themed('--accent'), stroke: () => themed('--text'), width: 1.5 },
  };
}

/** `1 %`, `10⁻⁵` */
function rateLabel(exponent: number): string {
  return exponent > -4 ? percent(10 ** exponent) : powerOfTen(exponent);
}

/** An axis of rates, with a line for each power of ten, and labels where there is room. */
function rateAxis(direction: 'width' | 'height', size: number, room: number): uPlot.Axis {
  const powers: uPlot.Axis.Splits = (_, __, low, high) => {
    const least = Math.ceil(Math.log10(low) - 1e-9);
    const most = Math.floor(Math.log10(high) + 1e-9);
    return Array.from({ length: Math.max(0, most - least + 1) }, (_each, i) => 10 ** (least + i));
  };
  const labels: uPlot.Axis.Values = (plot, rates) => {
    const every = Math.ceil((room * rates.length) / (plot[direction] - 2 * size));
    const exponents = rates.map((rate) => Math.round(Math.log10(rate)));
    return exponents.map((exponent) => (exponent % every === 0 ? rateLabel(exponent) : null));
  };
  return { ...axis('error rate', labels), splits: powers, size };
}

/** A plot that fills its element, and whose contents are replaced. */
class Plot {
  readonly #root: HTMLElement;
  readonly #options: Omit<uPlot.Options, 'width' | 'height'>;
  #plot: uPlot | undefined;
  #data: uPlot.AlignedData = [[]];

  constructor(id: string, options: Omit<uPlot.Options, 'width' | 'height'>) {
    this.#root = element(id, HTMLElement);
    this.#root.setAttribute('role', 'img');
    this.#options = options;
    new ResizeObserver(() => this.#plot?.setSize(this.#size())).observe(this.#root);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#plot?.redraw());
  }

  /** @param description what the plot shows, in words */
  draw(data: uPlot.AlignedData, description: string): void {
    this.#root.setAttribute('aria-label', description);
    this.#data = data;
    if (this.#plot === undefined) {
      this.#plot = new uPlot({ ...this.#options, ...this.#size() }, this.#data, this.#root);
    } else {
      this.#plot.setData(this.#data);
    }
  }

  #size(): { width: number; height: number } {
    return { width: this.#root.clientWidth, height: this.#root.clientHeight };
  }
}

const common = { legend: { show: false }, cursor: { show: false } } as const;

const filling = new Plot('filling-plot', {
  ...common,
  scales: {
    x: { time: false },
    y: { distr: 3, range: (_, low, high) => [10 ** Math.floor(Math.log10(low)), Math.max(high, 1)] },
  },
  axes: [axis('keys', (_, splits) => splits.map((value) => counts.format(value))), rateAxis('height', 64, 20)],
  series: [{}, { label: 'error rate', stroke: () => themed('--text'), width: 2 }, point('chosen')],
});

const bits = new Plot('bits-plot', {
  ...common,
  scales: {
    x: { time: false, distr: 3, dir: -1 },
    y: { range: ({ data: [, ...columns] }) => [0, highestShown(columns)] },
  },
  axes: [rateAxis('width', 40, 42), { ...axis('bits per key', (_, splits) => splits.map(String)), size: 56 }],
  series: [
    {},
    ...colors.map(
      (stroke, i): uPlot.Series => ({ stroke, width: 2, ...(i === colors.length - 1 && { dash: [5, 4] }) }),
    ),
    point('chosen'),
  ],
});

/** Merges the chosen point into a sorted column of x values. Returns the column, and the index of the point. */
function withPoint(xs: readonly number[], x: number): { xs: number[]; at: number } {
  const at = xs.findIndex((each) => each >= x);
  const position = at < 0 ? xs.length : at;
  if (xs[position] === x) return { xs: [...xs], at: position };
  return { xs: [...xs.slice(0, position), x, ...xs.slice(position)], at: position };
}

/** A column of y values that fits the column of x values from `withPoint`: with `inserted` at the chosen point. */
function stretched<T>(column: readonly T[], at: number, length: number, inserted: T): T[] {
  return column.length === length ? [...column] : [...column.slice(0, at), inserted, ...column.slice(at)];
}

function only(length: number, at: number, value: number): (number | null)[] {
  return Array.from({ length }, (_, i) => (i === at ? value : null));
}

export function drawFilling(answer: Answer): void {
  const { capacity, errorRate, row, shape } = answer;
  const { counts: keys, rates } = fillingCurve(answer);
  const { xs, at } = withPoint(keys, capacity);
  const ys = stretched(rates, at, xs.length, row.rateAt(capacity, shape));
  filling.draw(
    [xs, ys, only(xs.length, at, row.rateAt(capacity, shape))],
    `The error rate of the ${row.kind} filter as it fills: ${percent(errorRate)} at its capacity.`,
  );
}

export function drawBits({ capacity, errorRate, row, shape }: Answer): void {
  const { rates, curves } = bitsCurves(capacity);
  const { xs, at } = withPoint(rates, errorRate);
  const columns = curves.map((values) => {
    const [before, after] = [values[at - 1], values[at]];
    const between = before != null && after != null ? (before + after) / 2 : null;
    return stretched(values, at, xs.length, between);
  });
  const perKey = bitsOf(shape) / capacity;
  bits.draw(
    [xs, ...columns, only(xs.length, at, perKey)],
    `Bits per key of all kinds against the error rate. The chosen ${row.kind} filter takes ${short(perKey)}.`,
  );
}
