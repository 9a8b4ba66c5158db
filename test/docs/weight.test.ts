// The table of docs/weight.md is that of `npm run weights`.

import { expect, it } from 'vitest';
import { DOCUMENT, rows, savedCells, shown, weightsOf } from '../../tools/weights.ts';

/** Rounding, and versions of zlib, make the figures differ a little. */
const TOLERANCE = 0.02;

const cells = savedCells();

it(`${DOCUMENT} has a row for each entry that a page may import`, () =>
  expect(cells.map(([label]) => label)).toEqual(rows.map(({ label }) => label)));

/** Whether a cell says what was weighed, as far as figures of this kind can. */
function isNear(cell: string | undefined, weight: number | undefined): boolean {
  return weight !== undefined && Math.abs(1000 * Number(cell) - weight) <= 50 + TOLERANCE * weight;
}

const all = rows.map((row, i) => [row.label, row, cells[i]?.slice(1)] as const);
it.each(all)(`${DOCUMENT} says what it weighs, or npm run weights must write it: %s`, async (_, row, saved = []) => {
  const weights = await weightsOf(row);
  const expected = weights.map((weight) => (weight === undefined ? '–' : shown(weight)));
  // A cell that is near is as good as the one that is expected.
  expect(saved.map((cell, i) => (isNear(cell, weights[i]) ? expected[i] : cell))).toEqual(expected);
});
