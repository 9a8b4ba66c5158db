/// <reference lib="esnext.disposable" preserve="true" />

import type { Key } from '../keys/key.ts';
import type { Keys, NotOne, Picked } from '../keys/source.ts';

/** Has a name of its own where the runtime does not know `Symbol.dispose`: older Safari. */
export const disposeSymbol: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');

/** What every kind of filter can do. */
export interface Filter extends Disposable {
  /** The kind of filter. */
  readonly kind: string;
  /** Which engine runs it. */
  readonly engine: 'wasm' | 'js';
  /** The number of keys it is made for. Nothing stops you from adding more; the error rate then passes `errorRate`. */
  readonly capacity: number;
  /** The share of absent keys that look present when `capacity` keys are in it, 0 … 1. */
  readonly errorRate: number;
  /** The seed of the hash, 0 … 2^32 − 1. */
  readonly seed: number;
  /** The memory that its cells take, in bytes. */
  readonly byteLength: number;

  /**
   * Adds a key.
   *
   * @returns true if the key was certainly absent before
   * @throws TypeError | RangeError if it is no key
   */
  add(key: Key): boolean;

  /**
   * Whether a key may be present: false says that it was certainly never added.
   *
   * @throws TypeError | RangeError if it is no key
   */
  has(key: Key): boolean;

  /**
   * Adds many keys: faster than one by one where they are dozens or more, and fastest of all as lines or integer arrays.
   *
   * If one of them is no key, it throws, says its position, and has added the keys before it.
   *
   * @param keys an array or iterable of keys, an integer array, lines or a column
   * @param out gets a flag for each key, in order: 1 where `add` would have said true. Makes adding a little slower.
   * @throws TypeError | RangeError, before anything is added, if `out` is too short, or the number of keys unknown
   */
  addMany<K extends Keys>(keys: NotOne<K>, out?: Uint8Array): this;

  /**
   * Looks up many keys.
   *
   * @param keys an array or iterable of keys, an integer array, lines or a column
   * @param out gets the flags, and is not needed
   * @returns a flag for each key, in order: 1 where `has` would have said true (a view of `out` if that is given)
   * @throws TypeError | RangeError if one of them is no key, or `out` is too short, or the number of keys unknown
   */
  hasMany<K extends Keys, B extends ArrayBufferLike = ArrayBuffer>(keys: NotOne<K>, out?: Uint8Array<B>): Uint8Array<B>;

  /**
   * Those of many keys that may be present, in the shape in which they came: an array or iterable gives an array, an
   * integer array one of its type, lines give lines (with the terminators they had), a column a column.
   *
   * Bytes of an iterable are given as copies, for it may give one buffer again and again. Those in an array are the very
   * objects, and must not change while they are read.
   *
   * @throws TypeError | RangeError if one of them is no key
   */
  pick<K extends Keys>(keys: NotOne<K>): Picked<K>;

  /** Those of many keys that are certainly absent, in the shape in which they came: see `pick`. */
  omit<K extends Keys>(keys: NotOne<K>): Picked<K>;

  /**
   * Adds many keys and gives those that were certainly absent before: the first of every key, less the few that look
   * present and are not. In the shape in which they came: see `pick`.
   *
   * @throws TypeError | RangeError if one of them is no key; those before it have been added
   */
  dedupe<K extends Keys>(keys: NotOne<K>): Picked<K>;

  /**
   * The filter as a file of format 1, which every engine and every later version reads.
   *
   * @throws RangeError where it does not fit into one array: that is what `toChunks` is for
   */
  toBytes(): Uint8Array<ArrayBuffer>;

  /**
   * The same file in chunks of at most 1 MiB. The filter must not change until the last is read, or it will be refused
   * as damaged.
   */
  toChunks(): Generator<Uint8Array<ArrayBuffer>, void, undefined>;

  /** Removes all keys. */
  clear(): void;

  /** The share of cells that are in use, 0 … 1. Reads the whole filter. */
  fillRatio(): number;

  /** How many distinct keys were added, estimated from the fill; Infinity when it is full. Reads the whole filter. */
  estimateCount(): number;

  /** The share of absent keys that look present now, 0 … 1, estimated from the fill. Reads the whole filter. */
  estimateErrorRate(): number;

  /**
   * Gives the memory back: that of a small filter at once, that of one over 1 MiB with the next garbage collection.
   * May be called again. From then on a TypeError is what everything throws that needs the cells.
   */
  dispose(): void;
}
