// Compares a filter of `bloomery/redis` with plain commands.

import { benchmark, type Run, rounds } from '../shared/cli.ts';
import {
  cellsOf,
  extentOf,
  integer,
  median,
  quantile,
  ratioOf,
  type Spread,
  spreadOf,
  tableOf,
  threeDigits,
  times,
} from '../shared/figures.ts';
import { describeMachine } from '../shared/machine.ts';

import { type Cost, type Measured, measureAll, type Operation, operations, type Result } from './rounds.ts';
import { bloomery, CAPACITY, Deployment, ERROR_RATE } from './ways.ts';

const MASTERS = 3;

const hundredths = (value: number): string => value.toFixed(2);

const valuesOf = (costs: readonly Cost[], name: keyof Cost): number[] => costs.map((cost) => cost[name]);

/** The rows of all ways for one operation and size of batch, bloomery's first. */
function compare(operation: Operation, size: number, measured: readonly Measured[]) {
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
  const ratios = way === bloomery ? ['', ''] : [time, server].map((each) => `${times(each.median)} ×`);
  return [
    operation,
    integer.format(size),
    way.name,
    ...cellsOf(rates, threeDigits.format),
    ...cellsOf(spreadOf(valuesOf(costs, 'server')), hundredths),
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

/** A line for each operation and size of batch where another way takes less time, or less of the server's. */
function lossesOf(rows: readonly Compared[]): string[] {
  return rows.flatMap(({ operation, size, way, time, server }) => {
    const lost = [
      ['time', time],
      ['server time', server],
    ] as const;
    return lost
      .filter(([, ratio]) => ratio.median < 1)
      .map(
        ([what, ratio]) =>
          `- ${operation}, batches of ${integer.format(size)}: ${way.name} takes ${times(ratio.median)} × the ${what} ` +
          `(${extentOf(ratio, times)})`,
      );
  });
}

function waitsOf({ watched }: Result): string {
  const rows = watched.map(({ way, size, waits }) => {
    const all = waits.flat();
    const worst = spreadOf(waits.map((each) => quantile(each, 0.99)));
    return [
      way?.name ?? 'nothing',
      way ? integer.format(size) : '',
      hundredths(quantile(all, 0.5)),
      hundredths(quantile(all, 0.99)),
      extentOf(worst, hundredths),
      integer.format(all.length),
    ];
  });
  return tableOf(['meanwhile', 'batch', 'p50, ms', 'p99, ms', 'p99 of each round', 'answers'], rows);
}

function sectionOf(result: Result): string[] {
  const sizes = [...new Set(result.measured.map(({ size }) => size))];
  const rows = operations.flatMap((operation) => sizes.flatMap((size) => compare(operation, size, result.measured)));
  const losses = lossesOf(rows);
  return [
    `## ${result.name}`,
    tableOf(HEADER, rows.map(rowOf), ['operation', 'way']),
    'Where bloomery loses:',
    losses.length > 0 ? losses.join('\n') : 'Nowhere in this run.',
    'How long another client waits for an answer while keys are added:',
    waitsOf(result),
  ];
}

function markdownOf(results: readonly Result[], rounds: number): string {
  return [
    '# Filters in Redis',
    `${describeMachine()}, Redis ${results[0]?.version}`,
    `Medians of ${rounds} rounds with the lowest and the highest; ${integer.format(CAPACITY)} keys at ` +
      `${100 * ERROR_RATE} %. Times are per key. Time and server time, ×: those of bloomery; above 1, bloomery is faster. ` +
      'Servers and clients share the processor.',
    ...results.flatMap(sectionOf),
  ].join('\n\n');
}

const run: Run = benchmark(
  { rounds: rounds(3) },
  async ({ rounds }) => {
    const results: Result[] = [];
    for (const start of [() => Deployment.single(), () => Deployment.cluster(MASTERS)]) {
      const deployment = await start();
      try {
        results.push(await measureAll(deployment, rounds));
      } finally {
        deployment.close();
      }
    }
    return markdownOf(results, rounds);
  },
  `Starts a Redis server, and then a cluster of ${MASTERS}. Needs redis-server.`,
);
export default run;
