import type { Instance } from '../kernel/kernel.ts';

/**
 * Keys on their way to their hashes, a chunk at a time. Only `collect` and `close` may run user code: they are called
 * between chunks, when nothing of value lies in the scratch.
 */
export interface Source {
  /** The number of keys, where it can be known before they are read. Lines have to be counted. */
  readonly count: (() => number) | undefined;
  /** Reads and checks the next keys. False at the end. */
  collect(): boolean;
  /** Hashes the next chunk of them into the scratch, and returns how many keys it has: 1 at least. */
  hash(instance: Instance, seed: number): number;
  /** Keeps the keys of the chunk whose flag in the scratch is `wanted`. */
  keep(instance: Instance, wanted: number): void;
  /** All keys that were kept, in the shape in which they came. */
  kept(): unknown;
  /** Ends the reading, early or not. */
  close(): void;
}
