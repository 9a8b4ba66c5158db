import { describeMachine, thisMachine } from './machine.ts';
import { type Cost, type Measured, operations, type Result } from './redis-rounds.ts';
import { bloomery, CAPACITY, ERROR_RATE } from './redis-ways.ts';
import { type Align, integer, tableOf, times } from './report.ts';
import { median, ratioOf, type Spread, spreadOf } from './statistics.ts';

const three = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

const rangeOf = ({ lowest, highest }: Spread, show: (value: number) => string): string =>
  `${show(lowest)}–${show(highest)}`;

const TEXTS: readonly string[] = ['operation', 'way', 'meanwhile'];

function numericTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return tableOf(
    header,
    rows,
    header.map((name): Align => (TEXTS.includes(name) ? 'left' : 'right')),
  );
}

const valuesOf = (costs: readonly Cost[], name: keyof Cost): number[] => costs.map((cost) => cost[name]);

/** The rows of all ways for one operation and size of batch. The first is that of bloomery. */
function compare(operation: (typeof operations)[number], size: number, measured: readonly Measured[]) {
  const ofSize = measured.filter((each) => each.size === size);
  const ours = ofSize.find(({ way }) => way === bloomery) as Measured;
  return ofSize.map(({ way, costs }) => {
    const own = costs[operation];
    const ratio = (name: keyof Cost): Spread => ratioOf(valuesOf(ours.costs[operation], name), valuesOf(own, name));
    return { operation, size, way, costs: own, time: ratio('elapsed'), server: ratio('server') };
  });
}

type Compared = ReturnType<typeof compare>[number];

function rowOf({ operation, size, way, costs, time, server }: Compared): string[] {
  const rates = spreadOf(valuesOf(costs, 'elapsed').map((elapsed) => 1e6 / elapsed));
  const serverTimes = spreadOf(valuesOf(costs, 'server'));
  const show = (value: number): string => three.format(value);
  const ratios = way === bloomery ? ['', ''] : [time, server].map((each) => `${times(each.median)} ×`);
  return [
    operation,
    integer.format(size),
    way.name,
    show(rates.median),
    rangeOf(rates, show),
    serverTimes.median.toFixed(2),
    rangeOf(serverTimes, (value) => value.toFixed(2)),
    median(valuesOf(costs, 'client')).toFixed(1),
    ...ratios,
  ];
}

const HEADER = [
  'operation',
  'batch',
  'way',
  'keys/s',
  'spread',
  'server µs',
  'spread',
  'client µs',
  'time',
  'server time',
];

/** One line for each operation and batch at which another way takes less time, or less of the server's. */
function lossesOf(rows: readonly Compared[]): string[] {
  return rows.flatMap(({ operation, size, way, time, server }) => {
    const lost = [
      ['time', time],
      ['server time', server],
    ] as const;
    return lost
      .filter(([, ratio]) => ratio.median < 1)
      .map(
        ([what, { median, lowest, highest }]) =>
          `- ${operation}, batches of ${integer.format(size)}: ${way.name} takes ${times(median)} × the ${what} ` +
          `(${times(lowest)}–${times(highest)})`,
      );
  });
}

function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

function waitsOf({ watched }: Result): string {
  const rows = watched.map(({ way, size, waits }) => {
    const all = waits.flat();
    const worst = spreadOf(waits.map((each) => quantile(each, 0.99)));
    const show = (value: number): string => value.toFixed(2);
    return [
      way?.name ?? 'nothing',
      way ? integer.format(size) : '',
      show(quantile(all, 0.5)),
      show(quantile(all, 0.99)),
      rangeOf(worst, show),
      integer.format(all.length),
    ];
  });
  return numericTable(['meanwhile', 'batch', 'p50, ms', 'p99, ms', 'p99 of each round', 'answers'], rows);
}

function sectionOf(result: Result): string[] {
  const sizes = [...new Set(result.measured.map(({ size }) => size))];
  const rows = operations.flatMap((operation) => sizes.flatMap((size) => compare(operation, size, result.measured)));
  const losses = lossesOf(rows);
  return [
    `## ${result.name}`,
    numericTable(HEADER, rows.map(rowOf)),
    'Where bloomery loses:',
    losses.length > 0 ? losses.join('\n') : 'Nowhere in this run.',
    'How long another client waits for an answer while keys are added:',
    waitsOf(result),
  ];
}

export function markdownOf(results: readonly Result[], rounds: number): string {
  return [
    '# Filters in Redis',
    `${describeMachine(thisMachine())}, Redis ${results[0]?.version}`,
    `Medians of ${rounds} rounds with the lowest and the highest; ${integer.format(CAPACITY)} keys at ` +
      `${100 * ERROR_RATE} %. Times are per key. Time and server time, ×: those of bloomery; above 1, bloomery is faster. ` +
      'Servers and clients share the processor.',
    ...results.flatMap(sectionOf),
  ].join('\n\n');
}
