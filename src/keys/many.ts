import { arrayError, typedArrayName } from '../typed-arrays.ts';
import type { KeyColumn } from './column.ts';
import type { HashedKeys } from './hashed.ts';
import { type IntegerArray, IntegerSource, integerArrayName } from './integers.ts';
import { isBytes, type Key } from './key.ts';
import type { KeyLines } from './lines.ts';
import { ListSource } from './list.ts';
import { type Readable, SOURCE, type Source } from './source.ts';

/**
 * Many keys: an array or any iterable of keys, an array of 32- or 64-bit integers, the lines of a text
 * (`lines(bytes)`), a column of strings (`column(data, offsets)`), or hashes (`hashKeys(keys)` of `bloomery/hash`).
 *
 * A string or a Uint8Array is one key, never many.
 */
export type Keys = readonly Key[] | Iterable<Key> | IntegerArray | KeyLines | KeyColumn | HashedKeys;

/** Everything but single keys, and typed arrays that are not keys. */
type NotOneKey = IntegerArray | (object & { readonly BYTES_PER_ELEMENT?: undefined });

/** What the compiler says to those who pass K as many keys. */
type Refused<K> = K extends NotOneKey
  ? never
  : K extends string
    ? 'a string is one key: pass an array of keys'
    : K extends Uint8Array
      ? 'a Uint8Array is one key: pass an array of keys, lines(bytes) or column(data, offsets)'
      : 'not keys: pass a Uint32Array, Int32Array, BigUint64Array, BigInt64Array or an array of keys';

/**
 * The type of a parameter that takes many keys: K itself. If K is a single key, or a typed array of anything but 32- or
 * 64-bit integers, it is a string literal type instead, which the compiler's error shows.
 *
 * A generic function can pass on any `K extends Keys`. If its own parameter is of type `ManyKeys<K>`, its callers get
 * the same errors.
 */
// The inner condition is for generic functions. Of a K that is not known yet, TypeScript assumes the best, for which
// the inner condition gives `true`. That rules out the first branch, so K only has to fit the second one.
export type ManyKeys<K> = [[K] extends [NotOneKey] ? true : never] extends [never] ? Refused<K> : K;

/** What `pick`, `omit` and `dedupe` return for keys of type K. */
export type Picked<K> = K extends KeyLines
  ? KeyLines<ArrayBuffer>
  : K extends KeyColumn<infer O>
    ? KeyColumn<O, ArrayBuffer>
    : K extends HashedKeys
      ? HashedKeys<ArrayBuffer>
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

export function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

/**
 * Returns the source that reads `keys`.
 *
 * @throws TypeError unless `keys` is a collection of keys
 */
export function sourceOf(keys: unknown): Source {
  const source = (keys as Partial<Readable> | null | undefined)?.[SOURCE]?.();
  if (source) return source;
  const name = integerArrayName(keys);
  if (name) return new IntegerSource(keys as IntegerArray, name);
  if (typedArrayName(keys) || !isIterable(keys)) {
    const hint = typeof keys === 'string' || isBytes(keys) ? ', which is one key' : '';
    const wanted = 'an array or iterable of keys, an integer array, lines(bytes) or column(data, offsets)';
    throw arrayError('keys', wanted, keys, hint);
  }
  return new ListSource(keys);
}
