// What the filters of other packages can do here: they are looked up, and never change.

import { type Inspect, inspectSymbol } from '../filters/filter.ts';
import { isIterable } from '../keys/iterables.ts';
import { isBytes, type Key } from '../keys/key.ts';
import { mustBe } from '../util/checks/validate.ts';
import type { BitCells } from './bit-cells.ts';

function requireMany(keys: unknown): void {
  if (isIterable(keys) && !isBytes(keys)) return;
  const hint = typeof keys === 'string' || isBytes(keys) ? ', which is one key' : '';
  throw new TypeError(mustBe('keys', 'an array or iterable of keys', keys) + hint);
}

/**
 * A filter that another package has saved. It answers as that package does, for members and for the keys for which it
 * errs, and takes no new keys. K is the type of its keys.
 *
 * It fits where only `has` is needed, as in `guard` and `FilterHandover` of `bloomery/guard`. It does not fit into a view
 * of `bloomery/views`, because it has another hash.
 */
export abstract class MigratedFilter<K extends Key> {
  readonly #cells: BitCells;

  /** @internal */
  constructor(cells: BitCells) {
    this.#cells = cells;
  }

  /**
   * Whether a key may be present, as the package itself would say. False means that it was never added.
   *
   * @throws TypeError if `key` is not a key of that package
   */
  has(key: K): boolean {
    return this.find(key);
  }

  /**
   * Looks up many keys.
   *
   * @param keys an array or iterable of keys
   * @returns a flag for each key, in order: 1 where `has` would return true
   * @throws TypeError if one of `keys` is not a key
   */
  // A string is iterable too, but is not an object.
  hasMany(keys: Iterable<K> & object): Uint8Array<ArrayBuffer> {
    const flags: number[] = [];
    this.#forEach(keys, (_, isPresent) => flags.push(isPresent ? 1 : 0));
    return Uint8Array.from(flags);
  }

  /**
   * Picks the keys that may be present.
   *
   * @param keys an array or iterable of keys
   * @throws TypeError if one of `keys` is not a key
   */
  pick<T extends K>(keys: Iterable<T> & object): T[] {
    return this.#select(keys, true);
  }

  /**
   * Picks the keys that were certainly never added.
   *
   * @param keys an array or iterable of keys
   * @throws TypeError if one of `keys` is not a key
   */
  omit<T extends K>(keys: Iterable<T> & object): T[] {
    return this.#select(keys, false);
  }

  /** The number of bits. */
  get bits(): number {
    const { modulus, hashes, isSliced } = this.#cells.shape;
    return isSliced ? modulus * hashes : modulus;
  }

  /** The number of bits for each key. */
  get hashes(): number {
    return this.#cells.shape.hashes;
  }

  /** The share of bits that are set, 0 … 1. Reads the whole filter. */
  fillRatio(): number {
    const ratios = this.#cells.fillRatios();
    return ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  }

  /**
   * Estimates from the fill ratio the share of absent keys that look present, 0 … 1. Reads the whole filter. The `rate()`
   * of `bloom-filters` is lower, because it takes the number of set bits for that of all bits that keys have.
   */
  estimateErrorRate(): number {
    const ratios = this.#cells.fillRatios();
    return ratios.reduce((product, ratio) => product * ratio ** (this.hashes / ratios.length), 1);
  }

  /** What `console.log` shows of the filter in Node, Deno and Bun. */
  [inspectSymbol](depth: number, options: object, inspect: Inspect): string {
    if (depth < 0) return '[MigratedFilter]';
    const shown: Record<string, number> = { bits: this.bits, hashes: this.hashes };
    for (const name of ['fillRatio', 'estimateErrorRate'] as const) {
      shown[`${name}()`] = Number(this[name]().toPrecision(3));
    }
    return `MigratedFilter ${inspect(shown, options)}`;
  }

  /**
   * Looks up a key.
   *
   * @internal
   * @param position its index among many, for errors
   */
  protected abstract find(key: K, position?: number): boolean;

  /** Whether the bits of two hashes, from 0 to the number of bits that an index chooses from, are set. */
  protected holds(first: number, second: number): boolean {
    return this.#cells.holds(first, second);
  }

  #forEach<T extends K>(keys: Iterable<T> & object, take: (key: T, isPresent: boolean) => void): void {
    requireMany(keys);
    let position = 0;
    for (const key of keys) take(key, this.find(key, position++));
  }

  #select<T extends K>(keys: Iterable<T> & object, wanted: boolean): T[] {
    const kept: T[] = [];
    this.#forEach(keys, (key, isPresent) => {
      if (isPresent === wanted) kept.push(key);
    });
    return kept;
  }
}
