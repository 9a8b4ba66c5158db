// Filters in memory that all threads share.

import { type AnySharedFilter, type SharedFilterClass, type SharedHandle, sharedClassOf } from 'bloomery/shared';
import type { AnyFilter } from '../filters/kinds.ts';

/** Whether threads can share a filter. */
export function canBeShared({ kind }: AnyFilter): boolean {
  return sharedClassOf(kind) !== undefined;
}

/** Copies a filter into memory that this thread and `threads` others can share. */
export function share(filter: AnyFilter, threads: number): AnySharedFilter {
  return (sharedClassOf(filter.kind) as SharedFilterClass).fromFilter(filter, { attachments: threads + 1 });
}

/** Opens, in another thread, the filter that a handle belongs to. */
export function attach(handle: SharedHandle): AnySharedFilter {
  return (sharedClassOf(handle.kind) as SharedFilterClass).attach(handle);
}
