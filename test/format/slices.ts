// Where the slices of a scalable filter lie in its file.

import { viewOf } from './saved.ts';

/** Where the body begins. */
export function bodyAt(slices: number): number {
  return 128 + 64 * Math.ceil(slices / 2);
}

/** The byte length of each slice of a file, by its records. */
export function lengthsIn(file: Uint8Array): number[] {
  const view = viewOf(file);
  const slices = view.getUint32(44, true);
  return Array.from({ length: slices }, (_, i) => 64 * Math.ceil(Number(view.getBigUint64(128 + 32 * i, true)) / 512));
}

/** Where slice `i` of a filter begins and ends in its file. */
export function placeOf(file: Uint8Array, i: number): [from: number, to: number] {
  const lengths = lengthsIn(file);
  const from = bodyAt(lengths.length) + lengths.slice(0, i).reduce((sum, length) => sum + length, 0);
  return [from, from + (lengths[i] ?? 0)];
}
