import type { GuardFilter } from './filter.ts';

/** How an attempt to grow has ended. */
export interface Growth<F> {
  /** The capacity that was asked for. */
  readonly capacity: number;
  /** The filter that was replaced, which is no longer used: dispose of it. Left out if the attempt failed. */
  readonly old?: F;
  /** Why the attempt failed. The old filter stays, with all keys. */
  readonly error?: unknown;
}

/** After an attempt, the next one begins at the earliest after this many times the time that it took. */
const PAUSE = 10;
/** The shortest pause, in milliseconds. */
const LEAST_PAUSE = 1000;
/** Counting may read the whole filter, so it waits for at least this share of the capacity to be added. */
const COUNTED_SHARE = 1 / 64;
/** A filter that is full of keys counts up to Infinity of them. This many times the capacity is believed. */
const MOST_TIMES = 16;

function sizeOf(filter: GuardFilter): { readonly capacity: number; readonly count: number } {
  // `requireFilter` has made sure that it has both.
  const sized = filter as GuardFilter & Required<Pick<GuardFilter, 'capacity' | 'estimateCount'>>;
  return { capacity: sized.capacity, count: sized.estimateCount() };
}

/** Decides when a filter grows: when it holds more keys than its capacity, or has no room for one. */
export class GrowthPlan {
  /** How many keys to add until the filter is counted again. */
  #uncounted = 0;
  #notBefore = 0;

  /** Asked after each key. */
  isDue(filter: GuardFilter, isFull: boolean): boolean {
    if (performance.now() < this.#notBefore) return false;
    if (isFull) return true;
    this.#uncounted--;
    if (this.#uncounted > 0) return false;
    const { capacity, count } = sizeOf(filter);
    // Each key counts once at most, so the filter cannot be overfull before.
    this.#uncounted = Math.max(capacity - count, COUNTED_SHARE * capacity);
    return count > capacity;
  }

  /** Notes that another filter is in place. */
  restart(): void {
    this.#uncounted = 0;
  }

  /** Notes that an attempt which began then has ended. */
  ended(begun: number): void {
    const now = performance.now();
    this.#uncounted = 0;
    this.#notBefore = now + Math.max(LEAST_PAUSE, PAUSE * (now - begun));
  }
}

/** The capacity to grow to: twice the number of keys, and no less than now. */
export function nextCapacity(filter: GuardFilter, waiting: number): number {
  const { capacity, count } = sizeOf(filter);
  return Math.max(capacity, Math.ceil(2 * (Math.min(count, MOST_TIMES * capacity) + waiting)));
}
