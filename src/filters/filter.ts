/// <reference lib="esnext.disposable" preserve="true" />

import type { FilterKind } from '../format/header.ts';
import type { ManyKeys, Picked } from '../keys/collections.ts';
import type { Key } from '../keys/key.ts';
import type { Estimate } from './estimate.ts';

/** `Symbol.dispose`, or a substitute in runtimes that lack it, such as older Safari. */
export const disposeSymbol: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');

/** What every kind of filter can do: look up keys, report its size and fill, be saved and be disposed of. */
export interface Filter extends Disposable {
  /** The name of the kind, such as `classic`: each class has its own, so `switch (filter.kind)` tells kinds apart. */
  readonly kind: FilterKind;
  /** The engine that runs the filter. */
  readonly engine: 'wasm' | 'js';
  /**
   * The number of distinct keys that the filter is made for. Most kinds take more keys, and then err more often than
   * `errorRate`. A kind that can be full refuses further keys, a kind that grows takes more memory, and a kind that
   * forgets drops other keys, mostly old ones: see `traits` of the class.
   */
  readonly capacity: number;
  /**
   * The share of absent keys that look present when the filter holds `capacity` keys, 0 … 1. Kinds that grow or forget
   * keep it however many keys are added.
   */
  readonly errorRate: number;
  /**
   * The number of cells k per key. In a filter with buckets, it is the number of buckets per key; in a scalable one,
   * the number of cells in the first sub-filter; in a rotating one, the number of cells in each generation.
   */
  readonly hashes: number;
  /**
   * The seed of the hash, 0 … 2^32 − 1. For a filter with a secret (see `keyed`), it is 2^32 plus a 32-bit number that
   * is derived from the secret.
   */
  readonly seed: number;
  /** What the cells are called, such as `bits`. */
  readonly cellName: string;
  /** The number of cells. */
  readonly cellCount: number;
  /** The number of bits per cell. */
  readonly cellBits: number;
  /** The memory that the cells take, in bytes. */
  readonly byteLength: number;

  /**
   * Whether a key may be present. False means that it is certainly absent: it was never added, or was removed or
   * forgotten. For kinds with `remove`, this holds as long as you remove only keys that were added.
   *
   * @throws TypeError | RangeError if `key` is not a key
   */
  has(key: Key): boolean;

  /**
   * Looks up many keys. For one key, `has` is faster: it makes no array.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes
   * @param out receives the flags; optional. It must not share memory with the keys.
   * @returns a flag for each key, in order: 1 where `has` would return true; if `out` is given, `out` or a
   *   view of its beginning
   * @throws TypeError | RangeError if one of `keys` is not a key, if `out` is too short, or if `out` is given and the
   *   number of keys is unknown
   */
  hasMany<K, B extends ArrayBufferLike = ArrayBuffer>(keys: ManyKeys<K>, out?: Uint8Array<B>): Uint8Array<B>;

  /**
   * Picks the keys that may be present, in the shape of `keys`: an array or iterable gives an array, an integer array
   * an integer array of the same type, lines give lines (with their terminators), a column gives a column, and hashes
   * give hashes.
   *
   * Byte arrays from an iterable are copied, because an iterable may reuse one buffer. Byte arrays in an array are
   * returned as the same objects, and must not change while they are read.
   *
   * @throws TypeError | RangeError if one of `keys` is not a key
   */
  pick<K>(keys: ManyKeys<K>): Picked<K>;

  /**
   * Picks the keys that are certainly absent, in the shape of `keys`, as `pick` does.
   *
   * @throws TypeError | RangeError if one of `keys` is not a key
   */
  omit<K>(keys: ManyKeys<K>): Picked<K>;

  /** The share of cells in use, 0 … 1. Reads the whole filter. */
  fillRatio(): number;

  /**
   * Estimates from the fill ratio how many distinct keys the filter holds; Infinity when full. Reads the whole filter.
   * For a filter that `intersection` made, the estimate is far too high: see `estimateIntersection`.
   */
  estimateCount(): number;

  /** Estimates from the fill ratio the share of absent keys that look present now, 0 … 1. Reads the whole filter. */
  estimateErrorRate(): number;

  /**
   * Saves the filter as a file of format version 1, which every engine and every later version reads.
   *
   * @throws RangeError if the file does not fit into one array: use `toChunks` instead
   */
  toBytes(): Uint8Array<ArrayBuffer>;

  /**
   * Saves the filter as the same file as `toBytes`, in chunks of at most 1 MiB. The file holds the filter as it is when
   * you ask for the first chunk. If keys may be added before the last chunk has been read, save a copy:
   * `filter.clone().toChunks()`.
   *
   * Reads and hashes the filter twice, and needs memory for one chunk only.
   *
   * @throws Error from `next()` if the contents of the chunk have changed since the first chunk
   */
  toChunks(): Generator<Uint8Array<ArrayBuffer>, void, undefined>;

  /**
   * Frees the memory. If the filter has at most 16 MiB, or 1 MiB in plain JavaScript, other filters can use the memory
   * at once; else it is freed at the next garbage collection. After that, methods that need the cells throw a
   * TypeError. Calling `dispose` again does nothing.
   */
  dispose(): void;
}

