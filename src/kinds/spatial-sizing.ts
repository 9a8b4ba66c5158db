import { requireInteger } from '../checks/validate.ts';

/** The highest label: that of the widest cells. */
export const MAX_LABELS: number = 2 ** 16 - 1;

/** The least and the most bits per cell. */
export const CELL_BITS: readonly [least: number, most: number] = [1, 16];

/** The number of bits per cell that labels up to `labels` need: 1, 2, 4, 8 or 16, so that no cell lies in two words. */
export function cellBitsFor(labels: number): number {
  let [bits] = CELL_BITS;
  while (2 ** bits <= labels) bits *= 2;
  return bits;
}

/** Returns the number of labels if a filter can have it; else throws. */
export function requireLabels(labels: unknown): number {
  return requireInteger('labels', labels, 1, MAX_LABELS);
}
