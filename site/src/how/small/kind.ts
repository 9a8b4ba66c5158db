// What a step must know of a kind of filter to show it cell by cell.

import type { Filter } from 'bloomery';
import type { Engine } from '../../engine.ts';

/** A small filter. Only some kinds remove keys. */
export interface SmallFilter extends Filter {
  add(key: string): unknown;
  remove?(key: string): boolean;
  clear(): void;
}

/** A kind on an engine. */
export interface LoadedKind {
  make(): SmallFilter;
  /** The expected error rate with `keys` keys. */
  expected(keys: number): number;
}

/** Where the filter puts a key. */
export interface Place {
  /** The cells that the key sets, or those that may store it. In ascending order. */
  readonly cells: readonly number[];
  /** The value of the first of these cells, if the key fills all of them. */
  readonly entry: number;
}

/** A key that was added or removed. */
export interface Change extends Place {
  /** The cells of the filter before. */
  readonly before: readonly number[];
  /** The cells of the filter now. */
  readonly values: readonly number[];
}

/** What the page says of a kind, in parts of sentences. */
export interface Words {
  /** What a key has, such as `its bits`. */
  readonly itsName: string;
  /** What cells are that are not 0. */
  readonly used: string;
  /** How a key that was added can be missed, if it can. */
  readonly whyLost?: string;
  its(place: Place): string;
  /** What adding a key did, as one or more sentences without a capital letter. */
  added(change: Change): string;
  /** What removing a key did. */
  removed?(change: Change): string;
  whyAbsent(place: Place, values: readonly number[]): string;
  whyPresent(place: Place, values: readonly number[]): string;
}

export interface PictureKind {
  /** The library's name of the kind. */
  readonly name: string;
  readonly cellName: 'bit' | 'counter' | 'slot';
  /** The number of cells in a bucket, for a kind that has buckets: each is a column with a number. */
  readonly bucketCells?: number;
  /** How often a key must be added to an empty filter to be in all cells that may have it; default 1. */
  readonly fillingCopies?: number;
  readonly removes?: true;
  readonly words: Words;
  /** The text in a cell of this value. */
  show(value: number): string;
  load(engine: Engine): LoadedKind | Promise<LoadedKind>;
}
