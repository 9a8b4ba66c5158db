// Draws docs/bits-per-key.svg: bits per key against the error rate, computed with the formulas that size the filters.
// Then draws the chart of the saved benchmark results, and writes the tables of the documents.
import { writeFileSync } from 'node:fs';
import { publish } from '../bench/peers/publish.ts';
import { BLOCK_BITS, optimalBlocks } from '../src/kinds/blocked/sizing.ts';
import { sizeFor } from '../src/kinds/classic/sizing.ts';
import { BUCKET_SLOTS, optimalCuckooBuckets, optimalCuckooFingerprintBits } from '../src/kinds/cuckoo/sizing.ts';
import { KEY_CELLS, optimalDLeftBuckets, optimalDLeftRemainderBits } from '../src/kinds/dleft/sizing.ts';
import { optimalFuseCells, optimalFuseFingerprintBits } from '../src/kinds/fuse/sizing.ts';
import { rotatingLayout } from '../src/kinds/rotating/sizing.ts';
import { optimalWideBlocks, BLOCK_BITS as WIDE_BLOCK_BITS } from '../src/kinds/wide/sizing.ts';
import { ink, kindColor, themedStyle } from './colors.ts';

/** So many keys that rounding to whole bits or blocks does not show. */
const KEYS = 10_000_000;
const WIDTH = 720;
const HEIGHT = 440;
const PLOT = { left: 64, right: 540, top: 28, bottom: 380 };
const MAX_BITS = 160;
const DECADES = 8;
/** The default number of generations of a rotating filter. */
const GENERATIONS = 4;
const LEAST_RATE = 10 ** -DECADES;

/** `down` moves a label, in pixels, so that none lies on another. */
const curves = [
  { label: 'counting', bits: (p: number) => 4 * sizeFor(KEYS, p).cellCount },
  { label: 'blocked', least: 1e-5, bits: (p: number) => optimalBlocks(KEYS, p) * BLOCK_BITS },
  { label: 'wide', bits: (p: number) => optimalWideBlocks(KEYS, p) * WIDE_BLOCK_BITS },
  { label: 'classic', bits: (p: number) => sizeFor(KEYS, p).cellCount },
  { label: 'fuse', bits: (p: number) => optimalFuseCells(KEYS) * optimalFuseFingerprintBits(p), down: 11 },
  // The size before the filter grows: each further sub-filter adds to the bits per key.
  { label: 'scalable', bits: (p: number) => sizeFor(KEYS, 0.3 * p).cellCount, down: -10 },
  {
    label: 'rotating',
    least: 4e-5,
    bits: (p: number) => GENERATIONS * rotatingLayout(KEYS, p, GENERATIONS).blocks * BLOCK_BITS,
  },
  {
    label: 'cuckoo',
    bits: (p: number) => BUCKET_SLOTS * optimalCuckooBuckets(KEYS) * optimalCuckooFingerprintBits(KEYS, p),
  },
  {
    label: 'd-left',
    kind: 'dleft',
    least: 3e-8,
    bits: (p: number) => KEY_CELLS * optimalDLeftBuckets(KEYS) * (optimalDLeftRemainderBits(KEYS, p) + 2),
  },
  {
    label: 'lower bound',
    note: 'log₂ 1/p',
    bits: (p: number) => KEYS * Math.log2(1 / p),
    down: 20,
    dash: '5 4',
  },
];

/** Error rates fall from left to right on a logarithmic scale. */
const x = (rate: number): number => PLOT.left + ((-Math.log10(rate) - 1) / (DECADES - 1)) * (PLOT.right - PLOT.left);
const y = (bits: number): number => PLOT.bottom - (bits / MAX_BITS) * (PLOT.bottom - PLOT.top);
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const rateLabel = (rate: number): string =>
  rate >= 1e-4 ? `${Number((100 * rate).toPrecision(1))} %` : `10⁻${SUPERSCRIPTS[Math.round(-Math.log10(rate))]}`;
const line = (x1: number, y1: number, x2: number, y2: number, className: string): string =>
  `<line class="${className}" x1="${x1}" y1="${y1.toFixed(1)}" x2="${x2}" y2="${y2.toFixed(1)}"/>`;

const rows = Array.from({ length: MAX_BITS / 20 + 1 }, (_, i) => 20 * i).map(
  (bits) =>
    line(PLOT.left, y(bits), PLOT.right, y(bits), bits === 0 ? 'axis' : 'grid') +
    `<text x="${PLOT.left - 10}" y="${(y(bits) + 4).toFixed(1)}" text-anchor="end">${bits}</text>`,
);
const columns = Array.from({ length: DECADES }, (_, i) => 10 ** -(i + 1)).map(
  (rate) =>
    line(x(rate), PLOT.bottom, x(rate), PLOT.bottom + 5, 'axis') +
    `<text x="${x(rate)}" y="${PLOT.bottom + 21}" text-anchor="middle">${rateLabel(rate)}</text>`,
);
const STEPS = 80;
const classOf = (kind: string): string => kind.replace(' ', '-');
const drawn = curves.map(({ label, kind = label, note, bits, dash, down = 0, least = LEAST_RATE }) => {
  const steps = Array.from({ length: STEPS + 1 }, (_, i) => 10 ** -(1 + (i / STEPS) * (DECADES - 1)));
  const rates = [...steps.filter((rate) => rate > least), least];
  const points = rates.map((rate) => `${x(rate).toFixed(1)},${y(bits(rate) / KEYS).toFixed(1)}`).join(' ');
  const end = bits(least) / KEYS;
  const style = dash === undefined ? '' : ` stroke-dasharray="${dash}"`;
  // Label a curve that ends early above its end, where no other curve runs.
  const [dx, dy, anchor] = least === LEAST_RATE ? [10, 4 + down, 'start'] : [0, -10, 'middle'];
  const place = `x="${(x(least) + dx).toFixed(1)}" y="${(y(end) + dy).toFixed(1)}" text-anchor="${anchor}"`;
  return (
    `<polyline class="${classOf(kind)}" points="${points}"${style}/>` +
    `<text class="name ${classOf(kind)}" ${place}>${label}` +
    `<tspan class="value" dx="6">${note ?? end.toFixed(0)}</tspan></text>`
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
${curves.map(({ label, kind = label }) => `polyline.${classOf(kind)} { stroke: ${color(kindColor(kind))} } text.${classOf(kind)} { fill: ${color(kindColor(kind))} }`).join('\n')}`,
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
writeFileSync(new URL('../docs/bits-per-key.svg', import.meta.url), svg);
publish();
