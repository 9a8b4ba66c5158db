// Draws docs/benchmark.svg: millions of keys a second, for names as strings and as lines.

import { integer } from './report.ts';
import { operations, type Report, type Result } from './results.ts';

const WIDTH = 720;
const PLOT = { left: 150, right: 640 };
const BAR = 14;
const GAP = 3;
const HEADING = 30;

/** Colors that stand out on white and on black. */
const colours: Readonly<Record<string, string>> = {
  BlockedBloomFilter: '#12937a',
  BloomFilter: '#3b82d6',
  'BloomFilter, JS engine': '#8b6fd0',
  'plain JS': '#808890',
  Set: '#c2570c',
};

const titles = { build: 'build', hit: 'look up present keys', miss: 'look up absent keys' } as const;
const forms: Readonly<Record<string, string>> = { names: 'strings', lines: 'lines of text' };

/** Millions of keys a second. */
const speedOf = ({ nanoseconds }: Result): number => 1000 / nanoseconds.median;

/** One bar for each subject, for batches where it has them. */
function barsOf(results: readonly Result[]): Result[] {
  return results.filter(({ mode, ours }) => mode === 'batch' || !ours).sort((a, b) => speedOf(b) - speedOf(a));
}

export function drawChart({ results, machine }: Report): string {
  const keys = Math.max(...results.map((result) => result.keys));
  const charted = results.filter((result) => result.keys === keys && result.set in forms);
  const fastest = Math.max(...charted.map(speedOf));
  const parts: string[] = [];
  let y = 4;
  for (const [set, form] of Object.entries(forms)) {
    for (const operation of operations) {
      const bars = barsOf(charted.filter((result) => result.set === set && result.operation === operation));
      if (bars.length === 0) continue;
      y += HEADING;
      parts.push(`<text class="title" x="${PLOT.left}" y="${y - 8}">names as ${form}: ${titles[operation]}</text>`);
      for (const bar of bars) {
        const speed = speedOf(bar);
        const length = (speed / fastest) * (PLOT.right - PLOT.left);
        const middle = y + BAR - 3;
        parts.push(
          `<text x="${PLOT.left - 8}" y="${middle}" text-anchor="end">${bar.subject}</text>` +
            `<rect x="${PLOT.left}" y="${y}" width="${length.toFixed(1)}" height="${BAR}" fill="${colours[bar.subject]}"/>` +
            `<text x="${(PLOT.left + length + 6).toFixed(1)}" y="${middle}">${speed.toFixed(1)}</text>`,
        );
        y += BAR + GAP;
      }
    }
  }
  const height = y + 48;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="t">
<title id="t">Millions of keys a second, for bloomery, a filter in plain JavaScript and Set</title>
<style>
text { font: 12px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: #808890 }
.title { font-weight: 600 }
</style>
${parts.join('\n')}
<text x="${PLOT.left}" y="${y + 22}">millions of keys a second; ${integer.format(keys)} keys, error rate 1 %</text>
<text x="${PLOT.left}" y="${y + 38}">${machine.cpu}, Node ${machine.node}</text>
</svg>
`;
}
