// The values that a map is made of, and the words of its keys while it is built.

import { changeAll } from '../../filters/batch.ts';
import type { FuseMapExports } from '../../kernel/generated/fuse-map/exports.ts';
import type { Instance } from '../../kernel/instance.ts';
import type { Engine, Region, RegionWith } from '../../kernel/region.ts';
import { arrayError, isLost, typedArrayName } from '../../util/checks/typed-arrays.ts';
import { mustBe } from '../../util/checks/validate.ts';
import type { Content } from '../fuse/build.ts';
import { type BlockStore, Buckets, type RecentKeys } from '../fuse/sharded/build.ts';

export const MOST_VALUE: number = 2 ** 32 - 1;
/** The most keys, duplicates included: positions have 32 bits. */
const MOST_KEYS: number = 2 ** 32;
/** The words of a key: its mixed hash, and its position; later its value. */
const WORDS = 3;
/** The words of a key that is stored with its value: its mixed hash, its value and its position. */
const STORED_WORDS = 4;

/** Values, each an integer from 0 to 2^32 − 1. */
export type MapValues =
  | readonly number[]
  | Uint8Array
  | Uint8ClampedArray
  | Uint16Array
  | Uint32Array
  | Int8Array
  | Int16Array
  | Int32Array;

/** Copies values. Throws a TypeError or RangeError unless they are an array of integers from 0 to 2^32 − 1. */
export function copyValues(values: unknown): Uint32Array<ArrayBuffer> {
  const isNumbers = Array.isArray(values) || (typedArrayName(values) && !isLost(values as Uint8Array));
  if (!isNumbers) throw arrayError('values', 'an array of integers', values);
  const given = values as ArrayLike<unknown>;
  const copy = new Uint32Array(given.length);
  for (let i = 0; i < copy.length; i++) {
    const value = given[i];
    if (typeof value !== 'number') throw new TypeError(mustBe(`values[${i}]`, 'a number', value));
    copy[i] = value;
    if (copy[i] !== value) throw new RangeError(mustBe(`values[${i}]`, `an integer from 0 to ${MOST_VALUE}`, value));
  }
  return copy;
}

/** The number of bits of the largest value, at least 1. */
export function valueBitsOf(values: Uint32Array): number {
  let bits = 0;
  for (let i = 0; i < values.length; i++) bits |= values[i] as number;
  return Math.max(1, 32 - Math.clz32(bits));
}

/** What the cells of a map hold: fingerprints above values. */
export function valuesOf(valueBits: number, bits: number): Content {
  return {
    bits,
    words: WORDS,
    workBytes: 17,
    count: (kernel, work, { exponent, segments }, attempt, keys, count) =>
      (kernel as FuseMapExports).fuse_map_count(work, exponent, segments, attempt, keys, count),
    build: (kernel, work, { exponent, segments }, count, body) =>
      (kernel as FuseMapExports).fuse_map_build(work, exponent, segments, count, body, valueBits, bits),
  };
}

/** Keys and their values in buckets by the top byte of h1. */
export class ValueBuckets extends Buckets {
  readonly #engine: Engine;
  readonly #values: Uint32Array | undefined;
  readonly #recent: RecentKeys | undefined;

  /**
   * @param values the values of all keys; undefined if they are stored with the keys
   * @param recent leaves out keys that come often
   */
  constructor(engine: Engine, store: BlockStore, values?: Uint32Array, recent?: RecentKeys) {
    super(store, values ? WORDS : STORED_WORDS, WORDS);
    this.#engine = engine;
    this.#values = values;
    this.#recent = recent;
  }

