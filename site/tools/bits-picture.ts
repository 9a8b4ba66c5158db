// Draws docs/bits-per-key.svg: bits per key against the error rate, by the formulas of the calculator. Then draws the chart
// of the saved benchmark results, and writes the tables of the documents: `npm run plot`.

import { writeFileSync } from 'node:fs';
import { publish } from '../../bench/peers/publish.ts';
import { ink, themedStyle } from '../../tools/colors.ts';
import { bitsCurves, DECADES, LOWER_BOUND } from '../src/calculator/curves.ts';
import { kindNamed } from '../src/calculator/kinds.ts';
import { rateLabel } from '../src/plot/axes.ts';

/** So many keys that rounding to whole bits or blocks does not show. */
const KEYS = 10_000_000;
const WIDTH = 720;
const HEIGHT = 440;
const PLOT = { left: 64, right: 540, top: 28, bottom: 380 };
const MAX_BITS = 160;

/** Move labels down, in pixels, so that none lies on another. */
const shifts: Readonly<Record<string, number>> = { fuse: 11, scalable: -10, [LOWER_BOUND]: 20 };

/** Error rates fall from left to right on a logarithmic scale. */
const x = (rate: number): number => PLOT.left + ((-Math.log10(rate) - 1) / (DECADES - 1)) * (PLOT.right - PLOT.left);
const y = (bits: number): number => PLOT.bottom - (bits / MAX_BITS) * (PLOT.bottom - PLOT.top);
const line = (x1: number, y1: number, x2: number, y2: number, className: string): string =>
  `<line class="${className}" x1="${x1}" y1="${y1.toFixed(1)}" x2="${x2}" y2="${y2.toFixed(1)}"/>`;

const rows = Array.from({ length: MAX_BITS / 20 + 1 }, (_, i) => 20 * i).map(
  (bits) =>
    line(PLOT.left, y(bits), PLOT.right, y(bits), bits === 0 ? 'axis' : 'grid') +
    `<text x="${PLOT.left - 10}" y="${(y(bits) + 4).toFixed(1)}" text-anchor="end">${bits}</text>`,
);
const columns = Array.from({ length: DECADES }, (_, i) => -(i + 1)).map((exponent) => {
  const at = x(10 ** exponent);
  return `${line(at, PLOT.bottom, at, PLOT.bottom + 5, 'axis')}<text x="${at}" y="${PLOT.bottom + 21}" text-anchor="middle">${rateLabel(exponent)}</text>`;
});
const classOf = (name: string): string => name.replace(' ', '-');
const curves = bitsCurves(KEYS);
const drawn = curves.map(({ name, points }) => {
  const places = points.map((point) => `${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`).join(' ');
  const end = points.at(-1) ?? { x: 0, y: 0 };
  const isBound = name === LOWER_BOUND;
  // Label a curve that ends early above its end, where no other curve runs.
  const [dx, dy, anchor] = end.x > 1.001 * 10 ** -DECADES ? [0, -10, 'middle'] : [10, 4 + (shifts[name] ?? 0), 'start'];
  const place = `x="${(x(end.x) + dx).toFixed(1)}" y="${(y(end.y) + dy).toFixed(1)}" text-anchor="${anchor}"`;
  return (
    `<polyline class="${classOf(name)}" points="${places}"${isBound ? ' stroke-dasharray="5 4"' : ''}/>` +
    `<text class="name ${classOf(name)}" ${place}>${name}` +
    `<tspan class="value" dx="6">${isBound ? 'log₂ 1/p' : end.y.toFixed(0)}</tspan></text>`
  );
});

const style = themedStyle(
  (
    color,
  ) => `text { font: 13px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: ${color(ink.muted)} }
.name { font-weight: 600 }
.value { font-weight: 400 }
.ground { fill: ${color(ink.ground)} }
.grid { stroke: ${color(ink.grid)} }
.axis { stroke: ${color(ink.muted)} }
polyline { fill: none; stroke-width: 2.5; stroke-linejoin: round; stroke-linecap: round }
${curves
  .map(({ name }) => ({ name: classOf(name), tone: color(kindNamed(name)?.color ?? ink.muted) }))
  .map(({ name, tone }) => `polyline.${name} { stroke: ${tone} } text.${name} { fill: ${tone} }`)
  .join('\n')}`,
);

const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="t">
<title id="t">Bits per key against the error rate, for nine kinds of filter and the lower bound</title>
${style}
<rect class="ground" width="${WIDTH}" height="${HEIGHT}"/>
${[...rows, ...columns].join('\n')}
<text x="${PLOT.left - 10}" y="14" text-anchor="start">bits per key</text>
<text x="${(PLOT.left + PLOT.right) / 2}" y="${HEIGHT - 14}" text-anchor="middle">error rate</text>
${drawn.join('\n')}
</svg>
`;
writeFileSync(new URL('../../docs/bits-per-key.svg', import.meta.url), svg);
publish();
