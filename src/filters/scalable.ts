import type { Key } from '../keys/key.ts';
import { CELLS, KIND, type Kind } from './kind.ts';
import { LayeredFilter } from './layered-filter.ts';
import { SCALABLE, type Slices } from './slices.ts';

/** The options of a `ScalableBloomFilter`. */
export interface ScalableBloomFilterOptions {
  /** The number of distinct keys that the first slice holds, 1 … 2^53 − 1: a guess, better than 1. */
  capacity: number;
  /** The share of absent keys that may look present, however many keys are added, between 0 and 1; default 0.01. */
  errorRate?: number | undefined;
  /** How many times as many keys each slice holds as the one before: 2 … 16; default 2. */
  growth?: number | undefined;
  /** What share of the error rate of the slice before each slice may have, between 0 and 1; default 0.7. */
  tightening?: number | undefined;
  /** The seed of the hash, 0 … 2^32 − 1; default 0. */
  seed?: number | undefined;
}

/**
 * The filter that grows, on any engine; `bloomery/scalable` says what users must know. It is a row of classic filters,
 * called slices, whose error rates together stay below the promised one.
 *
 * @see P. S. Almeida, C. Baquero, N. Preguiça, D. Hutchison, Scalable Bloom Filters, 2007
 */
export class ScalableBloomFilter extends LayeredFilter<ScalableBloomFilterOptions> {
  /** @internal */
  static override readonly [KIND]: Kind<Slices> = SCALABLE;
  /** @internal */
  declare readonly [CELLS]: Slices;

  get kind(): 'scalable' {
    return 'scalable';
  }

  /** The number of bits of all slices. Each takes a multiple of 512. */
  get bits(): number {
    return this.cellCount;
  }

  /** How many times as many keys each slice holds as the one before. */
  get growth(): number {
    return this[CELLS].own.growth;
  }

  /** What share of the error rate of the slice before each slice may have. */
  get tightening(): number {
    return this[CELLS].own.tightening;
  }

  /** The number of slices. */
  get slices(): number {
    return this[CELLS].own.slices.length;
  }

  /**
   * How many keys were added that looked absent, exactly. It is the number of distinct keys, less those that looked
   * present when they came, a share of `errorRate` at most.
   */
  get count(): number {
    return this[CELLS].count;
  }

  /**
   * Adds a key. One that looks present changes nothing.
   *
   * @returns true if the key was certainly absent before
   * @throws TypeError | RangeError if `key` is not a key
   * @throws RangeError if the filter must grow and there is no memory: then nothing has changed
   */
  add(key: Key): boolean {
    return this[CELLS].addKey(key);
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }
}
