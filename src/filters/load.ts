import type { ByteSource } from '../chunks.ts';
import { kindIn, savedError } from '../format/header.ts';
import { readBytes, readChunks } from '../format/load.ts';
import { isBytes } from '../keys/key.ts';
import { mustBe } from '../validate.ts';
import { type FilterClass, KIND } from './kind.ts';
import { readerOf, type StoredFilter } from './stored-filter.ts';

/** A class of filters of one kind, on one engine. */
export type LoadableClass = FilterClass<StoredFilter>;

function requireClasses(classes: readonly LoadableClass[]): void {
  const isClass = (value: unknown): boolean => typeof value === 'function' && KIND in value && 'engine' in value;
  if (Array.isArray(classes) && classes.length > 0 && classes.every(isClass)) return;
  throw new TypeError(mustBe('classes', 'an array of classes of filters', classes));
}

function classFor(header: Uint8Array, classes: readonly LoadableClass[]): LoadableClass {
  const id = kindIn(header);
  const found = classes.find((each) => each[KIND].id === id);
  if (found) return found;
  throw savedError(`its kind is ${id}, and none of ${classes.map((each) => each[KIND].className).join(', ')}`);
}

/** Loads a whole file as one of these classes. */
export function loadBytes(classes: readonly LoadableClass[], bytes: Uint8Array): StoredFilter {
  return readBytes(bytes, (header) => readerOf(classFor(header, classes)));
}

/**
 * Loads a filter of any of these kinds that `toBytes` or `toChunks` saved on any engine. It becomes an instance of the
 * class of its kind. In errors, kinds have the numbers of the file format: 1 classic, 2 blocked, 3 counting, 4
 * scalable, 5 rotating, 7 cuckoo, 10 fuse, 12 wide.
 *
 * ```ts
 * const filter = loadAny([BloomFilter, CuckooFilter], readFileSync('names.bloom'));
 * ```
 *
 * @param classes the classes to choose from, one for each kind, from any entry of the package
 * @param file the whole file as bytes, or whatever `fromChunks` takes, of which anything but an iterable gives a
 *   promise
 * @throws TypeError | RangeError unless the file is one whole, undamaged filter of these kinds
 */
export function loadAny<C extends LoadableClass>(classes: readonly C[], file: Uint8Array): C['prototype'];
export function loadAny<C extends LoadableClass>(classes: readonly C[], file: Iterable<Uint8Array>): C['prototype'];
export function loadAny<C extends LoadableClass>(classes: readonly C[], file: ByteSource): Promise<C['prototype']>;
export function loadAny(classes: readonly LoadableClass[], file: unknown): unknown {
  requireClasses(classes);
  return isBytes(file) ? loadBytes(classes, file) : readChunks(file, (header) => readerOf(classFor(header, classes)));
}
