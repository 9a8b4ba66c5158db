import { isSource } from '../util/byte-source.ts';
import { arrayError, typedArrayName } from '../util/checks/typed-arrays.ts';
import type { KeyColumn } from './column.ts';
import type { HashedKeys } from './hashes.ts';
import { type IntegerArray, IntegerSource, integerArrayName } from './integers.ts';
import type { ItemOf, KeyItems } from './items.ts';
import { isIterable, ListSource } from './iterables.ts';
import { isBytes, type Key } from './key.ts';
import type { KeyLines } from './lines.ts';
import type { KeyRecords } from './records.ts';
import { type Readable, SOURCE, type Source } from './source.ts';

/**
 * Many keys: an array or any iterable of keys, an array of 32- or 64-bit integers, the lines of a text
 * (`lines(bytes)`), a column of strings (`column(data, offsets)`), keys of one length (`records(bytes, width)` of
 * `bloomery/records`), items with a key each (`by(items, keyOf)` of `bloomery/items`), or hashes (`hashKeys(keys)` of
 * `bloomery/hash`).
 *
 * A string or a Uint8Array is one key, never many.
 */
export type Keys =
  | readonly Key[]
  | Iterable<Key>
  | IntegerArray
  | KeyLines
  | KeyColumn
  | KeyRecords
  | KeyItems
  | HashedKeys;

/** Any type except single keys, and typed arrays that are not a collection of keys. */
type NotOneKey = IntegerArray | (object & { readonly BYTES_PER_ELEMENT?: undefined });

/** Many keys, where a type parameter for `ManyKeys` would have to stand for several types at once. */
export type KeyCollection = Keys & NotOneKey;

/** A string literal type that the compiler shows in the error if K is not a collection of keys. */
type Refused<K> = K extends KeyCollection
  ? never
  : K extends string
    ? 'a string is one key: pass an array of keys'
    : K extends Uint8Array
      ? 'a Uint8Array is one key: pass an array of keys, lines(bytes) or column(data, offsets)'
      : K extends ReadonlyMap<unknown, unknown>
        ? 'the entries of a Map are not keys: pass [...map.keys()]'
        : K extends Iterable<object>
          ? 'these items are not keys: pass by(items, keyOf), with by of bloomery/items'
          : 'not keys: pass a Uint32Array, Int32Array, BigUint64Array, BigInt64Array or an array of keys';

/**
 * The type of a parameter that takes many keys: K itself. If K is a single key, or a typed array of anything but 32- or
 * 64-bit integers, it is a string literal type instead, which the compiler's error shows.
 *
 * A generic function can pass on any `K extends Keys`. If its own parameter is of type `ManyKeys<K>`, its callers get the
 * same errors. With a K of no constraint, they also say what to pass for objects or a `Map`.
 */
// Inside a generic function K is unresolved. The inner condition and the tuples make TypeScript accept it there, and
// check it where the function is called.
export type ManyKeys<K> = [[K] extends [KeyCollection] ? true : never] extends [never] ? Refused<K> : K;

/** Collections of keys that know how many they have. */
type Counted =
  | readonly Key[]
  | ReadonlySet<Key>
  | IntegerArray
  | KeyLines
  | KeyColumn
  | KeyRecords
  | KeyItems<readonly unknown[] | ReadonlySet<unknown> | ReadonlyMap<unknown, unknown>>
  | HashedKeys;

/** As `KeyCollection`, of a known number of keys. */
export type CountedCollection = Counted & NotOneKey;

/** A string literal type that the compiler shows in the error if it is unknown how many keys K has, or K is not keys. */
type NumberOfKeysUnknown<K> = [K] extends [KeyCollection]
  ? 'the number of keys is unknown: give options.capacity, or pass an array or a Set'
  : Refused<K>;

/**
 * The type of a parameter that takes many keys whose number is known: `ManyKeys<K>`, unless K is an iterable that may be
 * a generator. Then it is a string literal type, which the compiler's error shows. An array and a `Set` know how many
 * keys they have, and so do an integer array, lines, a column, records and hashes. Items know it if they are an array, a
 * `Set` or a `Map`.
 */
export type CountedKeys<K> = [[K] extends [Counted] ? true : never] extends [never] ? NumberOfKeysUnknown<K> : K;

/** What `pick`, `omit` and `dedupe` return for keys of type K. */
export type Picked<K> = K extends KeyLines
  ? KeyLines<ArrayBuffer>
  : K extends KeyColumn<infer O>
    ? KeyColumn<O, ArrayBuffer>
    : K extends KeyRecords
      ? KeyRecords<ArrayBuffer>
      : K extends KeyItems<infer I>
        ? ItemOf<I>[]
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

const WANTED = 'an array or iterable of keys, an integer array, lines(bytes) or column(data, offsets)';

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
    const later = isSource(keys)
      ? ': addLines(filter, source) adds its lines, and for await gives one key at a time'
      : '';
    const hint = typeof keys === 'string' || isBytes(keys) ? ', which is one key' : later;
    throw arrayError('keys', WANTED, keys, hint);
  }
  if (keys instanceof Map) throw arrayError('keys', WANTED, keys, ', which gives pairs: pass [...map.keys()]');
  return new ListSource(keys);
}
