// Keeps the results of mutations in RESULTS.md beside this file.

import { tableOf } from '../../bench/shared/figures.ts';
import { readSection, writeSection } from '../../tools/sections.ts';

const DOCUMENT = 'test/mutations/RESULTS.md';
const HEADER = ['changed', 'part', 'caught', 'set aside', 'seconds'];

export interface Figures {
  readonly caught: number;
  readonly all: number;
  /** How many others survived, and give the same results: see `equivalents.ts`. */
  readonly same: number;
  readonly seconds: number;
  /** What was tried of a file or folder: `all`, or `1 line in 5`. */
  readonly part: string;
}

/** Writes a row in place of an earlier one, and the sum of all rows. Leaves out those of what does not exist any more. */
export function saveFigures(
  section: 'assembly' | 'src',
  name: string,
  { part, caught, all, same, seconds }: Figures,
  exists: (name: string) => boolean,
): void {
  const saved = readSection(DOCUMENT, section).split('\n').slice(2, -1);
  const others = saved
    .map((line) => Array.from(line.split('|').slice(1, -1), (cell) => cell.trim()))
    .filter(([label = '']) => label !== `\`${name}\`` && exists(label.slice(1, -1)));
  const row = [`\`${name}\``, part, `${caught} of ${all}`, String(same), String(seconds)];
  const rows = [...others, row].sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  const sum = (column: number, at = 0): number =>
    rows.reduce((total, cells) => total + Number(cells[column]?.split(' of ')[at]), 0);
  const total = ['all', '', `${sum(2)} of ${sum(2, 1)}`, String(sum(3)), String(sum(4))];
  writeSection(DOCUMENT, section, tableOf(HEADER, [...rows, total], HEADER.slice(0, 2)));
}
