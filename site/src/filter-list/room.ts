// Chooses the capacity of a filter for a text whose number of lines is not known before it has been read.

import type { LineProgress } from 'bloomery';

/** Thrown when a text turns out to have more lines than expected. */
class MoreLines extends Error {
  readonly expected: number;

  constructor(expected: number) {
    super('there are more lines than expected');
    this.expected = expected;
  }
}

/** The factor added to an estimate, because reading the text again costs more than some unused memory. */
const MARGIN = 1.05;
const LEAST = 1000;

/** The number of lines to make room for, if a text is estimated to have `lines`. */
export function roomForEstimate(lines: number): number {
  return Math.max(LEAST, Math.ceil(MARGIN * lines));
}

/**
 * Runs an attempt at reading a text into a filter of some capacity. If the text turns out to have more lines, the
 * attempt is ended and another one begun with more room.
 *
 * @param size the size of the text in bytes
 * @param room the number of lines to make room for at first
 * @param attempt must call `watch` with its progress, and reject with what that throws
 */
export async function withRoom<T>(
  size: number,
  room: number,
  attempt: (capacity: number, watch: (progress: LineProgress) => void, isAgain: boolean) => Promise<T>,
): Promise<T> {
  for (let capacity = room, isAgain = false; ; isAgain = true) {
    const limit = capacity;
    try {
      return await attempt(
        limit,
        (progress) => {
          if (progress.lines <= limit) return;
          const expected = Math.ceil((progress.lines / Math.max(progress.bytes, 1)) * size);
          throw new MoreLines(Math.max(expected, progress.lines));
        },
        isAgain,
      );
    } catch (error) {
      if (!(error instanceof MoreLines)) throw error;
      capacity = roomForEstimate(error.expected);
    }
  }
}
