import type { Instance } from '../kernel/kernel.ts';

/**
 * Reads and hashes many keys, a chunk at a time. Only `collect` and `close` may run user code: they are called between
 * chunks, when the scratch holds nothing that is still needed.
 */
export interface Source {
  /**
   * Returns the number of keys; undefined if it is unknown before they are read. For lines, this reads the whole text.
   */
  readonly count: (() => number) | undefined;
  /** Reads and checks the next keys. Returns false at the end. */
  collect(): boolean;
  /** Hashes the next chunk of the collected keys into the scratch, and returns its number of keys, at least 1. */
  hash(instance: Instance, seed: number): number;
  /** Keeps those keys of the chunk whose flag in the scratch is `wanted`. */
  keep(instance: Instance, wanted: number): void;
  /** Returns all kept keys, in the shape in which they came. */
  kept(): unknown;
  /** Ends the reading. May be called before the end of the keys. */
  close(): void;
}

/**
 * Where a collection of keys says how it is read. So a bundle contains only the sources of collections that it uses.
 */
export const SOURCE: unique symbol = Symbol();

/** A collection that makes the source of its keys. */
export interface Readable {
  /** @internal */
  [SOURCE](): Source;
}
