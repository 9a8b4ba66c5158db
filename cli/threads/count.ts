// How many threads a command works in.

import { availableParallelism } from 'node:os';
import type { Inputs } from '../text/input.ts';

/** With less text than this, a thread hardly saves the 0.1 s that it takes to start, if the filter is a fast one. */
const LEAST_BYTES = 32 * 2 ** 20;

/** Kinds that are filled about as fast as a text is read: two threads took 1.15 and 1.7 times as long. */
const FAST_KINDS: readonly string[] = ['blocked', 'wide'];

/** How many threads work on a text, and from where on. */
export interface Threads {
  readonly count: number;
  /** How many bytes of the text one thread reads before the others start. */
  readonly after: number;
}

/**
 * How many threads work on the text of the inputs.
 *
 * @param given the number that the user wants; they then work from the first byte on
 */
export function threadsFor(given: number | undefined, { names, size }: Inputs): Threads {
  if (given !== undefined) return { count: given, after: 0 };
  const most = availableParallelism();
  // How long such a text is, only reading it tells.
  if (size === undefined || names.some((name) => /\.(gz|zst)$/.test(name)))
    return { count: most, after: 2 * LEAST_BYTES };
  return { count: Math.max(1, Math.min(most, Math.floor(size / LEAST_BYTES))), after: 0 };
}

/** How many threads fill a filter of a kind with the text of the inputs, if the user does not say. */
export function threadsToFill(kind: string, given: number | undefined, inputs: Inputs): Threads {
  return threadsFor(given ?? (FAST_KINDS.includes(kind) ? 1 : undefined), inputs);
}
