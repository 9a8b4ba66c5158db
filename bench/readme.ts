// Writes the README's benchmark table, between its markers.

import { readFileSync, writeFileSync } from 'node:fs';
import { describeMachine } from './machine.ts';
import { integer, lossLines, nanoseconds, tableOf } from './report.ts';
import { lossesOf, operations, type Report, type Result } from './results.ts';

const BEGIN = '<!-- benchmark -->';
const END = '<!-- /benchmark -->';
const README = new URL('../README.md', import.meta.url);
const SET = 'names';

const columns = [
  { title: '`BlockedBloomFilter` batch', subject: 'BlockedBloomFilter', mode: 'batch' },
  { title: '`BloomFilter` batch', subject: 'BloomFilter', mode: 'batch' },
  { title: '`BloomFilter` single', subject: 'BloomFilter', mode: 'single' },
  { title: 'JS engine', subject: 'BloomFilter, JS engine', mode: 'batch' },
  { title: 'plain JS', subject: 'plain JS', mode: 'single' },
  { title: '`Set`', subject: 'Set', mode: 'single' },
] as const;

function lossesIn(results: readonly Result[]): string {
  const shown = lossesOf(results).filter(({ result }) =>
    columns.some(({ subject, mode }) => subject === result.subject && mode === result.mode),
  );
  return shown.length > 0 ? lossLines(shown).join('\n') : 'Nothing here is slower than plain JavaScript or `Set`.';
}

/** The table, the losses in it, and where and how it was measured. */
export function readmeSection({ results, machine, roundCount }: Report): string {
  const ofSet = results.filter(({ set }) => set === SET);
  const keys = Math.max(...ofSet.map((result) => result.keys));
  const shown = ofSet.filter((result) => result.keys === keys);
  const cell = (operation: Result['operation'], column: (typeof columns)[number]): string => {
    const result = shown.find(
      ({ operation: each, subject, mode }) => each === operation && subject === column.subject && mode === column.mode,
    );
    return result ? nanoseconds(result.nanoseconds.median) : '–';
  };
  const rows = operations.map((operation) => [operation, ...columns.map((column) => cell(operation, column))]);
  const header = ['ns per key', ...columns.map(({ title }) => title)];
  return [
    tableOf(header, rows, ['left', ...columns.map(() => 'right' as const)]),
    lossesIn(shown),
    `${integer.format(keys)} npm names, error rate 1 %, medians of ${roundCount} rounds, and of the ratios within a round, on ${describeMachine(machine)}. ` +
      '`npm run bench` measures your machine, with other keys and sizes too.',
  ].join('\n\n');
}

/**
 * Replaces the table, if the report has names.
 *
 * @throws Error if the README has no markers
 */
export function updateReadme(report: Report): void {
  const text = readFileSync(README, 'utf8');
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`README.md has no ${BEGIN} … ${END}`);
  if (!report.results.some(({ set }) => set === SET)) return;
  const before = text.slice(0, begin + BEGIN.length);
  writeFileSync(README, `${before}\n${readmeSection(report)}\n${text.slice(end)}`);
}
