import { writeFileSync } from 'node:fs';
import { drawChart } from './chart.ts';
import { updateDocument } from './readme.ts';
import type { Report } from './results.ts';
import { savedResults } from './save.ts';

/**
 * Draws the chart and writes the tables from the saved results of `npm run bench:peers`. Those on the newest version of
 * Node go to the README and the chart, those on others to bench/README.md.
 */
export function publish(): void {
  const [newest, ...others] = savedResults('peers');
  writeFileSync(new URL('../docs/benchmark.svg', import.meta.url), drawChart(newest as Report));
  updateDocument('../README.md', [newest as Report]);
  updateDocument('README.md', others);
}
