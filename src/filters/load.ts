import { type Choose, kindError, kindIn, requireSaved } from '../format/header.ts';
import { readBytes, readChunks } from '../format/load.ts';
import { isBytes } from '../keys/key.ts';
import type { ByteSource } from '../util/byte-source.ts';
import { isBuffer } from '../util/checks/typed-arrays.ts';
import { mustBe } from '../util/checks/validate.ts';
import { type FilterClass, KIND } from './kind.ts';
import { readerOf, type StoredFilter } from './stored-filter.ts';

/** A class of filters of one kind, on one engine. */
export type LoadableClass = FilterClass<StoredFilter>;

export function requireClasses(classes: unknown): asserts classes is readonly LoadableClass[] {
  if (!Array.isArray(classes)) throw new TypeError(mustBe('classes', 'an array of classes of filters', classes));
  if (classes.length === 0) throw new TypeError('classes must be an array of classes of filters, got an empty one');
  for (const [i, value] of classes.entries()) {
    if (typeof value === 'function' && KIND in value) continue;
    throw new TypeError(mustBe(`classes[${i}]`, 'a class of filters', value));
  }
}

/**
 * Throws a TypeError unless the value is a class of filters of one kind.
 *
 * @param id the number of the kind in files
 * @param wanted the name of the class
 */
export function requireClassOf(id: number, wanted: string, Class: unknown): void {
  const { [KIND]: kind } = (Class ?? {}) as Partial<FilterClass<unknown>>;
  if (typeof Class === 'function' && kind?.id === id) return;
  throw new TypeError(kind ? `Class must be ${wanted}, got ${kind.className}` : mustBe('Class', wanted, Class));
}

/**
 * The class of the kind that a header names.
 *
 * @param receiver what takes the class, for the error if it is missing
 */
export function classFor(header: Uint8Array, classes: readonly LoadableClass[], receiver: string): LoadableClass {
  const id = kindIn(header);
  const found = classes.find((each) => each[KIND].id === id);
  if (found) return found;
  const names = classes.map((each) => each[KIND].className).join(', ');
  const twin = classes[0]?.engine.name === 'js' ? '/js' : '';
  throw kindError(id, names ? `none of ${names}` : 'its class was not given', (name) => {
    // The main entry has the first three. Each other kind has an entry of its name.
    const entry = id > 3 ? `/${name}` : '';
    return `: import its class from 'bloomery${entry}${twin}', and give it to ${receiver}`;
  });
}

/** Chooses the class for the filter inside of another. */
function readBaseAmong(classes: readonly LoadableClass[], receiver: string): Choose<StoredFilter> {
  const wraps = (each: LoadableClass): boolean => each[KIND].wraps !== undefined;
  return (header) => {
    const wrapping = classes.find((each) => wraps(each) && each[KIND].id === kindIn(header));
    requireSaved(!wrapping, `it is a ${wrapping?.[KIND].name} filter itself`);
    const bases = classes.filter((each) => !wraps(each));
    return readerOf(classFor(header, bases, receiver));
  };
}

const LOAD_ANY = "loadAny of 'bloomery/load'";

/** Chooses one class, and among others for the filter inside of it. Checks `classes`. */
export function readAround<F>(Class: FilterClass<F>, classes: readonly LoadableClass[] | undefined): Choose<F> {
  requireClasses(classes);
  const all = [Class as object as LoadableClass, ...classes];
  return () => readerOf(Class, readBaseAmong(all, 'the classes of its base'));
}

/** Loads a whole file as one of these classes, whose filters are not made around others. */
export function loadBytes(classes: readonly LoadableClass[], bytes: Uint8Array | ArrayBuffer): StoredFilter {
  return readBytes(bytes, (header) => readerOf(classFor(header, classes, LOAD_ANY)));
}

/**
 * Loads a filter of any of these kinds that `toBytes` or `toChunks` saved on any engine. It becomes an instance of the
 * class of its kind.
 *
 * ```ts
 * const filter = loadAny([BloomFilter, BlockedBloomFilter], readFileSync('names.bloom'));
 * ```
 *
 * @param classes the classes to choose from, one for each kind, from any entry of the package; for a `TombstoneFilter`,
 *   its own and that of its base
 * @param file the whole file in a Uint8Array or an ArrayBuffer, or any source that `fromChunks` takes; a source other
 *   than an iterable gives a promise
 * @throws SavedFilterError unless the file is one whole, undamaged filter of these kinds
 * @throws TypeError if an argument is something else; FilterMemoryError if there is no memory for the filter
 */
export function loadAny<C extends LoadableClass>(classes: readonly C[], file: Uint8Array | ArrayBuffer): C['prototype'];
export function loadAny<C extends LoadableClass>(classes: readonly C[], file: Iterable<Uint8Array>): C['prototype'];
export function loadAny<C extends LoadableClass>(classes: readonly C[], file: ByteSource): Promise<C['prototype']>;
export function loadAny(classes: readonly LoadableClass[], file: unknown): unknown {
  requireClasses(classes);
  const base = readBaseAmong(classes, LOAD_ANY);
  const choose: Choose<StoredFilter> = (header) => {
    const Class = classFor(header, classes, LOAD_ANY);
    return readerOf(Class, Class[KIND].wraps && base);
  };
  return isBytes(file) || isBuffer(file) ? readBytes(file, choose) : readChunks(file, choose);
}
