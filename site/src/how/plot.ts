// A line plot of error rates with a logarithmic scale, as SVG.

import { percent, powerOfTen } from '../format.ts';
import { makeSvg } from '../shell/dom.ts';

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

function textAt(x: number, y: number, anchor: 'end' | 'middle', words: string): SVGElement {
  const made = makeSvg('text', { class: 'plot-text', x, y, 'text-anchor': anchor });
  made.textContent = words;
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
  readonly root = makeSvg('svg', { class: 'plot', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img' });
  readonly #options: PlotOptions;
  readonly #curve = makeSvg('path', { class: 'plot-curve' });
  readonly #best = makeSvg('line', { class: 'plot-best', y1: TOP, y2: HEIGHT - BOTTOM });
  readonly #point = makeSvg('circle', { class: 'plot-point', r: 6 });

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
        makeSvg('line', { class: 'plot-line', x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y }),
        textAt(LEFT - 6, y + 4, 'end', text),
      ];
    });
    const columns = ticks.map((tick) => textAt(this.#xOf(tick), HEIGHT - BOTTOM + 15, 'middle', tickText(tick)));
    return [...rows, ...columns, textAt((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4, 'middle', name)];
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
