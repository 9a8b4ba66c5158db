// How many threads a command works in: the limits are those of `buildParallel`.

import { availableParallelism } from 'node:os';
import { LEAST_BYTES, MOST_BYTES } from '../../src/node/parallel/parts.ts';
import { MOST_THREADS } from '../../src/node/parallel/thread.ts';
import { isLimited } from '../address-space.ts';
import { isFast } from '../filters/kinds.ts';
import type { Inputs } from '../text/input.ts';

export { MOST_THREADS };

/** How many threads work on a text, and from where on. */
export interface Threads {
  readonly count: number;
  /** How many bytes of the text one thread reads before the others start. */
  readonly after: number;
}

export const ONE_THREAD: Threads = { count: 1, after: 0 };

/**
 * How many threads work on the text of the inputs.
 *
 * @param given the number that the user wants; they then work from the first byte on
 */
export function threadsFor(given: number | undefined, { names, size }: Inputs): Threads {
  // Each thread needs addresses of its own, without which Node ends.
  if (isLimited()) return ONE_THREAD;
  if (given !== undefined) return { count: given, after: 0 };
  const most = availableParallelism();
  // How long such a text is, only reading it tells.
  if (size === undefined || names.some((name) => /\.(gz|zst)$/.test(name)))
    return { count: most, after: 2 * LEAST_BYTES };
  return { count: Math.max(1, Math.min(most, Math.floor(size / LEAST_BYTES))), after: 0 };
}

/** How many threads fill a filter of a kind with the text of the inputs, if the user does not say. */
export function threadsToFill(kind: string, given: number | undefined, inputs: Inputs): Threads {
  return threadsFor(given ?? (isFast(kind) ? 1 : undefined), inputs);
}

/** Unless the user says how many threads work, no more than two build shards: each takes up to half a GB. */
const MOST_BUILDING = 2;

/** How many threads build shards of a filter, when `count` have hashed its keys. */
export function threadsToBuild(given: number | undefined, { count }: Threads): number {
  return Math.min(count, given ?? MOST_BUILDING);
}

/** Whether a filter takes so much memory that `threads` threads cannot have one each. */
export function takesMuch({ byteLength }: { readonly byteLength: number }, threads: number): boolean {
  return byteLength * threads > MOST_BYTES;
}
