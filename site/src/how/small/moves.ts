// Which fingerprints moved in a cuckoo filter, found by comparing its slots before and after.

import type { Change } from './kind.ts';

/** A fingerprint that went to a slot. */
export interface Move {
  readonly value: number;
  /** The slot in which it was; undefined for the new one. */
  readonly from: number | undefined;
  readonly to: number;
}

type Slots = Pick<Change, 'before' | 'values'>;

export function changedCells({ before, values }: Slots): number[] {
  return values.flatMap((value, cell) => (value === before[cell] ? [] : [cell]));
}

/**
 * The moves that follow when a fingerprint takes a slot: what was there goes to another one, and so on until one was
 * empty. Returns undefined unless they explain all slots that have changed.
 */
function chainFrom(slots: Slots, cell: number, others: readonly number[]): Move[] | undefined {
  const value = slots.before[cell] ?? 0;
  if (value === 0) return others.length === 0 ? [] : undefined;
  for (const to of others) {
    if (slots.values[to] !== value) continue;
    const rest = chainFrom(
      slots,
      to,
      others.filter((each) => each !== to),
    );
    if (rest) return [{ value, from: cell, to }, ...rest];
  }
  return undefined;
}

/** The moves that adding a key made: first its own fingerprint, then the one that left its slot, and so on. */
export function movesOf({ before, values, cells, entry }: Change): Move[] {
  const changed = changedCells({ before, values });
  for (const cell of cells) {
    if (!changed.includes(cell) || values[cell] !== entry) continue;
    const rest = chainFrom(
      { before, values },
      cell,
      changed.filter((each) => each !== cell),
    );
    if (rest) return [{ value: entry, from: undefined, to: cell }, ...rest];
  }
  return [];
}
