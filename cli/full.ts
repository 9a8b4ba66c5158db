// Filters that can be full: they refuse keys for which there is no room.

import { CuckooFilter } from 'bloomery/cuckoo';
import type { GrowingFilter } from './kinds.ts';

/** Whether a filter can refuse keys. */
export function canBeFull(filter: GrowingFilter): boolean {
  return filter instanceof CuckooFilter;
}

/** Why there was no room for keys, and which of them was the first; undefined if the error says something else. */
export function refusalOf(error: unknown): { readonly reason: string; readonly position: number } | undefined {
  const [, position = 0, reason] = /^(?:keys\[(\d+)\]|\w+) does not fit: (.*)$/.exec((error as Error).message) ?? [];
  return reason === undefined ? undefined : { reason, position: Number(position) };
}
