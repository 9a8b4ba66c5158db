// Writes the saved results into the documents: the chart, and the tables between their markers.

import { writeFileSync } from 'node:fs';
import { accent, ink, themedStyle } from '../../tools/colors.ts';
import { writeSection } from '../../tools/sections.ts';
import { bitsPerKey, nanoseconds, percent, type Spread, tableOf } from '../shared/figures.ts';
import { describeMachine } from '../shared/machine.ts';
import { savedResults } from '../shared/report.ts';
import type { Operation, Report } from '../shared/results.ts';
import { aboutKeys, type Choice, choicesOf, shownLosses, speedOf, speedText, temperatures } from './choices.ts';

const ROOT: URL = new URL('../../', import.meta.url);
const SECTION = 'benchmark';

const header = [
  'ns per key, warm / cold',
  'build',
  'look up present',
  'look up absent',
  'bits per key',
  'false positives',
];

function rowOf({ label, result }: Choice): string[] {
  const cell = (operation: Operation): string => {
    const times = temperatures.map(({ set }) => result(set, operation)?.nanoseconds.median);
    return times.map((time) => (time === undefined ? '–' : nanoseconds(time))).join(' / ');
  };
  const hit = result('names', 'hit');
  const facts = hit ? [bitsPerKey(hit), `${percent(hit.falsePositives)} %`] : ['–', '–'];
  return [label, cell('build'), cell('hit'), cell('miss'), ...facts];
}

/** The table, our losses in it, and where and how it was measured. */
function readmeSection(report: Report): string {
  const { machine, roundCount } = report;
  const losses = shownLosses(report);
  return [
    tableOf(header, choicesOf(report).map(rowOf)),
    losses.length > 0 ? losses.join('\n') : 'In this run, nothing was faster than bloomery.',
    [
      `${aboutKeys(report)}; medians of ${roundCount} rounds, each in proportion to`,
      `what all took in it, on ${describeMachine(machine)}.`,
      '`npm run bench -- peers` measures it on your machine.',
    ].join('\n'),
  ].join('\n\n');
}

/** What the section of a document says of some runs. */
export function sectionOf(reports: readonly Report[]): string {
  return reports.map(readmeSection).join('\n');
}

// The chart: how many keys a second each choice looks up.

const WIDTH = 720;
const PLOT = { left: 272, right: 672, top: 84 };
const BAR = 13;
const GAP = 9;

const opacities = { names: 1, cold: 0.5 } as const;

function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${attributes}>${content}</text>`;
}

/** A bar as long as the median, with a line from the slowest round to the fastest. */
function barOf(y: number, time: Spread, scale: number, attributes: string): string {
  const x = (nanoseconds: number): number => PLOT.left + scale * speedOf(nanoseconds);
  const end = x(time.median);
  const middle = y + BAR / 2;
  const speed = speedOf(time.median);
  const extent = `M${x(time.highest).toFixed(1)} ${middle}H${x(time.lowest).toFixed(1)}`;
  return (
    `<rect x="${PLOT.left}" y="${y}" width="${(end - PLOT.left).toFixed(1)}" height="${BAR - 1}" ${attributes}/>` +
    ['halo', 'spread'].map((name) => `<path class="${name}" d="${extent}"/>`).join('') +
    text(Math.max(end, x(time.lowest)) + 6, y + BAR - 2.5, speedText(speed))
  );
}

/** The line on a bar has an edge in the color of the ground, so that it stands out from the bar as from the ground. */
const style = themedStyle(
  (
    color,
  ) => `text { font: 12px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: ${color(ink.muted)} }
.ground { fill: ${color(ink.ground)} }
.title { font-weight: 600; font-size: 13px }
text.ours { font-weight: 600; fill: ${color(accent)} }
rect.ours { fill: ${color(accent)} }
rect.others { fill: ${color(ink.muted)} }
.halo { stroke: ${color(ink.ground)}; stroke-width: 4.5 }
.spread { stroke: ${color(ink.text)}; stroke-width: 1.5 }`,
);

/** Bars for lookups of present keys: two for each choice. */
export function drawChart(report: Report): string {
  const choices = choicesOf(report).map(({ label, ours, result }) => ({
    label,
    className: ours ? 'ours' : 'others',
    times: temperatures.flatMap(({ set }) => {
      const time = result(set, 'hit')?.nanoseconds;
      return time ? [{ set, time }] : [];
    }),
  }));
  const fastest = Math.max(...choices.flatMap(({ times }) => times.map(({ time }) => speedOf(time.lowest))));
  const scale = (PLOT.right - PLOT.left) / fastest;
  const parts: string[] = [];
  let y = PLOT.top;
  for (const { label, className, times } of choices) {
    parts.push(text(PLOT.left - 8, y + (times.length * BAR) / 2 + 4, label, ` text-anchor="end" class="${className}"`));
    for (const { set, time } of times) {
      parts.push(barOf(y, time, scale, `class="${className}" opacity="${opacities[set]}"`));
      y += BAR;
    }
    y += GAP;
  }
  const legend = temperatures.map(({ set, name, meaning }, i) => {
    const top = 34 + 18 * i;
    const paint = `class="others" opacity="${opacities[set]}"`;
    return `<rect x="16" y="${top}" width="22" height="${BAR}" ${paint}/>${text(46, top + 10, `${name}: ${meaning}`)}`;
  });
  const { roundCount, machine } = report;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 44}" role="img" aria-labelledby="t">
<title id="t">Millions of keys looked up a second, by bloomery, other packages, plain JavaScript and Set</title>
${style}
<rect class="ground" width="${WIDTH}" height="${y + 44}"/>
${text(16, 20, 'Looking up keys that are present: millions a second (more is better)', ' class="title"')}
${[...legend, ...parts].join('\n')}
${text(16, y + 16, `${aboutKeys(report)}. Medians of ${roundCount} rounds; a line spans from the slowest to the fastest.`)}
${text(16, y + 34, describeMachine(machine))}
</svg>
`;
}

/**
 * Draws the chart and writes the tables from the saved results of `npm run bench -- peers`. Those on the newest version
 * of Node go to the README and the chart, those on others to bench/README.md.
 */
export function publish(): void {
  const [newest, ...others] = savedResults('peers');
  writeFileSync(new URL('docs/benchmark.svg', ROOT), drawChart(newest as Report));
  writeSection('README.md', SECTION, sectionOf([newest as Report]));
  writeSection('bench/README.md', SECTION, sectionOf(others));
}
