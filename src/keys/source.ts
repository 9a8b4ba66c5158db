import type { Instance } from '../kernel/instance.ts';

/**
 * Reads and hashes many keys, a chunk at a time. Only `collect` and `close` may run user code: they are called between
 * chunks, when nothing in the scratch is needed any more.
 *
 * The public fields of a source say where its last chunk is, and `keep` uses only them and the scratch. So it can also
 * keep keys of an earlier chunk, after copies of both were put back.
 */
export interface Source {
  /** Where the last chunk begins: the index of a key, or of a byte. */
  from: number;
  /** Where it ends. */
  to: number;
  /**
   * Returns the number of keys; undefined if it is unknown before they are read. For lines, this reads the whole text.
   */
  readonly count: (() => number) | undefined;
  /** How many keys were done without the source, before those that it reads; by default none. */
  readonly done?: number;
  /** Reads the next keys. Returns false at the end. Throws if the next value cannot be read, or is no key. */
  collect(): boolean;
  /**
   * Hashes the next chunk of the collected keys into the scratch, and returns the number of keys in it: 0 only if the next
   * value is no key.
   */
  hash(instance: Instance, seed: number): number;
  /** Keeps the keys of the chunk whose flag in the scratch is `wanted`, for `kept`. */
  keep(instance: Instance, wanted: number): void;
  /** Returns all kept keys in the shape of the input: lines for lines, an array for an array. */
  kept(): unknown;
  /** Stops reading. May be called before the end of the keys. */
  close?(): void;
}

/**
 * The method of a collection of keys that returns its source. So a bundle contains only the sources of collections that
 * it uses.
 */
export const SOURCE: unique symbol = Symbol();

/** A collection that makes the source of its keys. */
export interface Readable {
  /** @internal */
  [SOURCE](): Source;
}
