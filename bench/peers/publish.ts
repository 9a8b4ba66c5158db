// Writes the saved results into the documents: the chart, and the tables between their markers.

import { readFileSync, writeFileSync } from 'node:fs';
import { bitsPerKey, integer, nanoseconds, percent, tableOf } from '../shared/figures.ts';
import { describeMachine } from '../shared/machine.ts';
import { lossLines, savedResults } from '../shared/report.ts';
import { lossesOf, type Operation, type Report } from '../shared/results.ts';
import { drawChart } from './chart.ts';
import { type Choice, choicesOf, mostKeys, temperatures } from './choices.ts';

const ROOT: URL = new URL('../../', import.meta.url);
const BEGIN = '<!-- benchmark -->';
const END = '<!-- /benchmark -->';

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
  const { machine, roundCount, errorRate, results } = report;
  const keys = mostKeys(results);
  const shown = temperatures.flatMap(({ set, name }) =>
    results.filter((result) => result.set === set && result.keys === keys).map((result) => ({ ...result, set: name })),
  );
  const losses = lossLines(lossesOf(shown));
  return [
    tableOf(header, choicesOf(report).map(rowOf)),
    losses.length > 0 ? losses.join('\n') : 'In this run, nothing was faster than bloomery.',
    [
      `${integer.format(keys)} npm names, error rate ${100 * errorRate} %; medians of ${roundCount} rounds, and of the`,
      `ratios within a round, on ${describeMachine(machine)}.`,
      '`npm run bench -- peers` measures it on your machine.',
    ].join('\n'),
  ].join('\n\n');
}

/** The tables with the markers around them. */
export function markedSections(reports: readonly Report[]): string {
  return [BEGIN, ...reports.map(readmeSection), END].join('\n');
}

/**
 * Replaces the text between the markers of a document.
 *
 * @throws Error if the document has no markers
 */
function updateDocument(name: string, reports: readonly Report[]): void {
  const path = new URL(name, ROOT);
  const text = readFileSync(path, 'utf8');
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`${name} has no ${BEGIN} … ${END}`);
  writeFileSync(path, text.slice(0, begin) + markedSections(reports) + text.slice(end + END.length));
}

/**
 * Draws the chart and writes the tables from the saved results of `npm run bench -- peers`. Those on the newest version
 * of Node go to the README and the chart, those on others to bench/README.md.
 */
export function publish(): void {
  const [newest, ...others] = savedResults('peers');
  writeFileSync(new URL('docs/benchmark.svg', ROOT), drawChart(newest as Report));
  updateDocument('README.md', [newest as Report]);
  updateDocument('bench/README.md', others);
}
