import { forEachChunk } from '../../filters/batch.ts';
import { areEqual, type Like, requireAlike } from '../../filters/compatible.ts';
import { estimateCount } from '../../filters/estimate.ts';
import type { UnitingFilter } from '../../filters/filter.ts';
import { optionsFor, type PromiseOptions, type Without } from '../../filters/filter-options.ts';
import { CELLS, type FilterClass, KIND, type Kind } from '../../filters/kind.ts';
import { StoredFilter } from '../../filters/stored-filter.ts';
import { combine } from '../../kernel/region.ts';
import { type CountedCollection, type KeyCollection, type ManyKeys, sourceOf } from '../../keys/collections.ts';
import { isIterable } from '../../keys/iterables.ts';
import type { Key } from '../../keys/key.ts';
import type { Source } from '../../keys/source.ts';
import { mustBe } from '../../util/checks/validate.ts';
import { labelsIn, MAX_LABELS, requireLabels, SPATIAL, type SpatialCells } from './cells.ts';
import { KeyLabels, type LabelArray, labelsFor, requireLabel } from './labels.ts';

/** The options of a `SpatialBloomFilter`: a capacity and an error rate, or the numbers of cells and hashes. */
export type SpatialBloomFilterOptions = LabelOptions &
  (
    | (PromiseOptions & Without<'cells' | 'hashes'>)
    | ({
        /** The number of cells m, 1 … 2^53 − 1. */
        cells: number;
        /** The number of cells k that each key raises, 1 … 255. */
        hashes: number;
        /** The seed of the hash, 0 … 2^32 − 1; default 0. */
        seed?: number | undefined;
      } & Without<'capacity' | 'errorRate'>)
  );

interface LabelOptions {
  /** The highest label, 1 … 65,535. A cell has 1, 2, 4, 8 or 16 bits: the fewest that can hold it. */
  labels: number;
}

/** `Options` without the properties `Names`: of each type, if it is a union. */
type Leaving<Options, Names extends string> = Options extends unknown ? Omit<Options, Names> : never;

/** A label, and the keys that have it, as users give them. */
type Labeled = readonly [label: unknown, keys: unknown];

/** Returns the pairs of a label and keys. Throws a TypeError unless they are pairs. */
function pairsOf(sets: unknown): Labeled[] {
  if (!isIterable(sets)) {
    throw new TypeError(mustBe('sets', 'a Map or another iterable of pairs of a label and keys', sets));
  }
  return Array.from(sets, (pair, i) => {
    if (Array.isArray(pair) && pair.length === 2) return [pair[0], pair[1]];
    throw new TypeError(mustBe(`sets[${i}]`, 'a pair of a label and keys', pair));
  });
}

/** Returns a function that counts all keys; undefined if the number of keys of any source is unknown. */
function counterOf(sources: readonly Source[]): Source['count'] {
  if (sources.some(({ count }) => count === undefined)) return undefined;
  return () => sources.reduce((sum, source) => sum + (source.count?.() ?? 0), 0);
}

/** Adds all keys of a source with one label or with a label for each. Writes the labels before to `out` if given. */
function addAll(cells: SpatialCells, source: Source, labels: unknown, out?: unknown): void {
  const { labels: most } = cells.own;
  const given = new KeyLabels(labels, source, most);
  const add = (count: number, before: number): void => cells.add(given, count, before);
  if (out === undefined) {
    forEachChunk(cells, source, add);
    return;
  }
  const before = labelsFor(source, out, most);
  // Checked before anything is added. A lookup changes nothing, so it checks as it goes and never counts lines.
  before.require(source.count?.() ?? 0);
  forEachChunk(cells, source, add, (instance, count) => before.push(labelsIn(instance, count)));
}

/**
 * Tells which of many disjoint sets a key is in, if any, and takes much memory: 77 bits per key for 255 sets at an
 * error rate of 1 %. A set may be an area of a map, a class of risk or a server. Each set has a label from 1 to 65,535.
 *
 * **Labels err upward only.** A key that was added never looks absent, and never seems to have a lower label than its
 * own. A few keys seem to have a higher one, and a few absent keys seem to have a label, most often a low one. So order
 * the labels by the harm of an error: the highest label is for the most important set, whose keys are never mistaken.
 *
 * **Consider the alternatives.** A `Map` of the keys never errs. A `BinaryFuseFilter` for each set takes 17 bits per key
 * for 255 large sets and an error rate of 1 % in all, but a lookup asks all of them.
 *
 * `capacity` is the number of distinct keys of all sets up to which it keeps `errorRate`. Adding a key raises its k
 * cells to its label, and the label of a key is the lowest of its cells. Keys with several labels have the highest one.
 * The order in which keys are added does not matter.
 *
 * ```ts
 * const risks = SpatialBloomFilter.from([
 *   [1, ['park', 'museum']],
 *   [2, ['airport']],
 * ]);
 * risks.labelOf('airport'); // 2
 * risks.labelOf('park'); // 1, or seldom: 2
 * risks.labelOf('beach'); // 0: certainly in no set. For 1 absent key in 100: 1 or 2
 * ```
 */