/** A filter that takes new keys. */
export interface GrowingFilter extends Filter {
  /**
   * Adds a key.
   *
   * @returns true if the key was certainly absent before
   * @throws TypeError | RangeError if `key` is not a key
   */
  add(key: Key): boolean;

  /**
   * Adds many keys. With hundreds of keys or more, this is faster than adding them one by one; lines and integer
   * arrays are fastest. The error for something that is not a key states its position.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes
   * @param out receives a flag for each key, in order: 1 where `add` would return true. It must not share memory with
   *   the keys. Flags make adding a little slower. After an error, only the flags of the keys before it are valid.
   * @throws TypeError | RangeError if one of `keys` is not a key; the keys before it have been added
   * @throws FilterFullError if there is no room for one of `keys`, in a kind that can be full or cannot grow; its
   *   `position` says which, and the keys before it have been added
   * @throws TypeError | RangeError, before adding anything, if `out` is too short, or if `out` is given and the number
   *   of keys is unknown
   */
  addMany<K>(keys: ManyKeys<K>, out?: Uint8Array): this;

  /**
   * Adds many keys, and returns those that were certainly absent before, in the shape of `keys`, as `pick` does. These
   * are the first occurrence of each key, except for the few new keys that look present.
   *
   * @throws TypeError | RangeError if one of `keys` is not a key; the keys before it have been added
   * @throws FilterFullError as `addMany`, if there is no room
   */
  dedupe<K>(keys: ManyKeys<K>): Picked<K>;

  /** Removes all keys. */
  clear(): void;
}

/**
 * A filter from which keys can be removed: `traits.removes` of its class is true. Every such filter is also a
 * `CountingFilter`, except `TombstoneFilter` and `FingerprintSet`.
 *
 * Except in these two, remove only keys that were added. A key that was never added, but looks present, shares the
 * cells of other keys, and removing it may make those look absent.
 */
export interface RemovingFilter extends Filter {
  /**
   * Removes a key, once. Removing a key that looks absent changes nothing.
   *
   * Removing a key that was never added, but looks present, may make other keys look absent.
   *
   * @returns true if the key looked present before
   * @throws TypeError | RangeError if `key` is not a key
   */
  remove(key: Key): boolean;

  /**
   * Removes many keys, each once.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes
   * @param out receives a flag for each key, in order: 1 where `remove` would return true
   * @throws TypeError | RangeError if one of `keys` is not a key; the keys before it have been removed
   * @throws TypeError | RangeError, before removing anything, if `out` is too short, or if `out` is given and the
   *   number of keys is unknown
   */
  removeMany<K>(keys: ManyKeys<K>, out?: Uint8Array): this;
}

/** A filter that holds copies of keys, counts them, and can take each away again. */
export interface CountingFilter extends RemovingFilter, GrowingFilter {
  /**
   * An upper bound on how often a key was added and not removed. The count may be too high because other keys share the
   * key's cells or look the same. The comment of each class gives its highest count.
   *
   * @returns the number of copies; 0 means that the key is certainly absent
   * @throws TypeError | RangeError if `key` is not a key
   */
  countOf(key: Key): number;
}

/**
 * A filter that can be united with another one of its kind, size, hashes and seed.
 *
 * Use a type parameter for the class, as in `<F extends UnitingFilter>(filters: F[])`. A list of type `UnitingFilter[]`
 * could have filters of several kinds, so the compiler accepts no filter in it.
 */
export interface UnitingFilter extends Filter {
  /**
   * Makes a new filter that holds the keys of both, with this filter's capacity and error rate.
   *
   * @throws TypeError | RangeError unless `other` is of the same kind, size and seed
   * @throws FilterFullError if there is no room for the keys of both, in a kind that can be full
   */
  union(other: this): this;

  /**
   * Adds all keys of another filter to this one: `union` in place.
   *
   * @throws TypeError | RangeError unless `other` is of the same kind, size and seed
   * @throws FilterFullError if there is no room for the keys of both, in a kind that can be full
   */
  merge(other: this): this;
}

/** A filter that can also be intersected, cell by cell, with another one of its kind, size, hashes and seed. */
export interface IntersectingFilter extends UnitingFilter {
  /**
   * Makes a new filter that holds every key that is in both. A key looks present in it if it looks present in both.
   *
   * @throws TypeError | RangeError unless `other` is of the same kind, size, hashes and seed
   */
  intersection(other: this): this;

  /**
   * Estimates how many distinct keys the two filters hold together, with the standard error.
   *
   * @throws TypeError | RangeError unless `other` is of the same kind, size, hashes and seed
   */
  estimateUnion(other: this): Estimate;

  /**
   * Estimates how many distinct keys are in both filters, with the standard error.
   *
   * @throws TypeError | RangeError unless `other` is of the same kind, size, hashes and seed
   */
  estimateIntersection(other: this): Estimate;
}

/** The symbol of the method that Node, Deno and Bun call to print an object with `console.log`. */
export const inspectSymbol: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never;

/** The function that these runtimes pass to the method, with the parameters used here. */
export type Inspect = (value: unknown, options: object) => string;
