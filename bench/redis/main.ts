// Compares a filter of `bloomery/redis` with plain commands.

import { execFileSync } from 'node:child_process';
import { benchmark, choice, count, type Run, rounds } from '../shared/cli.ts';
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

import { type Move, type Moves, measureMoves } from './moves.ts';
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

const COLUMNS: readonly (readonly [keyof Move, string])[] = [
  ['command', 'slowest command'],
  ['wait', 'longest wait'],
  ['stall', 'longest stall'],
  ['elapsed', 'time'],
  ['server', 'server'],
  ['client', 'client'],
];

function movesOf(all: readonly Moves[], megabytes: number): string[] {
  const rows = all.map(({ operation, moves }) => [
    operation,
    ...COLUMNS.map(([name]) => extentOf(spreadOf(moves.map((move) => move[name])), threeDigits.format)),
  ]);
  return [
    `## A whole filter of ${integer.format(megabytes)} MB on one server`,
    'In milliseconds, the least and the most of all rounds: the slowest command on the server, the longest that another ' +
      'client waited for an answer, the longest that the event loop of this process stood still, the time, and the ' +
      'processor time of the server and of this process.',
    tableOf(['operation', ...COLUMNS.map(([, title]) => title)], rows),
  ];
}

function keysOf(results: readonly Result[], rounds: number): string[] {
  return [
    `Medians of ${rounds} rounds with the lowest and the highest; ${integer.format(CAPACITY)} keys at ` +
      `${100 * ERROR_RATE} %. Times are per key. Time and server time, ×: those of bloomery; above 1, bloomery is faster. ` +
      'Servers and clients share the processor.',
    ...results.flatMap(sectionOf),
  ];
}

async function measureKeys(rounds: number): Promise<string[]> {
  const results: Result[] = [];
  for (const start of [() => Deployment.single(), () => Deployment.cluster(MASTERS)]) {
    const deployment = await start();
    try {
      results.push(await measureAll(deployment, rounds));
    } finally {
      deployment.close();
    }
  }
  return keysOf(results, rounds);
}

async function measureWhole(rounds: number, megabytes: number): Promise<string[]> {
  const deployment = await Deployment.single();
  try {
    return movesOf(await measureMoves(deployment, rounds, megabytes * 1e6), megabytes);
  } finally {
    deployment.close();
  }
}

const run: Run = benchmark(
  {
    rounds: rounds(3),
    parts: choice('what to measure', ['keys', 'moves']),
    megabytes: count('the size of the filter that is moved', 2000, '500'),
  },
  async ({ rounds, parts, megabytes }) => {
    const version = execFileSync('redis-server', ['--version'], { encoding: 'utf8' }).split(' ')[2];
    const sections = ['# Filters in Redis', `${describeMachine()}, Redis ${version?.slice(2)}`];
    if (parts.includes('keys')) sections.push(...(await measureKeys(rounds)));
    if (parts.includes('moves')) sections.push(...(await measureWhole(rounds, megabytes)));
    return sections.join('\n\n');
  },
  `Starts a Redis server, a cluster of ${MASTERS}, and another server. Needs redis-server.`,
);
export default run;
