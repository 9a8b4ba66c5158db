// Shows which kind is the fastest at which error rate, with filters smaller and larger than the cache.

import { benchmark, counts, type Run, rounds, status } from '../shared/cli.ts';
import { bitsPerKey, extentOf, integer, nanoseconds, shortPercent, tableOf, times } from '../shared/figures.ts';
import { describeMachine } from '../shared/machine.ts';
import { makeIntegers, makeNames } from '../shared/random.ts';
import { blocked, callByCall, classic, compareKinds, inBatches, type Kind, type Result, wide } from './comparison.ts';

const NAMES = 20_000;
const NAMES_ERROR_RATE = 0.001;

const ALL_KINDS: readonly Kind[] = [classic, blocked, wide];
/** The error rates, and the kinds that keep them. */
const KINDS_AT: ReadonlyMap<number, readonly Kind[]> = new Map([
  [0.01, ALL_KINDS],
  [0.001, ALL_KINDS],
  [1e-6, [classic, wide]],
]);

function compareBatches(count: number, rounds: number): Result[] {
  status(`making ${integer.format(count)} keys …`);
  const integers = makeIntegers(count);
  const way = inBatches(new Uint8Array(count));
  return [...KINDS_AT].flatMap(([errorRate, kinds]) => compareKinds(kinds, errorRate, integers, way, rounds));
}

/** A column: its name, and its text for a result. */
type Column = readonly [head: string, cell: (result: Result) => string];

/** In bold where the other kind is faster. */
function ratio({ median }: Result['timesClassic']): string {
  return median < 1 ? `**${times(median)}**` : times(median);
}

const common: readonly Column[] = [
  ['error rate %', ({ errorRate }) => shortPercent(errorRate)],
  ['keys', ({ keys }) => integer.format(keys)],
  ['kind', ({ kind }) => kind],
  ['MB', ({ bytes }) => (bytes / 1e6).toPrecision(3)],
  ['bits per key', bitsPerKey],
  ['operation', ({ operation }) => operation],
  ['ns per key', ({ nanoseconds: time }) => nanoseconds(time.median)],
  ['spread', ({ nanoseconds: time }) => extentOf(time, nanoseconds)],
  ['× classic', ({ timesClassic }) => ratio(timesClassic)],
  ['spread', ({ timesClassic }) => extentOf(timesClassic, times)],
];
const againstBlocked: readonly Column[] = [
  ['× blocked', ({ timesBlocked }) => (timesBlocked ? ratio(timesBlocked) : '')],
  ['spread', ({ timesBlocked }) => (timesBlocked ? extentOf(timesBlocked, times) : '')],
];
const errors: readonly Column[] = [
  ['hits', ({ hits }) => (hits === undefined ? '' : integer.format(hits))],
  ['found %', ({ hits, keys }) => (hits === undefined ? '' : shortPercent(hits / keys))],
  ['estimated %', ({ hits, estimatedErrorRate }) => (hits === undefined ? '' : shortPercent(estimatedErrorRate))],
  ['promised %', ({ hits, errorRate }) => (hits === undefined ? '' : shortPercent(errorRate))],
];

function tableFor(columns: readonly Column[], results: readonly Result[]): string {
  const rows = results.map((result) => columns.map(([, cell]) => cell(result)));
  return tableOf(
    columns.map(([head]) => head),
    rows,
    ['kind', 'operation'],
  );
}

/** The cases where the classic filter is faster in most rounds. */
function lossLines(results: readonly Result[]): string[] {
  return results
    .filter(({ timesClassic }) => timesClassic.median < 1)
    .map(
      ({ kind, operation, keys, errorRate, timesClassic }) =>
        `- ${kind}, ${operation}: ${integer.format(keys)} keys at ${shortPercent(errorRate)} %, ` +
        `${times(timesClassic.median)} × (${extentOf(timesClassic, times)})`,
    );
}

const options = {
  keys: counts('how many integers to add, and to look up', 1e8, '1e5,2e7'),
  rounds: rounds(5),
};

const run: Run = benchmark(options, ({ keys, rounds }) => {
  const batches = keys.flatMap((count) => compareBatches(count, rounds));
  const calls = compareKinds(ALL_KINDS, NAMES_ERROR_RATE, makeNames(NAMES), callByCall, rounds);
  const lost = lossLines([...batches, ...calls]);
  return [
    '# bloomery: kinds and error rates',
    describeMachine(),
    `Medians of ${rounds} rounds with the lowest and the highest. × classic: how many times as fast as ${classic.name} of ` +
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
});
export default run;
