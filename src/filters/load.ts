import { kindIn, savedError } from '../format/header.ts';
import { readBytes, readChunks } from '../format/load.ts';
import { type FilterClass, KIND } from './kind.ts';
import { readerOf, type StoredFilter } from './stored-filter.ts';

/** A class of filters of one kind. */
export type LoadableClass = FilterClass<StoredFilter>;

/** `load`: see its call signatures. */
export interface Load<F> {
  /**
   * Loads a filter that `toBytes` or `toChunks` saved, whichever of the kinds of this entry it is of.
   *
   * @throws TypeError | RangeError if the bytes are not one whole, undamaged filter of these kinds
   */
  (bytes: Uint8Array): F;
  /**
   * Loads a filter that `toBytes` or `toChunks` saved, whichever of these classes it is of.
   *
   * @param classes classes of different kinds, from any entry
   * @throws TypeError | RangeError if the bytes are not one whole, undamaged filter of these classes
   */
  <C extends LoadableClass>(bytes: Uint8Array, classes: readonly C[]): InstanceType<C>;
}

/** `loadChunks`: see its call signatures. */
export interface LoadChunks<F> {
  /**
   * Loads a filter as `load` does, from chunks of any size, in order, at once or as they come.
   *
   * @throws TypeError | RangeError if the chunks are not one whole, undamaged filter of the kinds of this entry
   */
  (chunks: Iterable<Uint8Array>): F;
  (chunks: AsyncIterable<Uint8Array>): Promise<F>;
  /**
   * Loads a filter as `load` does, from chunks of any size, in order, at once or as they come.
   *
   * @param classes classes of different kinds, from any entry
   * @throws TypeError | RangeError if the chunks are not one whole, undamaged filter of these classes
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

/** Makes the `load` of an entry that has these classes. */
export function loadFor<F>(known: readonly LoadableClass[]): Load<F> {
  return (bytes: Uint8Array, classes = known) =>
    readBytes(bytes, (header) => readerOf(classFor(header, classes))) as never;
}

/** Makes the `loadChunks` of an entry that has these classes. */
export function loadChunksFor<F>(known: readonly LoadableClass[]): LoadChunks<F> {
  return (chunks: unknown, classes = known) =>
    readChunks(chunks, (header) => readerOf(classFor(header, classes))) as never;
}