export class SpatialBloomFilter extends StoredFilter<SpatialBloomFilterOptions> implements UnitingFilter {
  /** @internal */
  static override readonly [KIND]: Kind<SpatialCells> = SPATIAL;
  /** @internal */
  declare readonly [CELLS]: SpatialCells;

  /**
   * Makes a filter of several sets of keys.
   *
   * @param sets pairs of a label and keys: a `Map`, an array or another iterable, which is read to its end first. The
   *   keys of a pair are an array or iterable of keys, an integer array, lines, a column or hashes. Several pairs may
   *   have the same label.
   * @param options the constructor's options. By default, `labels` is the highest label of `sets`, and the capacity the
   *   number of all keys. If that is unknown, as for a generator of keys, a capacity or a size must be given.
   * @throws TypeError | RangeError if an option or `sets` is wrong, or if one of the keys is not a key
   */
  static from<F extends SpatialBloomFilter>(
    this: FilterClass<F> & (new (options: SpatialBloomFilterOptions) => F),
    sets: Iterable<readonly [label: number, keys: CountedCollection]>,
    options?: Partial<SpatialBloomFilterOptions>,
  ): F;
  static from<F extends SpatialBloomFilter>(
    this: FilterClass<F> & (new (options: SpatialBloomFilterOptions) => F),
    sets: Iterable<readonly [label: number, keys: KeyCollection]>,
    options: Partial<LabelOptions> & Leaving<SpatialBloomFilterOptions, 'labels'>,
  ): F;
  static from<F extends SpatialBloomFilter>(
    this: FilterClass<F> & (new (options: SpatialBloomFilterOptions) => F),
    sets: Iterable<readonly [label: number, keys: KeyCollection]>,
    options?: Partial<SpatialBloomFilterOptions>,
  ): F {
    const pairs = pairsOf(sets);
    const sources = pairs.map(([, keys]) => sourceOf(keys));
    const read = optionsFor({ count: counterOf(sources) }, this[KIND], options);
    const most = read['labels'] === undefined ? MAX_LABELS : requireLabels(read['labels']);
    const labels = pairs.map(([label], i) => requireLabel(`sets[${i}][0]`, label, most));
    const highest = labels.reduce((high, label) => Math.max(high, label), 1);
    const filter = new this({ ...read, labels: read['labels'] ?? highest } as SpatialBloomFilterOptions);
    for (const [i, source] of sources.entries()) addAll(filter[CELLS], source, labels[i]);
    return filter;
  }

  get kind(): 'spatial' {
    return 'spatial';
  }

  /** The number of cells m. */
  get cells(): number {
    return this.cellCount;
  }

  /** The highest label. */
  get labels(): number {
    return this[CELLS].own.labels;
  }

  /**
   * Adds a key with a label. If it has a higher label already, nothing changes.
   *
   * @param key the key
   * @param label its label, 1 … `labels`
   * @returns the label that it seemed to have before: 0 if it was certainly absent
   * @throws TypeError | RangeError if `key` is not a key, or `label` not a label; then nothing has changed
   */
  add(key: Key, label: number): number {
    const cells = this[CELLS];
    return cells.addKey(key, requireLabel('label', label, cells.own.labels));
  }

  /**
   * Adds many keys with one label or with a label for each. With hundreds of keys or more, this is faster than adding
   * them one by one. The error for something that is not a key or a label states its position.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes
   * @param labels the label of all keys, 1 … `labels`; or an array with the label of each. For an array, the number of
   *   keys must be known. The array is copied before keys are read, which takes 2 bytes per key.
   * @param out receives a label for each key, in order: the one that `add` would return
   * @throws TypeError | RangeError if one of `keys` is not a key, or its label not a label; the keys before it have been
   *   added
   * @throws TypeError | RangeError, before adding anything, if `labels` is neither a label nor an array with one for
   *   each key, or if `out` is too short, or cannot hold the labels; or if the number of keys is unknown, and `out` or an
   *   array of labels is given
   */
  addMany<K>(keys: ManyKeys<K>, labels: number | LabelArray, out?: Uint8Array | Uint16Array): this {
    addAll(this[CELLS], sourceOf(keys), labels, out);
    return this;
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }

