// Reports a comparison of subjects as Markdown, and saves it in bench/results/.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { bitsPerKey, cellsOf, groupBy, integer, nanoseconds, percent, tableOf, times } from './figures.ts';
import { describeMachine } from './machine.ts';
import { requireQuiet, type Timed } from './quiet.ts';
import { type Loss, lossesOf, type Operation, operations, type Report, type Result } from './results.ts';

/** The name of a subject, with its mode for our own, which are measured in batches and in single calls. */
function rivalOf({ subject, mode, ours }: Result): string {
  return ours ? `${subject}, ${mode}` : subject;
}

/** Prints subjects that beat one of ours in bold. */
function rowOf(result: Result, losses: readonly Loss[]): string[] {
  const { operation, subject, mode, nanoseconds: time, speedup, falsePositives, expectedFalsePositives } = result;
  const lost = losses.filter((loss) => loss.result === result).map(({ to }) => rivalOf(to));
  return [
    operation,
    subject,
    mode,
    ...cellsOf(time, nanoseconds),
    ...cellsOf(speedup, times),
    percent(falsePositives),
    percent(expectedFalsePositives),
    bitsPerKey(result),
    lost.length > 0 ? `**${lost.join(', ')}**` : '',
  ];
}

function tableFor(results: readonly Result[], losses: readonly Loss[], baseline: string): string {
  const header = [
    'operation',
    'subject',
    'mode',
    'ns per key',
    'spread',
    `× ${baseline}`,
    'spread',
    'found %',
    'theory %',
    'bits per key',
    'slower than',
  ];
  const rows = operations.flatMap((operation) =>
    results.filter((result) => result.operation === operation).map((result) => rowOf(result, losses)),
  );
  return tableOf(header, rows, ['operation', 'subject', 'mode', 'slower than']);
}

const inWords: Readonly<Record<Operation, string>> = {
  build: 'building',
  hit: 'looking up present keys',
  miss: 'looking up absent keys',
};

/** The range of factors on one set: '1.20–1.50 times as long (building, looking up present keys)'. */
function extentOf(losses: readonly Loss[]): string {
  const factors = losses.map(({ times }) => times);
  const [least, most] = [times(Math.min(...factors)), times(Math.max(...factors))];
  const extent = least === most ? least : `${least}–${most}`;
  const names = losses.map(({ result }) => inWords[result.operation]);
  return `${extent} times as long${names.length === operations.length ? '' : ` (${names.join(', ')})`}`;
}

/** One line for each subject of ours and each other subject that beats it. */
export function lossLines(losses: readonly Loss[]): string[] {
  const pairs = groupBy(
    losses,
    ({ result, to }) =>
      `${result.subject}, ${result.mode}, takes longer than ${rivalOf(to)} at ${integer.format(result.keys)} keys`,
  );
  return [...pairs].map(([pair, ofPair]) => {
    const sets = [...groupBy(ofPair, ({ result }) => result.set)];
    return `- ${pair}: ${sets.map(([set, ofSet]) => `${set}, ${extentOf(ofSet)}`).join('; ')}`;
  });
}

/** The report as Markdown. The text `first` comes before the tables of single sets. */
export function markdownOf(report: Report, about: Readonly<Record<string, string>>, first: readonly string[]): string {
  const { machine, errorRate, roundCount, baseline, results, notes } = report;
  const losses = lossesOf(results);
  const groups = groupBy(results, ({ keys, set }) => `${set}: ${integer.format(keys)} keys`);
  const sections = [...groups].flatMap(([title, ofGroup]) => {
    const { set } = ofGroup[0] as Result;
    return [`## ${title}`, ...(about[set] ? [`${about[set]}.`] : []), tableFor(ofGroup, losses, baseline)];
  });
  const lost = lossLines(losses);
  return [
    '# bloomery: benchmark',
    describeMachine(machine),
    `Medians of ${roundCount} rounds with the lowest and the highest, error rate ${100 * errorRate} %. × ${baseline}: above 1 is ` +
      'faster. Each time is taken in proportion to its round. Found: absent keys reported as present.',
    ...first,
    ...sections,
    '## Where bloomery loses',
    lost.length > 0 ? lost.join('\n') : 'Nowhere in this run.',
    ...(notes.length > 0 ? ['## Left out', notes.map((note) => `- ${note}`).join('\n')] : []),
  ].join('\n\n');
}

/** The benchmarks whose results can be saved, in a file for each major version of Node. */
type Benchmark = 'main' | 'peers';

const require = createRequire(import.meta.url);
const FOLDER: string = join(import.meta.dirname, '../results');

/** 20 for v20.20.2 */
function majorVersion({ machine }: Report): number {
  return Number.parseInt(machine.node.slice(1), 10);
}

/** Writes a file of results, formatted as `npm run check` requires. */
export function writeResults(name: string, results: unknown): void {
  const path = join(FOLDER, `${name}.json`);
  const rounded = JSON.stringify(results, (_, value) =>
    typeof value === 'number' ? Number(value.toPrecision(6)) : value,
  );
  writeFileSync(path, rounded);
  execFileSync(process.execPath, [require.resolve('@biomejs/biome/bin/biome'), 'format', '--write', path], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Reads a file of results; undefined if there is none. */
export function readResults(name: string): unknown {
  const path = join(FOLDER, `${name}.json`);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

/** What each subject took, for the check of a run. */
export function timedIn({ results }: Report): Timed[] {
  return results.map(({ subject, mode, set, operation, keys, rounds }) => ({
    name: `${subject}, ${mode}, ${set}, ${operation}, ${integer.format(keys)} keys`,
    rounds,
  }));
}

/** @throws BenchmarkError if the machine was busy */
export function saveResults(benchmark: Benchmark, report: Report): void {
  requireQuiet(timedIn(report));
  writeResults(`${benchmark}-node${majorVersion(report)}`, report);
}

/** The saved results of a benchmark, those on the newest version of Node first. */
export function savedResults(benchmark: Benchmark): Report[] {
  return readdirSync(FOLDER)
    .filter((name) => name.startsWith(`${benchmark}-node`))
    .map((name): Report => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')))
    .sort((a, b) => majorVersion(b) - majorVersion(a));
}
