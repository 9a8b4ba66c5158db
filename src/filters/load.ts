import { kindIn, savedError } from '../format/header.ts';
import { readBytes, readChunks } from '../format/load.ts';
import { type FilterClass, KIND } from './kind.ts';
import { readerOf, type StoredFilter } from './stored-filter.ts';

/** A filter class that `load` and `loadChunks` accept. */
export type LoadableClass = FilterClass<StoredFilter>;

/** The type of `load`. */
export interface Load<F> {
  /**
   * Loads a filter that `toBytes` or `toChunks` saved. It may be of any kind of this entry.
   *
   * @throws TypeError | RangeError unless the bytes are one whole, undamaged filter of a kind of this entry
   */
  (bytes: Uint8Array): F;
  /**
   * Loads a filter that `toBytes` or `toChunks` saved, as an instance of the one of `classes` that has its kind.
   *
   * @param classes classes of different kinds, from any entry
   * @throws TypeError | RangeError unless the bytes are one whole, undamaged filter of a kind in `classes`
   */
  <C extends LoadableClass>(bytes: Uint8Array, classes: readonly C[]): InstanceType<C>;
}

/** The type of `loadChunks`. */
export interface LoadChunks<F> {
  /**
   * Loads a filter as `load` does, from chunks of any size, in order. An async iterable gives a promise.
   *
   * @throws TypeError | RangeError unless the chunks are one whole, undamaged filter of a kind of this entry
   */
  (chunks: Iterable<Uint8Array>): F;
  (chunks: AsyncIterable<Uint8Array>): Promise<F>;
  /**
   * Loads a filter as `load` does, from chunks of any size, in order. An async iterable gives a promise.
   *
   * @param classes classes of different kinds, from any entry
   * @throws TypeError | RangeError unless the chunks are one whole, undamaged filter of a kind in `classes`
   */
  <C extends LoadableClass>(chunks: Iterable<Uint8Array>, classes: readonly C[]): InstanceType<C>;
  <C extends LoadableClass>(chunks: AsyncIterable<Uint8Array>, classes: readonly C[]): Promise<InstanceType<C>>;
}

function classFor(header: Uint8Array, classes: readonly LoadableClass[]): LoadableClass {
  const id = kindIn(header);
  const found = classes.find((each) => each[KIND].id === id);
  if (found) return found;
  throw savedError(`its kind is ${id}, and none of ${classes.map((each) => each[KIND].className).join(', ')}`);
}

/** Makes `load` for an entry that exports the classes in `known`. */
export function loadFor<F>(known: readonly LoadableClass[]): Load<F> {
  return (bytes: Uint8Array, classes = known) =>
    readBytes(bytes, (header) => readerOf(classFor(header, classes))) as never;
}

/** Makes `loadChunks` for an entry that exports the classes in `known`. */
export function loadChunksFor<F>(known: readonly LoadableClass[]): LoadChunks<F> {
  return (chunks: unknown, classes = known) =>
    readChunks(chunks, (header) => readerOf(classFor(header, classes))) as never;
}
