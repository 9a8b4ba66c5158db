import type { Instance } from '../kernel/kernel.ts';
import { mustBe } from '../validate.ts';
import { ColumnSource, column, KeyColumn } from './column.ts';
import { type IntegerArray, IntegerSource, integerArrayName } from './integers.ts';
import { isBytes, type Key, typedArrayName } from './key.ts';
import { KeyLines, LineSource, lines } from './lines.ts';
import { ListSource } from './list.ts';

/**
 * Many keys: an array or any iterable of keys, an array of 32- or 64-bit integers, the lines of a text
 * (`lines(bytes)`), or a column of strings (`column(data, offsets)`).
 *
 * A string or a Uint8Array is one key, never many.
 */
export type Keys = readonly Key[] | Iterable<Key> | IntegerArray | KeyLines | KeyColumn;

/** Refuses, at compile time, what is one key, and arrays of numbers that are no integers of 32 or 64 bits. */
export type NotOne<K> = K extends IntegerArray ? K : K extends string | ArrayBufferView ? never : K;

/** What is picked from keys of type K. */
export type Picked<K> = K extends KeyLines
  ? KeyLines<ArrayBuffer>
  : K extends KeyColumn<infer O>
    ? KeyColumn<O, ArrayBuffer>
    : K extends Uint32Array
      ? Uint32Array<ArrayBuffer>
      : K extends Int32Array
        ? Int32Array<ArrayBuffer>
        : K extends BigUint64Array
          ? BigUint64Array<ArrayBuffer>
          : K extends BigInt64Array
            ? BigInt64Array<ArrayBuffer>
            : K extends readonly (infer T)[]
              ? T[]
              : K extends Iterable<infer T>
                ? (T extends Uint8Array ? Uint8Array<ArrayBuffer> : T)[]
                : never;

/**
 * Keys on their way to their hashes, a chunk at a time. Of the steps only `collect` and `close` may run code of the
 * user; it stands between chunks, when nothing of value lies in the scratch.
 */
export interface Source {
  /** Tells how many keys there are, where that can be told before they are read. Lines have to be counted. */
  readonly count: (() => number) | undefined;
  /** Gets and checks the next keys. False at the end. */
  collect(): boolean;
  /** Leaves the hashes of the next chunk of them in the scratch, and returns how many: 1 at least. */
  hash(instance: Instance, seed: number): number;
  /** Keeps those of the chunk whose flag, in the scratch, is `wanted`. */
  keep(instance: Instance, wanted: number): void;
  /** All that was kept, in the shape in which the keys came. */
  kept(): unknown;
  /** Ends the reading, early or not. */
  close(): void;
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

export function sourceOf(keys: unknown): Source {
  if (keys instanceof KeyLines) return new LineSource(lines(keys.bytes, keys));
  if (keys instanceof KeyColumn) return new ColumnSource(column(keys.data, keys.offsets));
  const name = integerArrayName(keys);
  if (name) return new IntegerSource(keys as IntegerArray, name);
  if (typedArrayName(keys) || !isIterable(keys)) {
    const hint = typeof keys === 'string' || isBytes(keys) ? ', which is one key' : '';
    const wanted = 'an array or iterable of keys, an integer array, lines(bytes) or column(data, offsets)';
    throw new TypeError(mustBe('keys', wanted, keys) + hint);
  }
  return new ListSource(keys);
}
