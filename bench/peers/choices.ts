// The filters and collections that a user can choose from, with warm and with cold strings: the part of the results in
// the chart, the README and the first table of a report.

import { groupBy, integer, nanoseconds, tableOf, times } from '../shared/figures.ts';
import { lossLines } from '../shared/report.ts';
import { lossesOf, type Operation, operations, type Report, type Result } from '../shared/results.ts';

/** The sets of keys that are shown, in order. */
export const temperatures = [
  { set: 'names', name: 'warm', meaning: 'new strings, in the order in which they lie in memory' },
  { set: 'cold', name: 'cold', meaning: 'strings scattered over memory, and not in the cache' },
] as const;
type ShownSet = (typeof temperatures)[number]['set'];

/** A filter or collection that a user can choose. */
export interface Choice {
  readonly label: string;
  readonly ours: boolean;
  /** Undefined if it was not measured. */
  result(set: ShownSet, operation: Operation): Result | undefined;
}

export function mostKeys(results: readonly Result[]): number {
  return Math.max(...results.map(({ keys }) => keys));
}

/** Where bloomery takes longer than another, with warm and with cold strings, of the most keys: a line for each pair. */
export function shownLosses({ results }: Report): string[] {
  const keys = mostKeys(results);
  const shown = temperatures.flatMap(({ set, name }) =>
    results.filter((result) => result.set === set && result.keys === keys).map((result) => ({ ...result, set: name })),
  );
  return lossLines(lossesOf(shown));
}

/** How many keys of which kind, and for which error rate. */
export function aboutKeys({ results, errorRate }: Report): string {
  return `${integer.format(mostKeys(results))} npm names, error rate ${100 * errorRate} %`;
}

/** Millions of keys a second, for nanoseconds per key. */
export function speedOf(nanoseconds: number): number {
  return 1000 / nanoseconds;
}

export function speedText(speed: number): string {
  return speed.toFixed(speed < 1 ? 2 : 1);
}

/** All choices, the fastest first. A choice too slow for the largest number of keys states its own number. */
export function choicesOf({ results }: Report): Choice[] {
  const subjects = groupBy(results, ({ subject, mode }) => `${subject} ${mode}`);
  const choices = [...subjects.values()].map((ofSubject): Choice => {
    const { subject, mode, ours } = ofSubject[0] as Result;
    const keys = mostKeys(ofSubject);
    const name = ours ? `bloomery ${subject}, ${mode}` : subject;
    return {
      label: keys < mostKeys(results) ? `${name}, ${integer.format(keys)} keys` : name,
      ours,
      result: (set, operation) =>
        ofSubject.find((result) => result.keys === keys && result.set === set && result.operation === operation),
    };
  });
  const timeOf = (choice: Choice): number => choice.result('names', 'hit')?.nanoseconds.median ?? Infinity;
  return choices.sort((a, b) => timeOf(a) - timeOf(b));
}

/** A title, an explanation, and the table; empty unless both were measured. */
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
  const meanings = temperatures.map(({ name, meaning }) => `${name}: ${meaning}`);
  return [
    '## Warm and cold strings',
    `Measured in the same rounds. ${meanings.join('; ')}.`,
    tableOf(header, rows, ['operation', 'filter']),
  ];
}
