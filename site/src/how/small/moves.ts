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
 * The moves that follow when a fingerprint takes one of some slots: what was there goes to another one that has changed,
 * and so on until one was empty. Undefined unless they explain all of these.
 */
function chain(
  slots: Slots,
  value: number,
  from: number | undefined,
  places: readonly number[],
  changed: readonly number[],
): Move[] | undefined {
  for (const to of places) {
    if (slots.values[to] !== value) continue;
    const others = changed.filter((each) => each !== to);
    const next = slots.before[to] ?? 0;
    const isEnd = next === 0 && others.length === 0;
    const rest = isEnd ? [] : next === 0 ? undefined : chain(slots, next, to, others, others);
    if (rest) return [{ value, from, to }, ...rest];
  }
  return undefined;
}

/** The moves that adding a key made: first its own fingerprint, then the one that left its slot, and so on. */
export function movesOf({ before, values, cells, entry }: Change): Move[] {
  const slots = { before, values };
  const changed = changedCells(slots);
  const own = cells.filter((cell) => changed.includes(cell));
  return chain(slots, entry, undefined, own, changed) ?? [];
}
