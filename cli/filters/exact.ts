// Exact decisions: all keys are kept in a set that grows.

import { FilterFullError, KeyLines } from 'bloomery';
import type { FingerprintSet } from 'bloomery/fingerprint-set';
import { type HashedKeys, hashKeys } from 'bloomery/hash';
import { optimalWideBlocks } from 'bloomery/wide';
import { CommandError, quote, wordOf } from '../errors.ts';
import { byteSize, integer, plural } from '../numbers.ts';
import { countKeys, type TextKeys } from '../text/records.ts';
import { type GrowingFilter, SAME_KEY } from './kinds.ts';
import { twoDigits } from './mistakes.ts';
import { ERROR_RATE, FullError, part, type Selecting, WIDE_BLOCK_BYTES } from './seen.ts';

/** A set grows by less than this and a thousandth, or by five eighths if that is less, when it takes one more key. */
const GROWTH_BYTES = 180_000;
/** While it takes many keys, it grows by less than this for each further one. */
const KEY_BYTES = 1000;

/** An error for what keeps keys and cannot grow, with a hint at what to do. */
export function memoryError({ count }: { readonly count: number }, hint: string, cause: unknown): CommandError {
  return new CommandError(`there is no memory for more than ${plural(count, 'distinct key')}: ${hint}`, { cause });
}

/** What bounds a set, and what its errors say. */
export interface Bounds {
  /** The most bytes that the set may take. */
  readonly maxMemory: number;
  /** The name of its file, if it has one. */
  readonly name: string | undefined;
}

/** Finds the first occurrence of each key. It keeps the keys in one set, and errs only if two have the same fingerprint. */
export class ExactSeen implements Selecting {
  readonly isExact = true;
  readonly #set: FingerprintSet;
  readonly #bounds: Bounds;
  /** The number of keys that the set had before. */
  readonly #before: number;
  /** The number of keys read so far, if memory is bounded. */
  #read = 0;
  full: FullError | undefined;

  constructor(set: FingerprintSet, bounds: Bounds) {
    this.#set = set;
    this.#bounds = bounds;
    this.#before = set.count;
  }

  get filters(): readonly GrowingFilter[] {
    return [this.#set];
  }

  get seed(): number {
    return this.#set.seed;
  }

  get count(): number {
    return this.#set.count - this.#before;
  }

  watch(): void {}

  /** Each key that was absent may have had the fingerprint of one before it. One more is counted: see `mistakesAfter`. */
  expectedMistakes(): number {
    const [{ count }, before] = [this.#set, this.#before];
    return (((count - before) * (count + before - 1)) / 2 + count) * SAME_KEY;
  }

  /** Selects the keys that occur for the first time, but none from the first one on for which there is no room. */
  select(keys: TextKeys): KeyLines | Uint8Array {
    if (Number.isFinite(this.#bounds.maxMemory)) {
      const count = countKeys(keys);
      if (count > this.#room()) return this.flag(hashKeys(keys, { seed: this.seed }));
      this.#read += count;
    }
    if (keys instanceof KeyLines) return this.#take(() => this.#set.dedupe(keys));
    return this.#add(keys, new Uint8Array(keys.length));
  }

  /** Flags the hashes of keys that occur for the first time, but none from the first one on for which there is no room. */
  flag(hashes: HashedKeys): Uint8Array<ArrayBuffer> {
    const flags = new Uint8Array(hashes.length);
    for (let at = 0; at < hashes.length && !this.full; ) {
      const room = this.#room();
      if (room > 0) {
        const some = part(hashes, at, at + room);
        this.#add(some, flags.subarray(at, at + some.length));
        at += some.length;
      } else {
        const absent = this.#set.hasMany(part(hashes, at)).indexOf(0);
        if (absent >= 0) this.full = this.#fullAfter(this.#read + at + absent);
        at = hashes.length;
      }
    }
    this.#read += hashes.length;
    return flags;
  }

  #add<F extends Uint8Array>(keys: TextKeys | HashedKeys, flags: F): F {
    this.#take(() => this.#set.addMany(keys, flags));
    return flags;
  }

  #take<T>(take: () => T): T {
    try {
      return take();
    } catch (error) {
      if (!(error instanceof FilterFullError)) throw error;
      const { name } = this.#bounds;
      const unsaved = name === undefined ? '' : `; ${quote(name)} was not saved, so lines will be printed again`;
      throw memoryError(this.#set, `to read more, ${this.#others()}${unsaved}`, error);
    }
  }

  /** How many more keys the set takes before its memory is more than it may be. */
  #room(): number {
    const { byteLength } = this.#set;
    const growth = Math.min((5 / 8) * byteLength, GROWTH_BYTES + byteLength / 1000);
    return Math.floor((this.#bounds.maxMemory - byteLength - growth) / KEY_BYTES) + 1;
  }

  #fullAfter(read: number): FullError {
    const { maxMemory } = this.#bounds;
    const { byteLength, count } = this.#set;
    const cost = count > 0 ? `, of which each distinct one takes ${twoDigits(byteLength / count)} bytes` : '';
    const full = `--max-memory ${byteSize(maxMemory)} is full after ${plural(read, 'line')}${cost}`;
    const others = this.#othersBytes > maxMemory ? '' : `, or ${this.#others()}`;
    return new FullError(`${full}: to read more, raise it${others}`);
  }

  /** How many keys filters are advised for: twice as many as the set has. */
  get #othersCapacity(): number {
    return Math.max(1000, 2 * this.#set.count);
  }

  /** The size of a filter for so many keys. */
  get #othersBytes(): number {
    return WIDE_BLOCK_BYTES * optimalWideBlocks(this.#othersCapacity, ERROR_RATE / 2);
  }

  /** How to go on with filters. */
  #others(): string {
    const { name } = this.#bounds;
    const capacity = this.#othersCapacity;
    const options = `--error-rate ${ERROR_RATE} --capacity ${capacity}`;
    const how =
      name === undefined
        ? `pass ${options}`
        : `go on with bloomery omit ${wordOf(name)} FILES | bloomery dedupe --seen NEW ${options}`;
    const bytes = twoDigits(this.#othersBytes / capacity);
    return `${how}: a line then takes ${bytes} bytes, and one in ${integer(1 / ERROR_RATE)} may be lost`;
  }
}