  /**
   * Adds many keys with their values. Throws a RangeError if there are not as many values as keys, or too many keys.
   *
   * @param region memory in whose scratch keys are hashed
   * @param each called after each chunk of keys, with its values
   */
  addAll(region: Region, seed: number, keys: unknown, values: Uint32Array, each?: (added: Uint32Array) => void): void {
    const { length } = values;
    let added = 0;
    changeAll({ region, seed }, keys, (count) => {
      const all = added + count;
      if (all > length)
        throw new RangeError(`values must have one for each key, got ${length} for ${all} keys or more`);
      if (this.count + count > MOST_KEYS) throw new RangeError(`a map is built of at most ${MOST_KEYS} keys`);
      this.#add(region.instance, count, values, added);
      each?.(values.subarray(added, all));
      added = all;
    });
    if (added < length) throw new RangeError(`values must have one for each key, got ${length} for ${added} keys`);
  }

  /** Adds the first `count` hashes in the scratch, whose values begin at `first`, and mixes them there. */
  #add(instance: Instance, count: number, values: Uint32Array, first: number): void {
    const { memory, scratch } = instance;
    const buckets = this.bucketsOf(instance, count);
    (instance.kernel as object as FuseMapExports).fuse_map_mix(scratch.hashes, count);
    const mixed = new Uint32Array(memory.buffer, scratch.hashes, 2 * count);
    const words = this.#values ? WORDS : STORED_WORDS;
    for (let i = 0; i < count; i++) {
      const low = mixed[2 * i] as number;
      const high = mixed[2 * i + 1] as number;
      const value = values[first + i] as number;
      if (this.#recent?.has(low, high, value)) continue;
      const bucket = buckets[i] as number;
      const at = this.placeIn(bucket);
      const block = this.blocks[bucket] as Uint32Array;
      block[at] = low;
      block[at + 1] = high;
      if (words === STORED_WORDS) block[at + 2] = value;
      block[at + words - 1] = this.count + i;
    }
    this.count += count;
  }

  protected sortDistinct(words: Uint32Array): Uint32Array {
    return sortDistinctKeys(this.#engine, words, this.#values);
  }
}

/**
 * Sorts keys, and removes those that came before. Returns the words of a key for each that is left: a view of the same
 * memory.
 *
 * @param words for each key its mixed hash, its value unless there are `values`, and its position
 * @param values the values of all keys
 * @throws RangeError if a key has two values
 */
export function sortDistinctKeys(engine: Engine, words: Uint32Array, values?: Uint32Array): Uint32Array {
  const size = values ? WORDS : STORED_WORDS;
  sort(engine, words, size);
  let end = 0;
  let last = 0;
  for (let at = 0; at < words.length; at += size) {
    const position = words[at + size - 1] as number;
    const value = (values ? values[position] : words[at + 2]) as number;
    if (end > 0 && words[at] === words[end - 3] && words[at + 1] === words[end - 2]) {
      if (value !== words[end - 1]) throw twoValues(last, words[end - 1] as number, position, value);
      continue;
    }
    words[end] = words[at] as number;
    words[end + 1] = words[at + 1] as number;
    words[end + 2] = value;
    end += WORDS;
    last = position;
  }
  return words.subarray(0, end);
}

/** Sorts keys of `size` words each by their mixed hashes, and those of equal hashes by their last word. */
function sort(engine: Engine, words: Uint32Array, size: number): void {
  const region = engine.reserve(Math.max(1, words.byteLength)) as RegionWith<FuseMapExports>;
  try {
    const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    const memory = region.view(0, bytes.length);
    memory.set(bytes);
    const { kernel, scratch } = region.instance;
    kernel.fuse_map_sort(region.pointer, words.length / size, 4 * size, scratch.keys);
    bytes.set(memory);
  } finally {
    region.dispose();
  }
}

/** The error for a key that comes at two positions with two values. It has both, for code that knows more of the positions. */
function twoValues(first: number, one: number, second: number, other: number): RangeError {
  const error = new RangeError(
    `keys[${second}] must have the value ${one} of keys[${first}], because they are the same key or have the same hash, got ${other}`,
  );
  return Object.assign(error, { positions: [first, second], values: [one, other] });
}
