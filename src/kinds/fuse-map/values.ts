// The values that a map is made of, and the words of its keys while it is built.

import type { FuseMapExports } from '../../kernel/generated/fuse-map/exports.ts';
import type { Instance } from '../../kernel/instance.ts';
import type { Engine, RegionWith } from '../../kernel/region.ts';
import { mustBe } from '../../util/checks/validate.ts';
import type { Content } from '../fuse/build.ts';
import { Buckets, MemoryStore } from '../fuse/sharded/build.ts';

export const MOST_VALUE: number = 2 ** 32 - 1;
/** The words of a key: its mixed hash, and its position; later its value. */
const WORDS = 3;

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
  const isNumbers = Array.isArray(values) || (ArrayBuffer.isView(values) && !(values instanceof DataView));
  if (!isNumbers) throw new TypeError(mustBe('values', 'an array of integers', values));
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
  readonly #values: Uint32Array;

  constructor(engine: Engine, values: Uint32Array) {
    super(new MemoryStore(), WORDS);
    this.#engine = engine;
    this.#values = values;
  }

  /** Adds the first `count` hashes in the scratch, and mixes them there. Throws a RangeError if there are no values. */
  add(instance: Instance, count: number): void {
    const { memory, scratch } = instance;
    const end = this.count + count;
    const { length } = this.#values;
    if (end > length) throw new RangeError(`values must have one for each key, got ${length} for ${end} keys or more`);
    const buckets = this.bucketsOf(instance, count);
    (instance.kernel as object as FuseMapExports).fuse_map_mix(scratch.hashes, count);
    const mixed = new Uint32Array(memory.buffer, scratch.hashes, 2 * count);
    for (let i = 0; i < count; i++) {
      const bucket = buckets[i] as number;
      const at = this.placeIn(bucket);
      const block = this.blocks[bucket] as Uint32Array;
      block[at] = mixed[2 * i] as number;
      block[at + 1] = mixed[2 * i + 1] as number;
      block[at + 2] = this.count + i;
    }
    this.count = end;
  }

  /** Sorts keys, gives them their values, and removes those that came before. */
  protected sortDistinct(words: Uint32Array): Uint32Array {
    this.#sort(words);
    const values = this.#values;
    let end = 0;
    let last = 0;
    for (let at = 0; at < words.length; at += WORDS) {
      const position = words[at + 2] as number;
      const value = values[position] as number;
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

  #sort(words: Uint32Array): void {
    const region = this.#engine.reserve(Math.max(1, words.byteLength)) as RegionWith<FuseMapExports>;
    try {
      const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
      const memory = region.view(0, bytes.length);
      memory.set(bytes);
      const { kernel, scratch } = region.instance;
      kernel.fuse_map_sort(region.pointer, words.length / WORDS, 4 * WORDS, scratch.keys);
      bytes.set(memory);
    } finally {
      region.dispose();
    }
  }
}

/** The error for a key that comes at two positions with two values. It has the positions, for code that knows more of them. */
function twoValues(first: number, one: number, second: number, other: number): RangeError {
  const error = new RangeError(
    `keys[${second}] must have the value of keys[${first}], the same key or one with the same hash: ${one}, got ${other}`,
  );
  return Object.assign(error, { positions: [first, second] as const });
}
