// Draws docs/benchmark.svg: how many keys a second each choice looks up.

import { integer, type Spread } from '../shared/figures.ts';
import { describeMachine } from '../shared/machine.ts';
import type { Report } from '../shared/results.ts';
import { choicesOf, mostKeys, temperatures } from './choices.ts';

const WIDTH = 720;
const PLOT = { left: 272, right: 672, top: 84 };
const BAR = 13;
const GAP = 9;

/** Colors that stand out on white and on black. */
const OURS = '#12937a';
const OTHERS = '#808890';
const opacities = { names: 1, cold: 0.5 } as const;

const perSecond = (nanoseconds: number): number => 1000 / nanoseconds;

function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${attributes}>${content}</text>`;
}

/** A bar as long as the median, with a line from the slowest round to the fastest. */
function barOf(y: number, time: Spread, scale: number, paint: string): string {
  const x = (nanoseconds: number): number => PLOT.left + scale * perSecond(nanoseconds);
  const end = x(time.median);
  const middle = y + BAR / 2;
  const speed = perSecond(time.median);
  return (
    `<rect x="${PLOT.left}" y="${y}" width="${(end - PLOT.left).toFixed(1)}" height="${BAR - 1}" ${paint}/>` +
    `<path class="spread" d="M${x(time.highest).toFixed(1)} ${middle}H${x(time.lowest).toFixed(1)}"/>` +
    text(Math.max(end, x(time.lowest)) + 6, y + BAR - 2.5, speed.toFixed(speed < 1 ? 2 : 1))
  );
}

/** Bars for lookups of present keys: two for each choice. */
export function drawChart(report: Report): string {
  const choices = choicesOf(report).map(({ label, ours, result }) => ({
    label,
    color: ours ? OURS : OTHERS,
    times: temperatures.flatMap(({ set }) => {
      const time = result(set, 'hit')?.nanoseconds;
      return time ? [{ set, time }] : [];
    }),
  }));
  const fastest = Math.max(...choices.flatMap(({ times }) => times.map(({ time }) => perSecond(time.lowest))));
  const scale = (PLOT.right - PLOT.left) / fastest;
  const parts: string[] = [];
  let y = PLOT.top;
  for (const { label, color, times } of choices) {
    const className = color === OURS ? ' class="ours"' : '';
    parts.push(text(PLOT.left - 8, y + (times.length * BAR) / 2 + 4, label, ` text-anchor="end"${className}`));
    for (const { set, time } of times) {
      parts.push(barOf(y, time, scale, `fill="${color}" opacity="${opacities[set]}"`));
      y += BAR;
    }
    y += GAP;
  }
  const legend = temperatures.map(({ set, name, meaning }, i) => {
    const top = 34 + 18 * i;
    const paint = `fill="${OTHERS}" opacity="${opacities[set]}"`;
    return `<rect x="16" y="${top}" width="22" height="${BAR}" ${paint}/>${text(46, top + 10, `${name}: ${meaning}`)}`;
  });
  const { results, roundCount, errorRate, machine } = report;
  const what = `${integer.format(mostKeys(results))} npm names, error rate ${100 * errorRate} %`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 44}" role="img" aria-labelledby="t">
<title id="t">Millions of keys looked up a second, by bloomery, other packages, plain JavaScript and Set</title>
<style>
text { font: 12px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: #808890 }
.title { font-weight: 600; font-size: 13px }
.ours { font-weight: 600 }
.spread { stroke: #c2570c; stroke-width: 1.5 }
</style>
${text(16, 20, 'Looking up keys that are present: millions a second (more is better)', ' class="title"')}
${[...legend, ...parts].join('\n')}
${text(16, y + 16, `${what}. Medians of ${roundCount} rounds; a line spans from the slowest to the fastest.`)}
${text(16, y + 34, describeMachine(machine))}
</svg>
`;
}
