import { readFileSync, writeFileSync } from 'node:fs';
import { drawChart } from './chart.ts';
import { updateReadme } from './readme.ts';
import type { Report } from './results.ts';

/** Draws the chart and writes the README's table, both from the saved results of `npm run bench:peers`. */
export function publish(): void {
  const report: Report = JSON.parse(readFileSync(new URL('peers.json', import.meta.url), 'utf8'));
  writeFileSync(new URL('../docs/benchmark.svg', import.meta.url), drawChart(report));
  updateReadme(report);
}
