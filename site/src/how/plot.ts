// A line plot of error rates with a logarithmic scale, as SVG.

import { percent, powerOfTen } from '../format.ts';

const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 320;
const HEIGHT = 220;
const LEFT = 46;
const RIGHT = 10;
const TOP = 10;
const BOTTOM = 34;
/** The powers of ten of the highest and the lowest rate. */
const HIGHEST = 0;
const LOWEST = -6;

type Point = readonly [x: number, rate: number];

interface PlotOptions {
  /** What the horizontal axis shows. */
  readonly name: string;
  readonly ticks: readonly number[];
  readonly isLogarithmic: boolean;
}

function node(name: string, attributes: Readonly<Record<string, string | number>>, text?: string): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

function tickText(value: number): string {
  return value >= 1000 ? `${value / 1000}k` : String(value);
}

/** The vertical place of a rate. Rates below the scale are at its lower end. */
function yOf(rate: number): number {
  const power = Math.max(LOWEST, Math.log10(rate));
  return TOP + ((HIGHEST - power) / (HIGHEST - LOWEST)) * (HEIGHT - TOP - BOTTOM);
}

export class Plot {
  readonly root = node('svg', { class: 'plot', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img' });
  readonly #options: PlotOptions;
  readonly #curve = node('path', { class: 'plot-curve' });
  readonly #best = node('line', { class: 'plot-best', y1: TOP, y2: HEIGHT - BOTTOM });
  readonly #point = node('circle', { class: 'plot-point', r: 6 });

  constructor(options: PlotOptions) {
    this.#options = options;
    this.root.append(...this.#axes(), this.#best, this.#curve, this.#point);
  }

  #xOf(value: number): number {
    const { ticks, isLogarithmic } = this.#options;
    const scale = isLogarithmic ? Math.log10 : (plain: number): number => plain;
    const [least, most] = [scale(ticks[0] ?? 1), scale(ticks.at(-1) ?? 1)];
    return LEFT + ((scale(value) - least) / (most - least)) * (WIDTH - LEFT - RIGHT);
  }

  #axes(): SVGElement[] {
    const { name, ticks } = this.#options;
    const powers = Array.from({ length: HIGHEST - LOWEST + 1 }, (_, i) => HIGHEST - i);
    const rows = powers.flatMap((power) => {
      const y = yOf(10 ** power);
      const text = power >= -3 ? percent(10 ** power) : powerOfTen(power);
      return [
        node('line', { class: 'plot-line', x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y }),
        node('text', { class: 'plot-text', x: LEFT - 6, y: y + 4, 'text-anchor': 'end' }, text),
      ];
    });
    const columns = ticks.map((tick) => {
      const x = this.#xOf(tick);
      return node('text', { class: 'plot-text', x, y: HEIGHT - BOTTOM + 15, 'text-anchor': 'middle' }, tickText(tick));
    });
    const middle = (LEFT + WIDTH - RIGHT) / 2;
    const title = node('text', { class: 'plot-text', x: middle, y: HEIGHT - 4, 'text-anchor': 'middle' }, name);
    return [...rows, ...columns, title];
  }

  /**
   * @param points the curve
   * @param at the point on it that is chosen
   * @param best where the curve is lowest, if that is to be shown
   * @param description the plot in words
   */
  draw(points: readonly Point[], at: Point, description: string, best?: number): void {
    const steps = points.map(([x, rate]) => `${this.#xOf(x).toFixed(1)} ${yOf(rate).toFixed(1)}`);
    this.#curve.setAttribute('d', `M${steps.join('L')}`);
    this.#point.setAttribute('cx', this.#xOf(at[0]).toFixed(1));
    this.#point.setAttribute('cy', yOf(at[1]).toFixed(1));
    const x = best === undefined ? -10 : this.#xOf(best);
    for (const name of ['x1', 'x2']) this.#best.setAttribute(name, x.toFixed(1));
    this.root.setAttribute('aria-label', description);
  }
}
