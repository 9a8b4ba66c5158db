/// <reference lib="esnext.disposable" preserve="true" />

import type { Key } from '../keys/key.ts';
import type { Keys, ManyKeys, Picked } from '../keys/many.ts';

/** `Symbol.dispose`, or a symbol of our own where the runtime lacks it, as older Safari does. */
export const disposeSymbol: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');

/** What every kind of filter can do: look up keys, say how full it is, be saved, give its memory back. */
export interface Filter extends Disposable {
  /** The name of the kind, as in `classic`. */
  readonly kind: string;
  /** The engine that runs the filter. */
  readonly engine: 'wasm' | 'js';
  /** The number of keys it is made for. A filter that can grow takes more; its error rate then passes `errorRate`. */
  readonly capacity: number;
  /** The share of absent keys that look present when the filter holds `capacity` keys, 0 … 1. */
  readonly errorRate: number;
  /** The number of cells that a key has, k. */
  readonly hashes: number;
  /** The seed of the hash, 0 … 2^32 − 1. */
  readonly seed: number;
  /** What its cells are called: `bits`, `counters`. */
  readonly cellName: string;
  /** The number of its cells. */
  readonly cellCount: number;
  /** The bits that a cell takes. */
  readonly cellBits: number;
  /** The memory that its cells take, in bytes. */
  readonly byteLength: number;

  /**
   * Whether a key may be present. False means that the key was certainly never added.
   *
   * @throws TypeError | RangeError if `key` is not a key
   */
  has(key: Key): boolean;

  /**
   * Looks up many keys.
   *
   * @param keys an array or iterable of keys, an integer array, lines or a column
   * @param out receives the flags; optional
   * @returns a flag for each key, in order: 1 where `has` would return true (a view of `out` if that is given)
   * @throws TypeError | RangeError if one of them is not a key, if `out` is too short, or if `out` is given and the number
   *   of keys is unknown
   */
  hasMany<K extends Keys, B extends ArrayBufferLike = ArrayBuffer>(
    keys: ManyKeys<K>,
    out?: Uint8Array<B>,
  ): Uint8Array<B>;

  /**
   * Picks the keys that may be present, in the shape in which they came: an array or iterable gives an array, an integer
   * array one of its type, lines give lines (with the terminators they had), a column a column.
   *
   * Byte arrays from an iterable are returned as copies, because an iterable may reuse one buffer. Those in an array are
   * returned as the same objects, and must not change while they are read.
   *
   * @throws TypeError | RangeError if one of them is not a key
   */
  pick<K extends Keys>(keys: ManyKeys<K>): Picked<K>;

  /**
   * Picks the keys that are certainly absent, in the shape in which they came: see `pick`.
   *
   * @throws TypeError | RangeError if one of them is not a key
   */
  omit<K extends Keys>(keys: ManyKeys<K>): Picked<K>;

  /** The share of cells that are in use, 0 … 1. Reads the whole filter. */
  fillRatio(): number;

  /** Estimates from the fill how many distinct keys were added; Infinity when full. Reads the whole filter. */
  estimateCount(): number;

  /** Estimates from the fill the share of absent keys that look present now, 0 … 1. Reads the whole filter. */
  estimateErrorRate(): number;

  /**
   * Saves the filter as a file of format 1, which every engine and every later version reads.
   *
   * @throws RangeError where the file does not fit into one array: use `toChunks` there
   */
  toBytes(): Uint8Array<ArrayBuffer>;

  /**
   * Saves the filter as the file that `toBytes` gives, in chunks of at most 1 MiB. The filter must not change until the
   * last chunk is read, or the file will be refused as damaged.
   */
  toChunks(): Generator<Uint8Array<ArrayBuffer>, void, undefined>;

  /**
   * Gives the memory back: that of a small filter at once, that of one over 1 MiB at the next garbage collection. May be
   * called again. From then on, everything that needs the cells throws a TypeError.
   */
  dispose(): void;
}

/** What every kind of filter can do that keys are added to. */
export interface GrowingFilter extends Filter {
  /**
   * Adds a key.
   *
   * @returns true if the key was certainly absent before
   * @throws TypeError | RangeError if `key` is not a key
   */
  add(key: Key): boolean;

  /**
   * Adds many keys: faster than one by one for dozens of keys or more, and fastest for lines and integer arrays.
   *
   * If one of them is not a key, the keys before it have been added, and the error says its position.
   *
   * @param keys an array or iterable of keys, an integer array, lines or a column
   * @param out receives a flag for each key, in order: 1 where `add` would return true. Flags make adding a little slower.
   * @throws TypeError | RangeError, before anything is added, if `out` is too short, or if `out` is given and the number
   *   of keys is unknown
   */
  addMany<K extends Keys>(keys: ManyKeys<K>, out?: Uint8Array): this;

  /**
   * Adds many keys and returns those that were certainly absent before: the first of each, less the few that look present
   * and are not. They come in the shape of `keys`: see `pick`.
   *
   * @throws TypeError | RangeError if one of them is not a key; the keys before it have been added
   */
  dedupe<K extends Keys>(keys: ManyKeys<K>): Picked<K>;

  /** Removes all keys. */
  clear(): void;
}
