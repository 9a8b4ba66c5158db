// The table that comes first: what the same keys take as warm and as cold strings.

import { choicesOf, temperatures } from './choices.ts';
import { type Align, nanoseconds, tableOf, times } from './report.ts';
import { operations, type Report, type Result } from './results.ts';

/** A title, what it means, and the table. Nothing unless both were measured. */
export function warmAndCold(report: Report): string[] {
  const { results, baseline } = report;
  if (!temperatures.every(({ set }) => results.some((result) => result.set === set))) return [];
  const choices = choicesOf(report);
  const rows = operations.flatMap((operation) =>
    choices.map(({ label, result }) => {
      const cells = (textOf: (each: Result) => string): string[] =>
        temperatures.map(({ set }) => {
          const each = result(set, operation);
          return each ? textOf(each) : '–';
        });
      const speeds = cells(({ nanoseconds: { median } }) => nanoseconds(median));
      return [operation, label, ...speeds, ...cells(({ speedup }) => times(speedup.median))];
    }),
  );
  const columns = (unit: string): string[] => temperatures.map(({ name }) => `${name}, ${unit}`);
  const header = ['operation', 'filter', ...columns('ns per key'), ...columns(`× ${baseline}`)];
  const align = header.map((_, column): Align => (column < 2 ? 'left' : 'right'));
  const meanings = temperatures.map(({ name, meaning }) => `${name}: ${meaning}`);
  return [
    '## Warm and cold strings',
    `Measured in the same rounds. ${meanings.join('; ')}.`,
    tableOf(header, rows, align),
  ];
}
