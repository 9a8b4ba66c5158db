// The saved runs of `npm run bench -- peers`, in bench/results/history.json: one for each machine, version of Node,
// version of bloomery and day. The files of single versions of Node have the last run in full; this one keeps medians
// and spreads of all, which the site shows.

import type { Spread } from '../shared/figures.ts';
import type { Machine } from '../shared/machine.ts';
import { readResults, writeResults } from '../shared/report.ts';
import { type Operation, operations, type Report } from '../shared/results.ts';
import { choicesOf, mostKeys, shownLosses, temperatures } from './choices.ts';

const FILE = 'history';

type Times = Readonly<Record<Operation, Spread>>;

/** What was measured of a filter or a collection, in nanoseconds per key. */
export interface PastRow {
  readonly label: string;
  readonly ours: boolean;
  readonly bitsPerKey: number;
  /** The share of absent keys that looked present. */
  readonly falsePositives: number;
  readonly warm: Times;
  readonly cold: Times;
}

export interface PastRun {
  readonly machine: Machine;
  readonly keys: number;
  readonly errorRate: number;
  readonly rounds: number;
  readonly rows: readonly PastRow[];
  /** Where bloomery took longer than another, in words. */
  readonly losses: readonly string[];
}

/** The run of a report, without choices that were not measured with warm and with cold strings. */
function pastRunOf(report: Report): PastRun {
  const { machine, errorRate, roundCount, results } = report;
  const rows = choicesOf(report).flatMap(({ label, ours, result }): PastRow[] => {
    const [warm, cold] = temperatures.map(({ set }): Times | undefined => {
      const [build, hit, miss] = operations.map((operation) => result(set, operation)?.nanoseconds);
      return build && hit && miss && { build, hit, miss };
    });
    const facts = result('names', 'hit');
    if (!warm || !cold || !facts) return [];
    const { bytes, keys, falsePositives } = facts;
    return [{ label, ours, bitsPerKey: (8 * bytes) / keys, falsePositives, warm, cold }];
  });
  const losses = shownLosses(report).map((line) => line.replace(/^- /, ''));
  return { machine, keys: mostKeys(results), errorRate, rounds: roundCount, rows, losses };
}

/** What tells runs apart: a later one of the same day replaces the earlier one. */
function nameOf({ machine }: PastRun): string {
  const { cpu, cores, memory, system, node, bloomery, date } = machine;
  return [cpu, cores, memory, system, node, bloomery, date].join();
}

/** The history with another run, the newest first. */
function withRun(history: readonly PastRun[], run: PastRun): PastRun[] {
  const others = history.filter((each) => nameOf(each) !== nameOf(run));
  // A stable sort: of the runs of one day, the one that was added last comes first.
  return [run, ...others].sort((one, other) => other.machine.date.localeCompare(one.machine.date));
}

/** Adds the run of a report to the saved history. */
export function saveHistory(report: Report): void {
  const history = (readResults(FILE) ?? []) as readonly PastRun[];
  writeResults(FILE, withRun(history, pastRunOf(report)));
}
