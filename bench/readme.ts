// Writes the benchmark tables of the README and of bench/README.md, between their markers.

import { readFileSync, writeFileSync } from 'node:fs';
import { type Choice, choicesOf, mostKeys, temperatures } from './choices.ts';
import { describeMachine } from './machine.ts';
import { bitsPerKey, integer, lossLines, nanoseconds, percent, tableOf } from './report.ts';
import { lossesOf, type Operation, type Report } from './results.ts';

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

/** The table, the losses in it, and where and how it was measured. */
function readmeSection(report: Report): string {
  const { machine, roundCount, errorRate, results } = report;
  const keys = mostKeys(results);
  const shown = temperatures.flatMap(({ set, name }) =>
    results.filter((result) => result.set === set && result.keys === keys).map((result) => ({ ...result, set: name })),
  );
  const losses = lossLines(lossesOf(shown));
  return [
    tableOf(header, choicesOf(report).map(rowOf), ['left', ...header.slice(1).map(() => 'right' as const)]),
    losses.length > 0 ? losses.join('\n') : 'In this run, nothing was faster than bloomery.',
    [
      `${integer.format(keys)} npm names, error rate ${100 * errorRate} %; medians of ${roundCount} rounds, and of the`,
      `ratios within a round, on ${describeMachine(machine)}.`,
      '`npm run bench:peers` measures it on your machine.',
    ].join('\n'),
  ].join('\n\n');
}

/** What belongs between the markers, which are included. */
export function markedSections(reports: readonly Report[]): string {
  return [BEGIN, ...reports.map(readmeSection), END].join('\n');
}

/**
 * Replaces what is between the markers of a document.
 *
 * @param name relative to this file
 * @throws Error if the document has no markers
 */
export function updateDocument(name: string, reports: readonly Report[]): void {
  const path = new URL(name, import.meta.url);
  const text = readFileSync(path, 'utf8');
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`${name} has no ${BEGIN} … ${END}`);
  writeFileSync(path, text.slice(0, begin) + markedSections(reports) + text.slice(end + END.length));
}
