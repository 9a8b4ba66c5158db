// Chooses what remembers the lines of a text whose number is not known before it has been read: a set as long as it is
// not too large, or a filter of some capacity.

import { FilterFullError, type LineProgress } from 'bloomery';
import type { makeFilter, makeSet } from '../engine.ts';
import { MOST_SET_BYTES } from './job.ts';

/** Thrown when a text turns out to have more lines than expected. */
const MORE_LINES = new Error('there are more lines than expected');

/** The factor added to an estimate, because reading the text again costs more than some unused memory. */
const MARGIN = 1.05;
const LEAST = 1000;

/** The number of lines to make room for, if a text is estimated to have `lines`. */
export function roomForEstimate(lines: number): number {
  return Math.max(LEAST, Math.ceil(MARGIN * lines));
}

/** What remembers lines. */
export type Memory = Awaited<ReturnType<typeof makeFilter> | ReturnType<typeof makeSet>>;

/**
 * Runs an attempt at reading a text into a set, or into a filter of some capacity. If the set becomes too large, or the
 * text turns out to have more lines, the attempt is ended and another one begun, with a filter that has more room.
 *
 * @param text its size in bytes, and the number of lines to make room for at first
 * @param isExact whether a set is tried before a filter
 * @param make makes a filter of a capacity, or a set without one
 * @param attempt must call `watch` with its progress, and reject with what that throws
 */
export async function withRoom<T>(
  { size, room }: { readonly size: number; readonly room: number },
  isExact: boolean,
  make: (capacity: number | undefined) => Promise<Memory>,
  attempt: (memory: Memory, watch: (progress: LineProgress) => void, isAgain: boolean) => Promise<T>,
): Promise<T> {
  for (let capacity = isExact ? undefined : room, isAgain = false; ; isAgain = true) {
    const limit = capacity;
    let expected = 0;
    const memory = await make(limit);
    const watch = ({ lines, bytes }: LineProgress): void => {
      const isFull = limit === undefined ? memory.byteLength > MOST_SET_BYTES : lines > limit;
      if (!isFull) return;
      expected = Math.max(lines, Math.ceil((lines / Math.max(bytes, 1)) * size));
      throw MORE_LINES;
    };
    try {
      return await attempt(memory, watch, isAgain);
    } catch (error) {
      memory.dispose();
      if (error === MORE_LINES) capacity = roomForEstimate(expected);
      else if (error instanceof FilterFullError) capacity = room;
      else throw error;
    }
  }
}
