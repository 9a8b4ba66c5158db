// The results as Markdown, aligned so that they are readable in a terminal.

import { describeMachine } from './machine.ts';
import { type Loss, lossesOf, operations, type Report, type Result } from './results.ts';

export const integer: Intl.NumberFormat = new Intl.NumberFormat('en');

export type Align = 'left' | 'right';

/** A Markdown table with padded columns. */
export function tableOf(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  align: readonly Align[],
): string {
  const widths = header.map((cell, column) => Math.max(3, cell.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const pad = (text: string, column: number): string =>
    align[column] === 'right' ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0);
  const line = (cells: readonly string[]): string => `| ${cells.map(pad).join(' | ')} |`;
  const rule = widths.map((width, column) =>
    align[column] === 'right' ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width),
  );
  return [line(header), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}

export function nanoseconds(time: number): string {
  return time < 10 ? time.toFixed(1) : time.toFixed(0);
}

export function times(ratio: number): string {
  return ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(1);
}

export function percent(share: number): string {
  return (100 * share).toFixed(3);
}

export function bitsPerKey({ bytes, keys }: Result): string {
  return ((8 * bytes) / keys).toFixed(1);
}

/** Ours may be named twice, for batches and for single calls. */
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
    nanoseconds(time.median),
    `${nanoseconds(time.lowest)}–${nanoseconds(time.highest)}`,
    times(speedup.median),
    `${times(speedup.lowest)}–${times(speedup.highest)}`,
    percent(falsePositives),
    percent(expectedFalsePositives),
    bitsPerKey(result),
    lost.length > 0 ? `**${lost.join(', ')}**` : '',
  ];
}

const ALIGN: readonly Align[] = ['left', 'left', 'left', ...Array<Align>(7).fill('right'), 'left'];

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
  return tableOf(header, rows, ALIGN);
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** The range of factors on one set: '1.20–1.50 × (build, hit)'. */
function extentOf(losses: readonly Loss[]): string {
  const factors = losses.map(({ times }) => times);
  const [least, most] = [times(Math.min(...factors)), times(Math.max(...factors))];
  const extent = least === most ? least : `${least}–${most}`;
  const names = losses.map(({ result }) => result.operation);
  return names.length === operations.length ? `${extent} ×` : `${extent} × (${names.join(', ')})`;
}

/** One line for each pair of a subject of ours and one that beats it. */
export function lossLines(losses: readonly Loss[]): string[] {
  const pairs = groupBy(
    losses,
    ({ result, to }) =>
      `${result.subject}, ${result.mode}: slower than ${rivalOf(to)} at ${integer.format(result.keys)} keys`,
  );
  return [...pairs].map(([pair, ofPair]) => {
    const sets = [...groupBy(ofPair, ({ result }) => result.set)];
    return `- ${pair}: ${sets.map(([set, ofSet]) => `${set} ${extentOf(ofSet)}`).join('; ')}`;
  });
}

/** `first` comes before the tables of single sets. */
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
      'faster; ratios are taken within a round. Found: absent keys reported as present.',
    ...first,
    ...sections,
    '## Where bloomery loses',
    lost.length > 0 ? lost.join('\n') : 'Nowhere in this run.',
    ...(notes.length > 0 ? ['## Left out', notes.map((note) => `- ${note}`).join('\n')] : []),
  ].join('\n\n');
}
