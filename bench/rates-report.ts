// The results of `npm run bench:rates` as Markdown.

import { describeMachine, type Machine } from './machine.ts';
import { blocked, classic } from './rates-kinds.ts';
import type { Result } from './rates-results.ts';
import { type Align, integer, nanoseconds, tableOf, times } from './report.ts';
import type { Spread } from './statistics.ts';

export interface Report {
  readonly machine: Machine;
  readonly roundCount: number;
  readonly batches: readonly Result[];
  readonly calls: readonly Result[];
}

/** A column and what it shows of a result. */
interface Column {
  readonly head: string;
  readonly align: Align;
  cell(result: Result): string;
}

function left(head: string, cell: Column['cell']): Column {
  return { head, align: 'left', cell };
}

function right(head: string, cell: Column['cell']): Column {
  return { head, align: 'right', cell };
}

/** A share in percent, with three digits. */
function percent(share: number): string {
  return String(Number((100 * share).toPrecision(3)));
}

function extent({ lowest, highest }: Spread, print: (value: number) => string): string {
  return `${print(lowest)}–${print(highest)}`;
}

/** In bold where the other kind is faster. */
function ratio({ median }: Spread): string {
  return median < 1 ? `**${times(median)}**` : times(median);
}

const common: readonly Column[] = [
  right('error rate %', ({ errorRate }) => percent(errorRate)),
  right('keys', ({ keys }) => integer.format(keys)),
  left('kind', ({ kind }) => kind),
  right('MB', ({ bytes }) => (bytes / 1e6).toPrecision(3)),
  right('bits per key', ({ bytes, keys }) => ((8 * bytes) / keys).toFixed(1)),
  left('operation', ({ operation }) => operation),
  right('ns per key', ({ nanoseconds: time }) => nanoseconds(time.median)),
  right('spread', ({ nanoseconds: time }) => extent(time, nanoseconds)),
  right('× classic', ({ timesClassic }) => ratio(timesClassic)),
  right('spread', ({ timesClassic }) => extent(timesClassic, times)),
];
const againstBlocked: readonly Column[] = [
  right('× blocked', ({ timesBlocked }) => (timesBlocked ? ratio(timesBlocked) : '')),
  right('spread', ({ timesBlocked }) => (timesBlocked ? extent(timesBlocked, times) : '')),
];
const errors: readonly Column[] = [
  right('hits', ({ hits }) => (hits === undefined ? '' : integer.format(hits))),
  right('found %', ({ hits, keys }) => (hits === undefined ? '' : percent(hits / keys))),
  right('estimated %', ({ hits, estimatedErrorRate }) => (hits === undefined ? '' : percent(estimatedErrorRate))),
  right('promised %', ({ hits, errorRate }) => (hits === undefined ? '' : percent(errorRate))),
];

function tableFor(columns: readonly Column[], results: readonly Result[]): string {
  return tableOf(
    columns.map(({ head }) => head),
    results.map((result) => columns.map(({ cell }) => cell(result))),
    columns.map(({ align }) => align),
  );
}

/** Where the classic filter is faster in most rounds. */
function lossLines(results: readonly Result[]): string[] {
  return results
    .filter(({ timesClassic }) => timesClassic.median < 1)
    .map(
      ({ kind, operation, keys, errorRate, timesClassic }) =>
        `- ${kind}, ${operation}: ${integer.format(keys)} keys at ${percent(errorRate)} %, ${times(timesClassic.median)} × ` +
        `(${extent(timesClassic, times)})`,
    );
}

export function markdownOf({ machine, roundCount, batches, calls }: Report): string {
  const lost = lossLines([...batches, ...calls]);
  return [
    '# bloomery: kinds and error rates',
    describeMachine(machine),
    `Medians of ${roundCount} rounds with the lowest and the highest. × classic: how many times as fast as ${classic.name} of ` +
      'the same error rate, in bold where that is faster; ratios are taken within a round. Hits: absent keys reported as ' +
      'present, of as many as there are keys; found: their share; estimated: what `estimateErrorRate` says of the full ' +
      `filter. ${blocked.name} is missing where it refuses the error rate.`,
    '## Batches of integers',
    'Keys are added to a new filter, so the first touch of its memory is part of the time.',
    tableFor([...common, ...errors], batches),
    '## Single calls with strings',
    `8 to 35 ASCII characters. × blocked: the same as × classic, against ${blocked.name}.`,
    tableFor([...common, ...againstBlocked, ...errors], calls),
    '## Where the classic filter is faster',
    lost.length > 0 ? lost.join('\n') : 'Nowhere in this run.',
  ].join('\n\n');
}