  /**
   * The label that a key seems to have: never lower than the one that it was added with.
   *
   * @returns 1 … `labels`, or 0 if the key is certainly absent
   * @throws TypeError | RangeError if `key` is not a key
   */
  labelOf(key: Key): number {
    return this[CELLS].labelOf(key);
  }

  /**
   * Looks up the labels of many keys.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes
   * @param out receives the labels; optional. A Uint16Array, or a Uint8Array if `labels` is at most 255.
   * @returns for each key, in order, what `labelOf` would return: in `out` or a view of its beginning if `out` is
   *   given, else in a Uint8Array if `labels` is at most 255, else in a Uint16Array
   * @throws TypeError | RangeError if one of `keys` is not a key, if `out` is too short or cannot hold the labels, or if
   *   `out` is given and the number of keys is unknown
   */
  labelsOf<K>(keys: ManyKeys<K>): Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer>;
  labelsOf<K, B extends ArrayBufferLike>(keys: ManyKeys<K>, out: Uint8Array<B>): Uint8Array<B>;
  labelsOf<K, B extends ArrayBufferLike>(keys: ManyKeys<K>, out: Uint16Array<B>): Uint16Array<B>;
  labelsOf(keys: unknown, out?: Uint8Array | Uint16Array): Uint8Array | Uint16Array {
    const cells = this[CELLS];
    const source = sourceOf(keys);
    const found = labelsFor(source, out, cells.own.labels);
    forEachChunk(cells, source, cells.find, (instance, count) => found.push(labelsIn(instance, count)));
    return found.take();
  }

  /**
   * The share of cells that have `label` or a higher one, 0 … 1. This share to the power of `hashes` is the share of
   * absent keys, and of keys with lower labels, that seem to have `label` or a higher one. Reads the whole filter.
   *
   * @param label 1 … `labels`; default 1, for the share of cells in use
   * @throws TypeError | RangeError if `label` is not a label
   */
  fillRatio(label = 1): number {
    const cells = this[CELLS];
    return cells.shareFrom(requireLabel('label', label, cells.own.labels));
  }

  /**
   * Estimates from the fill ratio how many distinct keys the filter holds in all, or with one label. Reads the whole
   * filter.
   *
   * @param label 1 … `labels`; by default, keys of all labels count
   * @returns Infinity if all cells have `label` or a higher one; NaN if all have a higher one
   * @throws TypeError | RangeError if `label` is not a label
   */
  estimateCount(label?: number): number {
    const cells = this[CELLS];
    const { cellCount, hashes } = cells.parameters;
    const countFrom = (least: number): number => estimateCount(cells.shareFrom(least), cellCount, hashes);
    if (label === undefined) return countFrom(1);
    const least = requireLabel('label', label, cells.own.labels);
    return countFrom(least) - countFrom(least + 1);
  }

  /**
   * Estimates from the fill ratio the share of absent keys that seem to have any label, or one label, 0 … 1. Reads the
   * whole filter.
   *
   * @param label 1 … `labels`; by default, all labels count
   * @throws TypeError | RangeError if `label` is not a label
   */
  estimateErrorRate(label?: number): number {
    const cells = this[CELLS];
    const rateFrom = (least: number): number => cells.shareFrom(least) ** cells.parameters.hashes;
    if (label === undefined) return rateFrom(1);
    const least = requireLabel('label', label, cells.own.labels);
    return rateFrom(least) - rateFrom(least + 1);
  }

  /**
   * Makes a new filter that holds the keys of both, as if they had all been added to one filter. It has this filter's
   * capacity and error rate.
   *
   * @throws TypeError | RangeError unless `other` is of the same kind, size, hashes, labels and seed
   */
  union<F extends SpatialBloomFilter>(this: F, other: Like<F>): F {
    requireAlike(this[CELLS], other);
    return this.clone().merge(other);
  }

  /**
   * Adds all keys of another filter to this one: `union` in place.
   *
   * @throws TypeError | RangeError unless `other` is of the same kind, size, hashes, labels and seed
   */
  merge<F extends SpatialBloomFilter>(this: F, other: Like<F>): F {
    const cells = this[CELLS];
    const { region } = requireAlike(cells, other);
    combine(cells.region, region, cells.union());
    return this;
  }

  /**
   * Whether another filter has the same size, hashes, labels and seed, and the same cells. The engine, the capacity and
   * the error rate do not matter.
   *
   * @throws TypeError unless `other` is of the same kind
   */
  equals(other: Like<SpatialBloomFilter>): boolean {
    return areEqual(this[CELLS], other);
  }

  /** Removes all keys. */
  clear(): void {
    this[CELLS].region.clear();
  }
}
